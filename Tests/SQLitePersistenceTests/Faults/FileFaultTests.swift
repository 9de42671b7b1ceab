import CFaultyFiles
import CSQLiteHooks
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import WireFormat
import SQLitePersistence
import Testing

/// R71: when any call to the file system fails, commits are not lost, and the list either is correct or reports the failure, and continues.
///
/// `RESULTS_TORTURE_OPERATIONS`, as `script/torture` sets it, makes every single call fail, not only some.
@Suite("Files that fail", .serialized)
struct FaultSweepTests {
  private static let isLong =
    ProcessInfo.processInfo.environment["RESULTS_TORTURE_OPERATIONS"] != nil

  /// The numbers of the calls that fail: the first ones, then at growing distances.
  private func numbers(below count: Int64) -> [Int64] {
    var numbers: [Int64] = []
    var next: Int64 = 0
    while next < count {
      numbers.append(next)
      next += Self.isLong ? 1 : 1 + next
    }
    return numbers
  }

  @Test(
    .timeLimit(.minutes(60)),
    arguments: [Fault.diskFull, .write, .sync, .truncate, .read]
  )
  func `a failing call loses no commit`(_ fault: Fault) async throws {
    let faultless = try await FaultScenario()
    fault.arm(from: .max)
    await faultless.work()
    let count = faulty_disarm()
    try #require(count > 0)
    try #require(faultless.errors.isEmpty)
    try await faultless.expectWhole("without a fault")

    var errors: [any Error] = []
    for number in numbers(below: count) {
      for fault in [fault, fault.lasting] {
        let scenario = try await FaultScenario()
        fault.arm(from: number)
        await scenario.work()
        let failures = faulty_failures()
        errors += scenario.errors
        try await scenario.expectWhole("\(fault) at \(number), \(failures) failures")
      }
    }
    // A log that cannot be truncated is reused from its beginning, so there is nothing to report.
    #expect(errors.isEmpty == (fault.kinds == Fault.truncate.kinds))
    for error in errors { #expect(fault.explains(error), "\(fault): \(error)") }
  }

  @Test(.timeLimit(.minutes(60)), arguments: Fault.all, [true, false])
  func `a failed opening leaves the file unchanged`(_ fault: Fault, isNew: Bool) throws {
    try #require(faulty_install() == 0)
    var count: Int64 = 0
    var errors: [any Error] = []
    var number: Int64 = -1
    repeat {
      for fault in [fault, fault.lasting] {
        let folder = try TemporaryFolder()
        let path = folder.file(FaultScenario.fileName)
        if !isNew { try useStore(at: path) }
        // The first run only counts the calls.
        fault.arm(from: number < 0 ? .max : number)
        do {
          try useStore(at: path)
        } catch {
          errors.append(error)
        }
        count = max(count, number < 0 ? faulty_disarm() : count)
        faulty_disarm()
        let comment: Comment = "\(fault) at \(number)"
        try useStore(at: path)
        let store = try SQLiteStore(at: path, entities: Sample.entities)
        #expect(try store.check().problems == [], comment)
        let rows = try store.allRows(of: Sample.book)
        #expect((isNew ? 1...2 : 2...3).contains(rows.count), comment)
        #expect(Set(rows.map { $0["title"] }) == ["kept"], comment)
        try store.close()
      }
      number += number < 0 || Self.isLong ? 1 : 1 + number
    } while number < count
    // An existing log is neither truncated nor flushed.
    #expect(count > 0 || fault.kinds == Fault.truncate.kinds || fault.kinds == Fault.sync.kinds)
    for error in errors { #expect(fault.explains(error), "\(fault): \(error)") }
  }

  /// Opens a store, lists and adds a book, and closes it.
  private func useStore(at path: String) throws {
    let store = try SQLiteStore(at: path, entities: Sample.entities, options: FaultScenario.options)
    defer { try? store.close() }
    let found = try store.allRows(of: Sample.book).map { $0["title"] }
    #expect(found.allSatisfy { $0 == "kept" })
    try store.write { try $0.insert(Sample.values("p", "kept"), key: nil, into: Sample.book) }
  }

  @Test(.timeLimit(.minutes(15)))
  func `the subscriber receives a failure, and the last good list remains`() async throws {
    var failureCount = 0
    for number in 0..<12 {
      let scenario = try await FaultScenario()
      let before = try scenario.shownGeneration
      try scenario.commitElsewhere()
      Fault.read.lasting.arm(from: Int64(number))
      await scenario.attempt { try await scenario.refresh() }
      // The first reads only check for a commit; their failure is thrown to the caller only.
      if scenario.hasFailed {
        failureCount += 1
        let failure = try #require(try await scenario.nextFailure())
        #expect(Fault.read.explains(failure), "\(failure)")
        #expect(scenario.errors.count == 1)
        #expect(try scenario.shownGeneration == before)
      }
      try await scenario.expectWhole("a failure from read \(number) on")
    }
    #expect(failureCount > 0)
  }
}

extension Fault {
  /// Whether an error reports the fault.
  fileprivate func explains(_ error: any Error) -> Bool {
    switch error {
    case StoreError.diskFull: code == Fault.diskFull.code
    case StoreError.inputOutput: code != Fault.diskFull.code
    case StoreError.cannotOpen(_, .noPermission), StoreError.cannotOpen(_, .cannotCreate):
      code == Fault.open.code
    default: false
    }
  }
}

/// A store in files that fail on command, a live list of it, and a model of what was committed.
final class FaultScenario {
  let folder: TemporaryFolder
  let store: SQLiteStore
  private let controller: FetchedResultsController<ResultsDomain.Row>
  private var events: ResultsChanges<ResultsDomain.Row>.AsyncIterator
  private var content = ResultsContent(sections: [])
  private var generation = 0
  /// The list that the received deltas make.
  private var replay = WireReplay()
  private let encoder = WireEncoder(entity: Sample.book, attributes: ["publisher", "title"])
  /// Publisher and title of the books that were committed, by key.
  private var books: [Int64: [String]] = [:]
  /// The errors that calls threw.
  private(set) var errors: [StoreError] = []

  static let fileName = faulty_marker + ".sqlite"
  static let options = SQLiteStoreOptions(busyTimeout: .milliseconds(50), pollInterval: nil)

  /// A new store with three books, and a list of them.
  init() async throws {
    try #require(faulty_install() == 0)
    folder = try TemporaryFolder()
    store = try SQLiteStore(
      at: folder.file(Self.fileName),
      entities: [Sample.book],
      options: Self.options
    )
    let request = FetchRequest<ResultsDomain.Row>(
      entity: Sample.book,
      sortedBy: [.ascending("title")]
    )
    controller = FetchedResultsController(
      ResultsDefinition(request, sectionedBy: .attribute("publisher")),
      in: store
    )
    try await controller.performFetch()
    events = controller.changes.makeAsyncIterator()
    if let first = await events.next() { try take(first) }
    _ = try store.commit(origin: .unnamed) { transaction in
      try (transaction as? SQLiteTransaction)?.withDatabase { database in
        // The write-ahead log is checkpointed often, not only at its thousandth page; and what does not fit into a few pages is written and
        // read in the middle of a transaction.
        try database.execute(sql: "PRAGMA wal_autocheckpoint = 5; PRAGMA cache_size = 10")
      }
    }
    for step in 0..<3 { try commit(step) }
    try await refresh()
  }

  /// Makes commits of all kinds and refreshes the list from time to time; errors of the store are collected.
  func work() async {
    for step in 3..<12 {
      await attempt { try commit(step) }
      if step % 3 == 0 { await attempt { try await refresh() } }
    }
  }

  /// Expects that the list, the store and a store that is opened now agree on what was committed; nothing fails any more.
  func expectWhole(_ comment: Comment, at location: SourceLocation = #_sourceLocation) async throws
  {
    faulty_disarm()
    try await refresh()
    #expect(received() == committed, comment, sourceLocation: location)
    #expect(try listed() == committed, comment, sourceLocation: location)
    #expect(try stored(in: store) == books, comment, sourceLocation: location)
    try commit(12)
    try await refresh()
    #expect(received() == committed, comment, sourceLocation: location)
    #expect(try listed() == committed, comment, sourceLocation: location)
    controller.cancel()
    try store.close()
    let again = try SQLiteStore(at: store.path, entities: [Sample.book], options: Self.options)
    #expect(try stored(in: again) == books, comment, sourceLocation: location)
    #expect(try again.check().problems == [], comment, sourceLocation: location)
    try again.close()
  }

  /// Brings the list up to date, and takes what its subscriber receives.
  func refresh() async throws {
    try await controller.refresh()
    let latest = try controller.results.generation
    while generation < latest, let event = await events.next() { try take(event) }
  }

  /// The next failure that the subscriber receives.
  func nextFailure() async throws -> StoreError? {
    while let event = await events.next() {
      if case .failure(let error) = event { return error }
      try take(event)
    }
    return nil
  }

  private func take(_ event: ResultsEvent<ResultsDomain.Row>) throws {
    switch event {
    case .snapshot(let results):
      // The initial list is empty.
      try replay.apply(
        line: encoder.snapshot(at: results.position, sections: [WireSection]())
      )
      (generation, content) = (results.generation, try results.snapshot.content)
    case .change(let change):
      #expect(change.delta.from == generation)
      try change.delta.verify(from: content, to: change.after.snapshot.content)
      try replay.apply(line: encoder.delta(change.delta))
      (generation, content) = (change.delta.to, try change.after.snapshot.content)
    case .reset(let reason, _): Issue.record("a reset: \(reason)")
    case .failure: break
    }
  }

  /// Runs work that may fail.
  func attempt(_ work: () async throws -> Void) async {
    do {
      try await work()
    } catch let error as StoreError {
      errors.append(error)
    } catch {
      Issue.record("\(error) is no error of a store")
    }
  }

  /// Makes one commit, and then notes its changes.
  func commit(_ step: Int) throws {
    var after = books
    let cover = Value.blob(Array(repeating: UInt8(step), count: step % 2 == 0 ? 20_000 : 100))
    _ = try store.commit(origin: .unnamed) { transaction in
      for number in 0..<3 {
        let (publisher, title) = ("p\(step % 4)", "t\(step * 7 % 10)-\(number)")
        let values: [Value] = [.text(publisher), .text(title), .null, .null, cover]
        let key = try transaction.insert(values, key: nil, into: Sample.book).key
        guard case .integer(let id) = key else { continue }
        after[id] = [publisher, title]
      }
      for key in after.keys.sorted() where (Int(key) + step) % 5 == 0 {
        guard let row = try transaction.rows([.integer(key)], of: Sample.book).first ?? nil else {
          continue
        }
        if key.isMultiple(of: 2) {
          try transaction.delete(row.id, of: Sample.book)
          after[key] = nil
        } else {
          var values = row.values
          after[key]?[1] = "u\(step)"
          values[1] = .text("u\(step)")
          try transaction.update(row.id, to: values, of: Sample.book, ifUnchangedFrom: row)
        }
      }
    }
    books = after
  }

  /// Makes a commit through another store, which has to be read from the file.
  func commitElsewhere() throws {
    let other = try SQLiteStore(at: store.path, entities: [Sample.book], options: Self.options)
    let values = Sample.values("p9", "elsewhere")
    let key = try other.write { try $0.insert(values, key: nil, into: Sample.book) }.key
    if case .integer(let number) = key { books[number] = ["p9", "elsewhere"] }
    try other.close()
  }

  /// Whether the last attempt to bring the list up to date failed.
  var hasFailed: Bool {
    if case .failed = controller.state { true } else { false }
  }

  /// The generation that is shown.
  var shownGeneration: Int { get throws { try controller.results.generation } }

  /// The committed books as a list: a line for each section and each book.
  private var committed: [String] {
    let ordered = books.sorted { left, right in
      left.value == right.value
        ? left.key < right.key : left.value.lexicographicallyPrecedes(right.value)
    }
    var lines: [String] = []
    for (index, (key, book)) in ordered.enumerated() {
      if index == 0 || ordered[index - 1].value[0] != book[0] { lines.append(book[0]) }
      lines.append("  \(key) \(book[0]) \(book[1])")
    }
    return lines
  }

  /// The list that the deltas make, as such lines.
  private func received() -> [String] {
    (replay.list?.sections ?? []).flatMap { section in
      [section.title]
        + section.rows.map { row in
          "  \(row["id"]?.integer ?? 0) \(row["publisher"]?.string ?? "") \(row["title"]?.string ?? "")"
        }
    }
  }

  /// The list's content, as such lines.
  private func listed() throws -> [String] {
    try controller.results.sections.flatMap { section in
      try [section.title]
        + section.map { listed in
          let row = try listed.object
          return "  \(row.id.key) \(row["publisher"].text ?? "") \(row["title"].text ?? "")"
        }
    }
  }

  private func stored(in store: SQLiteStore) throws -> [Int64: [String]] {
    var books: [Int64: [String]] = [:]
    for row in try store.allRows(of: Sample.book) {
      guard case .integer(let key) = row.id.key else { continue }
      books[key] = [row["publisher"].text ?? "", row["title"].text ?? ""]
    }
    return books
  }
}

/// One kind of failure of the file system.
struct Fault: Sendable, CustomTestStringConvertible, CustomStringConvertible {
  let name: String
  /// The kinds of calls that fail.
  let kinds: Int
  /// SQLite's result code.
  let code: Int32
  /// The number of consecutive calls that fail.
  var count: Int64 = 1

  var testDescription: String { description }
  var description: String { count == 1 ? name : "\(name), until it is mended" }

  /// The same fault, without end.
  var lasting: Fault { Fault(name: name, kinds: kinds, code: code, count: .max) }

  /// Starts to count calls, and makes them fail from a number on.
  func arm(from first: Int64) { faulty_arm(Int32(kinds), first, count, code) }

  static let diskFull = Fault(name: "disk full", kinds: writing, code: SQLITE_FULL)
  static let write = Fault(name: "write error", kinds: writing, code: SQLITE_IOERR | 3 << 8)
  static let sync = Fault(
    name: "sync error",
    kinds: faulty_sync,
    code: SQLITE_IOERR | 4 << 8
  )
  static let truncate = Fault(
    name: "truncate error",
    kinds: faulty_truncate,
    code: SQLITE_IOERR | 6 << 8
  )
  static let read = Fault(
    name: "read error",
    kinds: faulty_read,
    code: SQLITE_IOERR | 1 << 8
  )
  static let open = Fault(
    name: "open error",
    kinds: faulty_open,
    code: SQLITE_CANTOPEN
  )
  static let sharedMemory = Fault(
    name: "no shared memory",
    kinds: faulty_shared_memory,
    code: SQLITE_IOERR | 19 << 8
  )

  static let all = [diskFull, write, sync, truncate, read, open, sharedMemory]

  private static let writing = faulty_write | faulty_truncate
}
