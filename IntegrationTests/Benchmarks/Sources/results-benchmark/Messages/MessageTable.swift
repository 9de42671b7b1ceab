import FetchedResults
import Foundation
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import SectionCacheFiles
import Synchronization

/// One size of the large table: its store, and plain connections to the same file.
final class MessageTable: MeasuredTable {
  let file: MessageFile
  let runs: Int
  let isLargest: Bool
  let store: any Store
  /// The connection of the references that only read.
  let plain: PlainDatabase
  /// The connection of another writer.
  let writer: PlainDatabase
  let caches: SectionCacheFolder
  var numbers = GeneratedBooks(rows: 1)
  private var cachedRanks: PlainRanks?

  var rows: Int { file.rows }

  init(_ file: MessageFile, runs: Int, isLargest: Bool, in folder: BenchmarkFolder) throws {
    self.file = file
    self.runs = runs
    self.isLargest = isLargest
    store = try file.open()
    plain = try PlainDatabase(path: file.path)
    writer = try PlainDatabase(path: file.path)
    let name = "messages-\(file.rows)-caches"
    caches = SectionCacheFolder(at: URL(fileURLWithPath: folder.path(of: name), isDirectory: true))
  }

  func openStore() throws -> any Store { try file.open() }

  func close() throws {
    try store.close()
    plain.close()
    writer.close()
  }

  /// Returns the ranks in C, which are created on first use.
  func ranks() throws -> PlainRanks {
    if let cachedRanks { return cachedRanks }
    let ranks = try PlainRanks(plain)
    cachedRanks = ranks
    return ranks
  }

  /// Creates the indexes of lists.
  func createIndexes(for lists: [MessageList]) throws {
    for list in lists { try writer.run(list.index) }
    try writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}

// MARK: - Files

extension MessageTable {
  /// Saves the cache of a list in its present version.
  func saveCache(of list: MessageList) async throws {
    try store.checkForExternalChanges()
    let controller = self.list(list, isCached: true)
    try await controller.performFetch()
    guard try await controller.saveCache() else {
      throw BenchmarkError.wrongResult("the cache of \(list)")
    }
    controller.cancel()
  }

  /// Drops the database and the caches from the page cache of the system.
  func dropFiles() throws {
    try writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
    let folder = caches.folder
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let files = names.map { folder.appendingPathComponent($0).path }
    let program = ChildProgram(ProcessFigures.program)
    _ = try program.output(["drop", file.path, file.path + "-wal"] + files)
  }
}

// MARK: - The same work in C

extension MessageTable {
  /// Measures reading all columns of the keys of a list from its index.
  func scan(_ list: MessageList = .folders, in database: PlainDatabase? = nil) throws -> Double {
    try time {
      let count = try (database ?? plain)
        .scan(list.scan, texts: list.texts, integers: list.integers)
      guard count == rows else { throw BenchmarkError.wrongResult("the scan of \(list)") }
    }
  }

  /// Measures counting the sections of a list.
  func group(_ list: MessageList = .folders) throws -> Double {
    try time { _ = try plain.scan(list.groups, texts: 1, integers: 1) }
  }

  /// Measures reading all identities in order, the cheapest possible second fetch.
  func refetch() throws -> Double {
    try time {
      _ = try plain.scan(
        "SELECT id FROM Message ORDER BY folder, date, id",
        texts: 0,
        integers: 1
      )
    }
  }

  /// Measures reading the first fifty rows on a new connection.
  func readFirstRows() throws -> Double {
    let other = try PlainDatabase(path: file.path)
    defer { other.close() }
    return try time {
      var count = 0
      try other.each("SELECT * FROM Message ORDER BY folder, date, id LIMIT 50") { _ in count += 1 }
      guard count == 50 else { throw BenchmarkError.wrongResult("the first rows") }
    }
  }

  /// Reads random rows, and counts the positions of two keys for each of them.
  func rankRows(_ count: Int, in database: PlainDatabase) throws {
    let ranks = try ranks()
    for _ in 0..<count {
      guard let new = try PlainRanks.key(of: anyID(), in: database) else {
        throw BenchmarkError.wrongResult("a plain lookup")
      }
      let old = anyPosition()
      let key = MessageKey(folder: old.folder, date: old.date, id: new.id)
      _ = try ranks.rank(of: key, in: database)
      _ = try ranks.rank(of: new, in: database)
    }
  }

  /// Moves a row to another folder and date, without a transaction of its own.
  func move(_ id: Int64, to position: Position) throws {
    try writer.each(
      "UPDATE Message SET folder = ?, date = ? WHERE id = ?",
      [.integer(position.folder), .integer(position.date), .integer(id)]
    )
  }
}

// MARK: - Changes

extension MessageTable {
  /// The two values that determine the position of a row in the list of folders.
  struct Position {
    var folder: Int64
    var date: Int64
  }

  /// Returns a random folder and date.
  func anyPosition() -> Position {
    let span = Int(Message.dates.upperBound - Message.dates.lowerBound)
    return Position(
      folder: Int64(numbers.draw(below: Message.folders)),
      date: Message.dates.lowerBound + Int64(numbers.draw(below: span))
    )
  }

  /// Changes one row through the store: either its folder and date, or its body.
  /// - Returns: The instant when the closure of the transaction returned and the commit began.
  @discardableResult
  func change(_ id: Int64, moving: Bool) throws -> ContinuousClock.Instant {
    let position = anyPosition()
    return try store.commit(origin: .unnamed) { transaction in
      try self.change(id, moving ? position : nil, in: transaction)
      return ContinuousClock.now
    }.result
  }

  /// Changes one row in a transaction: its folder and date, or its body if there is no position.
  func change(
    _ id: Int64,
    _ position: Position?,
    in transaction: any StoreTransaction
  ) throws {
    guard let row = try transaction.rows([.integer(id)], of: Message.entity).first ?? nil else {
      throw BenchmarkError.wrongResult("a lookup of a message")
    }
    var values = row.values
    if let position {
      let isSame = values[Message.folderIndex] == .integer(position.folder)
      values[Message.folderIndex] = .integer(
        isSame ? (position.folder + 1) % Int64(Message.folders) : position.folder
      )
      values[Message.dateIndex] = .integer(position.date)
    } else {
      let body = Value.text("another body of \(numbers.title())")
      // A reused table may hold this text from the same draw of an earlier run.
      values[Message.bodyIndex] = values[Message.bodyIndex] == body ? .text("a body") : body
    }
    try transaction.update(row.id, to: values, of: Message.entity, ifUnchangedFrom: nil)
  }
}

extension FetchedResultsController {
  /// Reads the first objects of the list.
  func readFirst(_ count: Int) throws {
    guard let objects = rows?.prefix(count), !objects.isEmpty else {
      throw BenchmarkError.wrongResult("the first page")
    }
    for row in objects { _ = try row.object }
  }

  /// Performs the first fetch, until all counts are exact.
  /// - Returns: The instant when the objects of the first page were available; a short list has no separate first page.
  func fetchShowingFirstPage() async throws -> ContinuousClock.Instant {
    let shown = Mutex<ContinuousClock.Instant?>(nil)
    try await performFetch { first in
      guard let objects = try? first.objects(), !objects.isEmpty else { return }
      let now = ContinuousClock.now
      shown.withLock { $0 = now }
    }
    if let early = shown.withLock(\.self) { return early }
    try readFirst(50)
    return ContinuousClock.now
  }
}
