import Foundation
import ResultsDomain
import ResultsPresentation
import ResultsTesting
import SQLitePersistence
import StudentRoster
import Testing

/// R18: controllers are started while another process and the own one commit; no commit is lost or told twice between the first fetch and
/// the first change.
///
/// Nobody commits again before the controller shows both, and it is not asked to look: one that was lost would never come.
@Suite("Starting while others write")
struct StartTests {
  private static let runs =
    ProcessInfo.processInfo.environment["RESULTS_TORTURE_OPERATIONS"].flatMap { Int($0) }
    .map { max(1, $0 / 10) } ?? 100

  @Test(.enabled(if: ShellWriter.isThere), .timeLimit(.minutes(runs > 1000 ? 120 : 2)))
  func `no commit is lost between the first fetch and the first change`() async throws {
    let run = try ProgramRun()
    let store = try SQLiteStore(
      at: run.path("s.sqlite"),
      entities: [Student.entity],
      options: SQLiteStoreOptions(busyTimeout: .seconds(60), pollInterval: .milliseconds(20))
    )
    let shell = try run.start(ShellWriter.path, "-batch", "s.sqlite")
    try shell.write(".timeout 60000\n")
    var generator = SeededGenerator(seed: 18)
    for number in 1...Self.runs {
      let (theirs, ours) = (number * 2, number * 2 + 1)
      let values = "(\(theirs), \(number % 1000), 'shell', \(10 + number % 3))"
      try shell.write(
        "BEGIN IMMEDIATE; DELETE FROM Student WHERE id < \(theirs - 60);"
          + " INSERT INTO Student VALUES \(values); COMMIT;\n"
      )
      async let committed: Void = insert(ours, into: store)
      let view = generator.happens(percent: 50) ? TortureView.wholeRoster : .plainRoster
      let controller = FetchedResultsController(view.definition, in: store)
      if generator.happens(percent: 50) {
        let events = controller.changes.makeAsyncIterator()
        try await controller.performFetch()
        try await follow(events, until: [theirs, ours], number)
      } else {
        try await controller.performFetch()
        try await follow(controller.changes.makeAsyncIterator(), until: [theirs, ours], number)
      }
      try await committed
      controller.cancel()
    }
    let result = try shell.finish()
    #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
    try store.close()
  }

  private func insert(_ key: Int, into store: SQLiteStore) async throws {
    let values = Student(studentId: 1, studentName: "own", studentAge: 11).attributeValues
    _ = try await store.write { transaction in
      try transaction.insert(values, key: .integer(Int64(key)), into: Student.entity)
    }
  }

  /// Takes events until some rows are shown; each is told once, and the generations follow one another.
  private func follow(
    _ events: ResultsChanges<Row>.AsyncIterator,
    until keys: [Int],
    _ number: Int
  ) async throws {
    var events = events
    let wanted = keys.map { ObjectID(entity: Student.entity.name, key: .integer(Int64($0))) }
    var shown: ResultsList<Row>?
    while let event = await events.next() {
      switch event {
      case .snapshot(let results):
        #expect(shown == nil, "run \(number): a second first list")
        shown = results
      case .change(let change):
        let before = try #require(shown)
        #expect(change.delta.from == before.generation, "run \(number)")
        try change.delta.verify(
          from: before.snapshot.content,
          to: change.after.snapshot.content
        )
        shown = change.after
      case .reset(let reason, _): Issue.record("run \(number): a reset: \(reason)")
      case .failure(let error): Issue.record("run \(number): \(error)")
      }
      if let shown, wanted.allSatisfy({ shown.path(of: $0) != nil }) { return }
    }
    Issue.record("run \(number): the controller ended")
  }
}
