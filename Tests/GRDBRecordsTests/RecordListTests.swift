import Foundation
import GRDB
import GRDBRecords
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import SQLitePersistence
import Testing

/// R118: the records of a GRDB application are listed as they are.
@Suite struct `Lists of records` {
  private let library: Library

  init() throws { library = try Library() }

  private func list<Record: ListedRecord>(
    _ request: RecordRequest<Record>,
    _ store: SQLiteStore
  ) async throws -> FetchedResultsController<FetchedRecord<Record>> {
    let list = try FetchedResultsController(request, in: store)
    try await list.performFetch()
    return list
  }

  @Test func `R118: a record needs neither a schema nor an empty initializer`() async throws {
    let store = try library.open([Author.self, Book.self])
    let list = try await list(
      RecordRequest<Book>(
        where: "author.name BEGINSWITH 'U' AND deletedAt == nil",
        sortedBy: [.ascending("author.name")]
      ),
      store
    )
    #expect(try list.results.rows.map(\.title) == ["Baudolino", "Always Coming Home"])
    let expected = try await library.writer.read { database in
      try Book.joining(
        required: Book.author.filter(Column("name") >= "U").order(Column("name"))
      ).fetchAll(database)
    }
    #expect(try list.results.objects().map(\.record) == expected)
    #expect(try list.results.rows[0].object.metadata.words == ["Baudolino"])
    try store.close()
  }

  @Test func `R118: the application's writes arrive as exact changes`() async throws {
    let store = try library.open([Author.self, Book.self])
    // A column that the database calculates on every read would make each change a comparison.
    try await library.writer.write { try $0.execute(sql: "ALTER TABLE book DROP COLUMN shelfmark") }
    try store.close()
    let exact = try library.open([Author.self, Book.self])
    let list = try await list(
      RecordRequest<Book>(
        sortedBy: [.ascending("title")],
        sectionedBy: "author.name"
      ),
      exact
    )
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    try await library.writer.write { database in
      var author = try #require(try Author.fetchOne(database, key: 2))
      author.name = "Zadie"
      try author.update(database)
      var book = Library.book("Dune", by: 1)
      try book.insert(database)
    }
    try await list.refresh()
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(change.delta.repair == nil)
    #expect(change.after.sections.map(\.title) == ["Umberto", "Ursula", "Zadie"])
    #expect(change.delta.rows.inserts.map(\.to.path) == [RowPath(section: 1, row: 1)])
    #expect(change.delta.rows.deletes.isEmpty)
    #expect(change.delta.rows.moves.map(\.to.path) == [RowPath(section: 2, row: 0)])
    try change.delta.verify(from: change.before.content(), to: change.after.content())
    try exact.close()
  }

  @Test func `R118: a value that the record cannot decode is an error of its row alone`()
    async throws
  {
    let store = try library.open([Book.self])
    let list = try await list(RecordRequest<Book>(sortedBy: ["id"]), store)
    let failures = [
      "status = 'lost'": "status", "publishedAt = 'soon'": "publishedAt",
      "metadata = '{}'": "metadata", "metadata = 'none'": "metadata", "title = x'ff'": "title",
    ]
    for (assignment, column) in failures {
      try await library.writer.write { database in
        try database.execute(sql: "SAVEPOINT s; UPDATE book SET \(assignment) WHERE id = 2")
      }
      try await list.refresh()
      let rows = try list.results.rows
      let error = #expect(throws: ResultsError.self) { try rows[1].object }
      guard case .row(let row) = error else {
        Issue.record("\(assignment): \(String(describing: error))")
        continue
      }
      #expect(row.attribute == column, "\(assignment)")
      #expect(row.id == ObjectID(entity: "book", key: .integer(2)))
      #expect(rows[1].title == nil)
      #expect(rows[0].title == "Always Coming Home" && rows[2].title == "Baudolino")
      try await library.writer.write { database in
        try database.execute(sql: "DELETE FROM book WHERE id = 2")
        var book = Library.book("It", by: 2)
        try book.insert(database)
        try database.execute(sql: "UPDATE book SET id = 2 WHERE title = 'It'")
      }
    }
    try store.close()
  }

  @Test func `R118: names and conditions that a table does not have are refused`() async throws {
    let store = try library.open([Author.self, Book.self])
    func refusal(_ request: RecordRequest<Book>) -> String {
      do throws(RecordRequestError) {
        _ = try request.definition(in: store)
        return "accepted"
      } catch {
        return "\(error)"
      }
    }
    #expect(
      refusal(RecordRequest(sortedBy: [.ascending("autor.name")]))
        .contains("book has no relationship named autor. Did you mean author?")
    )
    #expect(refusal(RecordRequest(where: "title ==", sortedBy: ["title"])).contains("Expected"))
    #expect(
      refusal(RecordRequest(sortedBy: ["title"], sectionedBy: "yaer")).contains("no attribute")
    )
    #expect(throws: RecordRequestError.self) {
      try FetchedResultsController(RecordRequest<Device>(sortedBy: ["name"]), in: store)
    }
    let columns = RecordRequest<Book>(sortedBy: [.descending(Column("publishedAt"))])
    #expect(
      try columns.definition(in: store).request.sortDescriptors == [.descending("publishedAt")]
    )
    try store.close()
  }
}
