import Foundation
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
@testable import SQLitePersistence
import Testing

/// R71: with any damaged page of a database, a call returns a correct answer or an error about the damage; nothing crashes.
@Suite("Damaged pages") struct DamagedPagesTests {
  /// The content of a damaged page.
  enum Damage: String, CaseIterable, Sendable {
    case zeros, ones, noise, neighbour

    func page(_ bytes: Data, _ number: Int, _ size: Int) -> Data {
      switch self {
      case .zeros: return Data(count: size)
      case .ones: return Data(repeating: 0xFF, count: size)
      case .noise:
        var generator = SeededGenerator(seed: UInt64(number))
        return Data((0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
      case .neighbour:
        let other = (number + 1) % (bytes.count / size)
        return bytes[other * size..<(other + 1) * size]
      }
    }

    /// Whether SQLite can detect the damage: it has no checksums.
    var isRecognisable: Bool { self != .neighbour }
  }

  private static let size = 4096

  @Test(.timeLimit(.minutes(10)), arguments: Damage.allCases)
  func `a damaged page is reported, or does not matter`(_ damage: Damage) async throws {
    let folder = try TemporaryFolder()
    let whole = try makeStore(folder)
    let truth = try rows(at: folder.file())
    try #require(truth.count == 240)
    var errors: [any Error] = []
    for number in 0..<whole.count / Self.size {
      let comment: Comment = "\(damage) in page \(number)"
      let file = "damaged-\(number).sqlite"
      var bytes = whole
      let range = number * Self.size..<(number + 1) * Self.size
      bytes.replaceSubrange(range, with: damage.page(whole, number, Self.size))
      try folder.write(bytes, to: file)
      do {
        let found = try rows(at: folder.file(file))
        let listed = try await list(at: folder.file(file))
        if damage.isRecognisable {
          #expect(found == truth, comment)
          #expect(listed == truth.map(\.id), comment)
        }
        try write(to: folder.file(file))
        let later = try rows(at: folder.file(file))
        if damage.isRecognisable { #expect(later.prefix(240) == truth[...], comment) }
      } catch {
        errors.append(error)
        #expect(reportsDamage(error), "\(damage) in page \(number): \(error)")
      }
    }
    #expect(errors.count > 3)
  }

  @Test(arguments: [0, 1, 100, 4095, 4096, 4097, 12_288, 20_000])
  func `a truncated file is reported`(_ count: Int) throws {
    let folder = try TemporaryFolder()
    let whole = try makeStore(folder)
    try folder.write(whole.prefix(count), to: "cut.sqlite")
    guard count > 0 else {
      // An empty file is an empty database.
      #expect(try rows(at: folder.file("cut.sqlite")) == [])
      return
    }
    let error = #expect(throws: StoreError.self) { try rows(at: folder.file("cut.sqlite")) }
    #expect(error.map(reportsDamage) == true, "\(String(describing: error))")
  }

  /// A store with books on many pages, closed.
  private func makeStore(_ folder: TemporaryFolder) throws -> Data {
    let store = try SQLiteStore(at: folder.file(), entities: Sample.entities)
    for part in 0..<4 {
      try store.write { transaction in
        for number in 0..<60 {
          let title = "t\(part * 60 + number)" + String(repeating: "x", count: number * 8)
          let values = Sample.values("p\(number % 5)", title, .integer(Int64(number)))
          try transaction.insert(values, key: nil, into: Sample.book)
        }
        try transaction.insert([.integer(1)], key: .text("tag\(part)"), into: Sample.tag)
      }
    }
    try store.close()
    return try folder.bytes()
  }

  /// All books by key.
  private func rows(at path: String) throws -> [Row] {
    let store = try open(path)
    defer { try? store.close() }
    return try store.allRows(of: Sample.book).sorted { left, right in
      guard case .integer(let left) = left.id.key, case .integer(let right) = right.id.key else {
        return false
      }
      return left < right
    }
  }

  private func list(at path: String) async throws -> [ObjectID] {
    let store = try open(path)
    defer { try? store.close() }
    let request = FetchRequest<Row>(
      entity: Sample.book,
      sortedBy: [FetchSortDescriptor(.objectKey)]
    )
    let controller = FetchedResultsController(request, in: store)
    try await controller.performFetch()
    return try controller.results.rows.map { try $0.object.id }
  }

  private func write(to path: String) throws {
    let store = try open(path)
    defer { try? store.close() }
    try store.write { try $0.insert(Sample.values("new", "new"), key: nil, into: Sample.book) }
  }

  private func open(_ path: String) throws -> SQLiteStore {
    try SQLiteStore(
      at: path,
      entities: Sample.entities,
      options: SQLiteStoreOptions(pollInterval: nil)
    )
  }

  /// Whether an error reports that the file is damaged, or not a store.
  private func reportsDamage(_ error: any Error) -> Bool {
    switch error {
    case StoreError.damaged, StoreError.unexpectedValue, StoreError.cannotOpen: true
    case ResultsError.store(let error): reportsDamage(error)
    default: false
    }
  }
}

/// With any flipped bits of a file, a list returns an answer or an error about the damage, and leaves the file unchanged.
@Suite(.timeLimit(.minutes(120))) struct `Flipped bits` {
  private static let isLong =
    ProcessInfo.processInfo.environment["RESULTS_TORTURE_OPERATIONS"] != nil

  @Test(arguments: 0..<4)
  func `a list fails with a reason, and the file is unchanged`(_ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    try LogFixture.open(folder).close()
    let whole = try folder.bytes()
    var refused = 0
    for turn in 0..<(Self.isLong ? 5000 : 60) {
      // Later readings of a test that is stopped would only fail.
      try Task.checkCancellation()
      var bytes = whole
      var offsets: [Int] = []
      for _ in 0..<generator.number(in: 1...3) {
        // The header and the schema are small, and matter most.
        let end = generator.happens(percent: 50) ? bytes.count : 4096
        let offset = generator.number(in: 0...end - 1)
        bytes[offset] ^= 1 << UInt8(generator.number(in: 0...7))
        offsets.append(offset)
      }
      let comment: Comment = "seed \(seed), turn \(turn), bytes \(offsets)"
      try folder.write(bytes, to: "flipped.sqlite")
      let file = folder.file("flipped.sqlite")
      do {
        try await list(file)
      } catch {
        refused += 1
        #expect(reportsDamage(error), "\(error), seed \(seed), turn \(turn), bytes \(offsets)")
        let isSame = try folder.bytes("flipped.sqlite") == bytes
        #expect(isSame, comment)
      }
      for side in ["-wal", "-shm"] {
        #expect(!FileManager.default.fileExists(atPath: file + side), comment)
        try? FileManager.default.removeItem(atPath: file + side)
      }
    }
    #expect(refused > 3)
  }

  private func list(_ file: String) async throws {
    var options = SQLiteStoreOptions(pollInterval: nil)
    options.onlyReads = true
    let store = try SQLiteStore(at: file, entities: Sample.entities, options: options)
    defer { try? store.close() }
    for entity in Sample.entities { _ = try store.allRows(of: entity) }
    let request = FetchRequest<Row>(
      entity: Sample.book,
      sortedBy: [.ascending("title")]
    )
    let controller = FetchedResultsController(request, in: store)
    try await controller.performFetch()
    _ = try store.check()
  }

  private func reportsDamage(_ error: any Error) -> Bool {
    switch error {
    case StoreError.damaged, StoreError.unexpectedValue, StoreError.cannotOpen: true
    case ResultsError.store(let error): reportsDamage(error)
    default: false
    }
  }
}
