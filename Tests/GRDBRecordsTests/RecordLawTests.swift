import Foundation
import GRDB
import GRDBRecords
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import SQLitePersistence
import Testing

/// R118: after each write of the application, GRDB's join and the list agree, and the delta is the exact difference.
@Suite struct `Lists of records beside GRDB's joins` {
  enum World: String, CaseIterable, Sendable {
    case queue, pool, poolWithLog
  }

  private func writer(_ world: World, _ folder: URL) throws -> any DatabaseWriter {
    switch world {
    case .queue: try DatabaseQueue()
    case .pool, .poolWithLog: try DatabasePool(path: folder.path + "/library.sqlite")
    }
  }

  @Test(arguments: World.allCases, 1...4 as ClosedRange<UInt64>)
  func `R118: agree after each write`(_ world: World, seed: UInt64) async throws {
    let order: [RecordOrder] = [.descending("shelfmark"), .descending("title")]
    #expect(try await differences(in: world, seed, order) == [], "seed \(seed)")
  }

  @Test func `a list with another order does not agree`() async throws {
    let order: [RecordOrder] = [.ascending("shelfmark"), .descending("title")]
    #expect(try await !differences(in: .queue, 1, order).isEmpty)
  }

  /// Writes as an application does, and returns the steps after which GRDB's join and a list differ.
  private func differences(
    in world: World,
    _ seed: UInt64,
    _ order: [RecordOrder]
  ) async throws -> [Int] {
    var differences: [Int] = []
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("GRDBRecordsTests-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let library = try Library(writer(world, folder))
    var options = SQLiteStoreOptions.quiet
    options.maintainsChangeLog = world == .poolWithLog ? true : nil
    let store = try library.open([Author.self, Book.self], options)
    var generator = SeededGenerator(seed: seed)
    let list = try FetchedResultsController(
      RecordRequest<Book>(
        where: "author.name != 'Stephen' OR author == nil",
        sortedBy: order,
        sectionedBy: "author.name"
      ),
      in: store
    )
    try await list.performFetch()
    var shown = try list.results
    for step in 0..<60 {
      let (draw, count) = (generator, generator.number(in: 1...4))
      generator = try await library.writer.write { database in
        var generator = draw
        for _ in 0..<count { try change(database, &generator) }
        return generator
      }
      try await list.refresh()
      let after = try list.results
      let expected = try await library.writer.read { database in
        let author = TableAlias()
        return try Book.joining(optional: Book.author.aliased(author))
          .filter(author[Column("name")] != "Stephen" || Column("authorId") == nil)
          .order(
            author[Column("name")],
            Column("shelfmark").desc,
            Column("title").desc,
            Column("id")
          )
          .fetchAll(database)
      }
      if try after.objects().map(\.record) != expected { differences.append(step) }
      // Without a change there is no event to wait for.
      guard after.generation != shown.generation else { continue }
      for await event in list.changes(from: shown) {
        guard case .change(let change) = event else { break }
        try change.delta.verify(from: change.before.content(), to: change.after.content())
        if world == .poolWithLog {
          #expect(change.delta.repair == nil, "seed \(seed), step \(step)")
        }
        if change.delta.to == after.generation { break }
      }
      shown = after
    }
    list.cancel()
    try store.close()
    return differences
  }

  /// Changes a row as the application does.
  private func change(_ database: Database, _ generator: inout SeededGenerator) throws {
    let authors = try Author.fetchAll(database)
    let books = try Book.fetchAll(database)
    switch generator.number(in: 0...6) {
    case 0, 1:
      var book = Library.book(
        "T\(generator.number(in: 0...9))",
        by: generator.happens(percent: 20) ? nil : generator.element(of: authors)?.id
      )
      try book.insert(database)
    case 2:
      guard var book = generator.element(of: books) else { return }
      book.status = book.status == .read ? .planned : .read
      try book.update(database)
    case 3:
      guard var book = generator.element(of: books) else { return }
      book.authorId = generator.element(of: authors)?.id
      book.price += 1
      try book.update(database)
    case 4:
      guard var author = generator.element(of: authors) else { return }
      author.name = generator.choice("Ursula", "Stephen", "Umberto", "Zadie")
      try author.update(database)
    case 5:
      guard let book = generator.element(of: books), books.count > 4 else { return }
      try book.delete(database)
    default:
      guard generator.happens(percent: 20), authors.count > 2 else {
        try Author(id: Int64(generator.number(in: 4...9)), name: "Iris").save(database)
        return
      }
      try generator.element(of: authors)?.delete(database)
    }
  }
}
