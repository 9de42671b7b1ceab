import Foundation
import ResultsDomain
import ResultsPresentation
import ResultsTesting
import SQLitePersistence
import StudentRoster
import Synchronization
import Testing

/// R26, R47, R48, R58, R59, R60, R61, R62, R71: four writers and twelve watchers at once on one store.
///
/// Every delta leads from one committed state to a later one, and what each watcher has at the end is what is listed, and what the
/// table holds. Of the controllers half leave their keys to an index. `script/torture` is the long form.
@Suite("Several processes at once on one store", .serialized)
struct TortureTests {
  @Test(.timeLimit(.minutes(240)), arguments: TorturePlan.all)
  func `no commit is missed, none is invented, none is torn`(_ plan: TorturePlan) async throws {
    let reason: Comment = "a snapshot may hold commits of others that its version does not tell of"
    try await withKnownIssue(reason, isIntermittent: true) {
      try await torture(plan)
    } when: {
      Self.toldOfOwnCommitsOnly
    }
  }

  /// Whether a file's history is that of its own store object only.
  private static let toldOfOwnCommitsOnly: Bool = {
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
    let place = ProgramPlace(run)
    let path = run.path("s.sqlite")
    let writing = try SQLiteStore(at: path, entities: [Student.entity], options: options)
    try LibraryWriter.makeIndexes(in: writing)
    if plan.isGuarded { try LibraryWriter.guardPairs(in: writing) }
    let reading = try SQLiteStore(at: path, entities: [Student.entity], options: options)

    let watched = try await watch(in: place, stores: [reading, writing]) {
      try await write(plan, in: place, through: writing)
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

  /// What the watchers have at the end, by view, and what is to be told of them and of the writers.
  private struct Watched {
    var lists = Array(repeating: [TortureList](), count: TortureView.all.count)
    var report: [String] = []
  }

  /// Watches every view in a process of its own and in controllers of some stores, while a closure writes.
  private func watch(
    in place: ProgramPlace,
    stores: [SQLiteStore],
    while writing: @escaping @Sendable () async throws -> [String]
  ) async throws -> Watched {
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    let followers = TortureView.all.count * (1 + stores.count)
    return try await withThrowingTaskGroup(of: (Int?, TortureList?, String).self) { group in
      for (number, view) in TortureView.all.enumerated() {
        group.addTask {
          let watch = try await OwnThread.run {
            try ProgramFollower.watch(view, in: place) { isReady.yield() }
          }
          return (
            number, try TortureList(watch.replay),
            "watch \(view.name): \(watch.lines) lines, at most \(watch.mostRows) rows"
          )
        }
        for (place, store) in stores.enumerated() {
          // Of two lists of one view one holds its keys, and the other leaves them to an index.
          let holdsKeys = (number + place).isMultiple(of: 2)
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
        // The others would wait for a last commit that never comes.
        throw place.stop(because: error)
      }
      return watched
    }
  }

  private func write(
    _ plan: TorturePlan,
    in place: ProgramPlace,
    through store: SQLiteStore
  ) async throws -> [String] {
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    func simulate(_ number: UInt64, _ view: TortureView) async throws -> String {
      try await OwnThread.run {
        let writer = SimulationWriter(plan, place, number: number, shows: view)
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
    try await OwnThread.run { try LibraryWriter(plan, place, store).insertAnchor() }
    async let library = OwnThread.run {
      var writer = LibraryWriter(plan, place, store)
      try writer.write()
      return "library: \(writer.commits) commits"
    }
    async let shell = OwnThread.run {
      guard ShellWriter.isThere else { return "there is no sqlite3 shell" }
      var writer = try ShellWriter(plan, place)
      try writer.write()
      return "sqlite3: \(writer.blocks) blocks, killed \(writer.kills) times"
    }
    let told: [String]
    do {
      told = try await [first, second, library, shell]
    } catch {
      // The other writers end at their next operation.
      throw place.stop(because: error)
    }
    try await OwnThread.run { try LibraryWriter(plan, place, store).end() }
    return told
  }

  /// The table as the SQLite shell reads it, or the library where there is none.
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

  /// Appends what was done to the file that `RESULTS_TORTURE_REPORT` names.
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
  /// Waits for the first of its elements.
  fileprivate func first(_ count: Int) async {
    var count = count
    for await _ in self {
      count -= 1
      if count == 0 { return }
    }
  }
}

/// How much is done to one store, and from which seed.
///
/// `RESULTS_TORTURE_OPERATIONS` sets the number of operations of all plans together, `RESULTS_TORTURE_SEED` the first seed.
struct TorturePlan: Sendable, CustomTestStringConvertible {
  /// What the random choices follow from.
  let seed: UInt64
  /// How many operations the four writers do together.
  let operations: Int
  /// Whether triggers of the file keep `simulate` off the pairs, so that it can be started again and again.
  let isGuarded: Bool

  var testDescription: String {
    "\(isGuarded ? "guarded pairs" : "emptied tables"), \(operations) operations, seed \(seed)"
  }

  /// What one of the four writers does.
  var share: Int { max(1, operations / 4) }

  /// Numbers that belong to one writer.
  func generator(_ writer: UInt64) -> SeededGenerator {
    SeededGenerator(seed: seed &* 97 &+ writer)
  }

  static let all = [true, false].enumerated().map { number, isGuarded in
    TorturePlan(
      seed: (setting("RESULTS_TORTURE_SEED").map { UInt64($0) } ?? 1) &+ UInt64(number),
      operations: (setting("RESULTS_TORTURE_OPERATIONS") ?? 2000) / 2,
      isGuarded: isGuarded
    )
  }

  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
  }
}

/// Where programs run, and what they see, for other threads than the test's own.
final class ProgramPlace: Sendable {
  /// What is thrown where work ends because other work has failed.
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
  /// - Throws: `Stopped` after `stop()`.
  func start(_ program: String, _ arguments: [String]) throws -> RunningProgram {
    try check()
    return try RunningProgram(program, arguments, environment: environment, folder: folder)
  }

  /// Starts a program that runs until it is killed, by `stop()` at the latest.
  func startEndless(_ program: String, _ arguments: [String]) throws -> RunningProgram {
    let running = try start(program, arguments)
    let kill = running.killer
    state.withLock { $0.endless.append(kill) }
    return running
  }

  /// Ends all work here, because a part of it has failed.
  /// - Returns: The first failure, of which others may only be the consequence.
  func stop(because failure: any Error) -> any Error {
    let (first, endless) = state.withLock { state in
      let first = state.failure ?? failure
      state.failure = first
      return (first, state.endless)
    }
    for kill in endless { kill() }
    return first
  }

  /// Refuses to go on after `stop()`.
  func check() throws {
    if state.withLock({ $0.failure != nil }) { throw Stopped() }
  }
}

/// A thread for work that blocks, which the threads of tasks must not do.
enum OwnThread {
  /// Runs a closure on a thread of its own, and gives what it returns.
  static func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}
