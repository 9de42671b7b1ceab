import Foundation
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import SQLitePersistence
import StudentRoster
import Synchronization
import Testing
import WireFormat

/// R26, R47, R48, R58, R59, R60, R61, R62, R71: four writers and twelve watchers at once on one store.
///
/// Every delta transforms one committed state into a later one, and at the end each watcher has the rows that `list` prints and that
/// the table holds. Half of the controllers leave their keys to an index. `script/torture` is the long form.
@Suite("Several processes at once on one store", .serialized)
struct TortureTests {
  @Test(.timeLimit(.minutes(240)), arguments: TorturePlan.all)
  func `no commit is missed, invented or torn`(_ plan: TorturePlan) async throws {
    let reason: Comment =
      "a snapshot may contain commits of other writers that its version does not include"
    try await withKnownIssue(reason, isIntermittent: true) {
      try await torture(plan)
    } when: {
      Self.seesOwnCommitsOnly
    }
  }

  /// Whether the history of a file covers only commits of the same store object.
  private static let seesOwnCommitsOnly: Bool = {
    guard let run = try? ProgramRun(),
      let store = try? SQLiteStore(at: run.path("s.sqlite"), entities: [Student.entity])
    else { return false }
    defer { try? store.close() }
    return store.capabilities.historyCoverage == .thisStore
  }()

  private func torture(_ plan: TorturePlan) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    let run = try ProgramRun()
    let options = SQLiteStoreOptions(busyTimeout: .seconds(120))
    let session = ProgramSession(run)
    let path = run.path("s.sqlite")
    let writing = try SQLiteStore(at: path, entities: [Student.entity], options: options)
    try LibraryWriter.makeIndexes(in: writing)
    if plan.isGuarded { try LibraryWriter.guardPairs(in: writing) }
    let reading = try SQLiteStore(at: path, entities: [Student.entity], options: options)

    let watched = try await watch(in: session, stores: [reading, writing]) {
      try await write(plan, in: session, through: writing)
    }
    try reading.close()
    try writing.close()

    let rows = try tableRows(run)
    for (number, view) in TortureView.all.enumerated() {
      let comment: Comment = "\(view.name), seed \(plan.seed)"
      let list = try run.run(
        "student-roster",
        ["list", "--format", "json", "--store", "s.sqlite"] + view.options
      )
      var listed = WireReplay()
      try listed.apply(line: try #require(list.lines.first))
      let truth = try TortureList(listed)
      #expect(truth == view.list(of: rows), comment)
      for followed in watched.lists[number] {
        #expect(
          followed == truth,
          "\(view.name), seed \(plan.seed): \(followed.difference(from: truth))"
        )
      }
    }
    let health = try run.run("student-roster", "doctor", "--store", "s.sqlite")
    #expect(health.lines.contains { $0.hasPrefix("check") && $0.hasSuffix("ok") }, "\(health)")
    try report(plan, watched.report, clock.now - start)
  }

  /// The final lists of the watchers by view, and the reports of watchers and writers.
  private struct Watched {
    var lists = Array(repeating: [TortureList](), count: TortureView.all.count)
    var report: [String] = []
  }

  /// Watches every view in a separate process and in controllers of some stores, while a closure writes.
  private func watch(
    in session: ProgramSession,
    stores: [SQLiteStore],
    while writing: @escaping @Sendable () async throws -> [String]
  ) async throws -> Watched {
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    let followers = TortureView.all.count * (1 + stores.count)
    return try await withThrowingTaskGroup(of: (Int?, TortureList?, String).self) { group in
      for (number, view) in TortureView.all.enumerated() {
        group.addTask {
          let watch = try await OwnThread.run {
            try ProgramFollower.watch(view, in: session) { isReady.yield() }
          }
          return (
            number, try TortureList(watch.replay),
            "watch \(view.name): \(watch.lines) lines, at most \(watch.mostRows) rows"
          )
        }
        for (index, store) in stores.enumerated() {
          // Of the two controllers of a view, one holds its keys and the other leaves them to an index.
          let holdsKeys = (number + index).isMultiple(of: 2)
          group.addTask {
            let follower = try await ControllerFollower.follow(
              view,
              in: store,
              holdsKeys: holdsKeys
            ) { isReady.yield() }
            return (
              number, try follower.list,
              "controller \(view.name), \(holdsKeys ? "holding" : "indexed"): \(follower.changes) changes"
            )
          }
        }
      }
      group.addTask {
        await ready.first(followers)
        return (nil, nil, try await writing().joined(separator: ", "))
      }
      var watched = Watched()
      do {
        for try await (number, list, line) in group {
          watched.report.append(line)
          if let number, let list { watched.lists[number].append(list) }
        }
      } catch {
        // The others would wait forever for the last commit.
        throw session.stop(because: error)
      }
      return watched
    }
  }

  private func write(
    _ plan: TorturePlan,
    in session: ProgramSession,
    through store: SQLiteStore
  ) async throws -> [String] {
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    func simulate(_ number: UInt64, _ view: TortureView) async throws -> String {
      try await OwnThread.run {
        let writer = SimulationWriter(plan, session, number: number, shows: view)
        do {
          try writer.begin()
        } catch {
          isReady.yield()
          throw error
        }
        isReady.yield()
        try writer.write()
        return writer.report
      }
    }
    async let first = simulate(1, .wholeRoster)
    async let second = simulate(2, .young)
    await ready.first(2)
    try await OwnThread.run { try LibraryWriter(plan, session, store).insertAnchor() }
    async let library = OwnThread.run {
      var writer = LibraryWriter(plan, session, store)
      try writer.write()
      return "library: \(writer.commits) commits"
    }
    async let shell = OwnThread.run {
      guard ShellWriter.isThere else { return "there is no sqlite3 shell" }
      var writer = try ShellWriter(plan, session)
      try writer.write()
      return "sqlite3: \(writer.blocks) blocks, killed \(writer.kills) times"
    }
    let reports: [String]
    do {
      reports = try await [first, second, library, shell]
    } catch {
      // The other writers stop at their next operation.
      throw session.stop(because: error)
    }
    try await OwnThread.run { try LibraryWriter(plan, session, store).end() }
    return reports
  }

  /// The rows of the table, read by the SQLite shell, or by the library if there is no shell.
  private func tableRows(_ run: ProgramRun) throws -> [TortureRow] {
    guard ShellWriter.isThere else {
      let store = try SQLiteStore(at: run.path("s.sqlite"), entities: [Student.entity])
      defer { try? store.close() }
      let request = FetchRequest<Student>(sortedBy: [.ascending(\.studentId)])
      return try store.fetch(request).compactMap { student in
        TortureRow(
          "\(student.id ?? 0)|\(student.studentId)|\(student.studentName)|\(student.studentAge)"
        )
      }
    }
    let result = try run.run(
      ShellWriter.path,
      "-batch",
      "s.sqlite",
      "SELECT id, studentId, studentName, studentAge FROM Student"
    )
    return result.lines.compactMap { TortureRow(Substring($0)) }
  }

  /// Appends a report to the file that `RESULTS_TORTURE_REPORT` names.
  private func report(_ plan: TorturePlan, _ lines: [String], _ time: Duration) throws {
    guard let path = ProcessInfo.processInfo.environment["RESULTS_TORTURE_REPORT"] else { return }
    let seconds = time.components.seconds
    let text =
      (["\(plan.testDescription): \(seconds) s, 0 missed, 0 phantom, 0 torn"]
      + lines.sorted().map { "  \($0)" }).joined(separator: "\n")
    let earlier = FileManager.default.contents(atPath: path) ?? Data()
    try (earlier + Data((text + "\n").utf8)).write(to: URL(fileURLWithPath: path))
  }
}

extension AsyncStream<Void> {
  /// Waits for the first elements.
  fileprivate func first(_ count: Int) async {
    var count = count
    for await _ in self {
      count -= 1
      if count == 0 { return }
    }
  }
}

/// The number of operations on one store, and the seed.
///
/// `RESULTS_TORTURE_OPERATIONS` sets the number of operations of all plans together, by default 1,200; `RESULTS_TORTURE_SEED` sets the
/// first seed. `script/torture` sets both.
struct TorturePlan: Sendable, CustomTestStringConvertible {
  /// The seed of the random choices.
  let seed: UInt64
  /// The number of operations of all four writers.
  let operations: Int
  /// Whether triggers protect the pairs from `simulate`, so that it can be started repeatedly.
  let isGuarded: Bool

  var testDescription: String {
    "\(isGuarded ? "guarded pairs" : "emptied tables"), \(operations) operations, seed \(seed)"
  }

  /// The number of operations of one writer.
  var share: Int { max(1, operations / 4) }

  /// The random generator of one writer.
  func generator(_ writer: UInt64) -> SeededGenerator {
    SeededGenerator(seed: seed &* 97 &+ writer)
  }

  static let all = [true, false].enumerated().map { number, isGuarded in
    TorturePlan(
      seed: (setting("RESULTS_TORTURE_SEED").map { UInt64($0) } ?? 1) &+ UInt64(number),
      operations: (setting("RESULTS_TORTURE_OPERATIONS") ?? 1200) / 2,
      isGuarded: isGuarded
    )
  }

  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
  }
}

/// The folder and the environment of programs that several threads start, and a way to stop them all.
final class ProgramSession: Sendable {
  /// The error after `stop(because:)`.
  struct Stopped: Error {}

  private struct State {
    var failure: (any Error)?
    var endless: [@Sendable () -> Void] = []
  }

  let folder: String
  let environment: [String: String]
  private let state = Mutex(State())

  init(_ run: ProgramRun) {
    folder = run.folder
    environment = run.environment
  }

  /// Starts a program.
  /// - Throws: `Stopped` after `stop(because:)`.
  func start(_ program: String, _ arguments: [String]) throws -> RunningProgram {
    try check()
    return try RunningProgram(program, arguments, environment: environment, folder: folder)
  }

  /// Starts a program that runs until it is killed, at the latest by `stop(because:)`.
  func startEndless(_ program: String, _ arguments: [String]) throws -> RunningProgram {
    let running = try start(program, arguments)
    let kill = running.killer
    state.withLock { $0.endless.append(kill) }
    return running
  }

  /// Stops all programs because of a failure.
  /// - Returns: The first failure; later ones may be its consequences.
  func stop(because failure: any Error) -> any Error {
    let (first, endless) = state.withLock { state in
      let first = state.failure ?? failure
      state.failure = first
      return (first, state.endless)
    }
    for kill in endless { kill() }
    return first
  }

  /// Throws `Stopped` after `stop(because:)`.
  func check() throws {
    if state.withLock({ $0.failure != nil }) { throw Stopped() }
  }
}
