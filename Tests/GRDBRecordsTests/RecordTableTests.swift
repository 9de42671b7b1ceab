import Foundation
import GRDB
import GRDBRecords
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import SQLitePersistence
import Testing

/// R118: a record is described from its table: keys, relationships and forms, whether the table has rows or not.
@Suite struct `Tables of records` {
  private static let all: [any ListedRecord.Type] = [
    Author.self, Book.self, Device.self, ReadingLog.self, Loan.self,
  ]

  private func objects<Record: ListedRecord>(
    _ request: RecordRequest<Record>,
    _ store: SQLiteStore
  ) throws -> [Record] {
    let definition = try request.definition(in: store)
    return try store.read { (snapshot) throws(StoreError) in
      try snapshot.fetch(definition.request)
    }.map(\.record)
  }

  @Test(arguments: [true, false])
  func `R118: keys of any kind and relationships over them`(_ isFilled: Bool) async throws {
    let library = try Library(filled: isFilled)
    let store = try library.open(Self.all)
    let log = try store.entity(of: ReadingLog.self)
    #expect(log.identity == .compound(["device_id", "book_id"]))
    #expect(log.relationships.map(\.name) == ["device", "book"])
    #expect(try store.entity(of: Device.self).identity == .compound(["id"]))
    #expect(try store.entity(of: Loan.self).relationships.map(\.name) == ["borrower"])
    let devices = ["Lamp", "Couch"].map { Device(id: UUID(), name: $0) }
    let (logs, id) = try await library.writer.write { database in
      var book = Library.book("Emma", by: nil)
      try book.insert(database)
      let id = try #require(book.id)
      let logs = devices.map {
        ReadingLog(
          deviceId: $0.id,
          bookId: id,
          pageNumber: 7,
          readAt: Date(timeIntervalSince1970: 1_700_000_000)
        )
      }
      for device in devices { try device.insert(database) }
      for log in logs { try log.insert(database) }
      return (logs, id)
    }
    let request = RecordRequest<ReadingLog>(
      where: "book.title == 'Emma'",
      sortedBy: [.ascending("device.name")]
    )
    #expect(try objects(request, store) == [logs[1], logs[0]])
    let first = RecordRequest<ReadingLog>(
      where: "device_id == %@ AND book_id == %@",
      arguments: [.value(.text(devices[0].id.uuidString)), .value(.integer(id))],
      sortedBy: ["page_number"]
    )
    #expect(try objects(first, store) == [logs[0]])
    try store.close()
  }

  @Test(arguments: [true, false])
  func `R118: dates in conditions are those that the record writes`(_ isFilled: Bool) async throws {
    let library = try Library(filled: isFilled)
    let store = try library.open(Self.all)
    try await library.writer.write { database in
      var book = Library.book("Emma", by: nil)
      try book.insert(database)
      let device = Device(id: UUID(), name: "Lamp")
      try device.insert(database)
      try ReadingLog(
        deviceId: device.id,
        bookId: try #require(book.id),
        pageNumber: 1,
        readAt: Date(timeIntervalSince1970: 1_700_000_000)
      ).insert(database)
    }
    func count(_ condition: String) throws -> Int {
      try objects(RecordRequest<Book>(where: condition, sortedBy: ["title"]), store).count
    }
    let books = isFilled ? 4 : 1
    #expect(try count("publishedAt == '1985-11-05T00:53:20.125Z'") == books)
    #expect(try count("publishedAt > '1985-11-05T00:53:20.125Z'") == 0)
    #expect(try count("publishedAt >= '1985-11-05' AND publishedAt < '1985-11-06'") == books)
    let logs = RecordRequest<ReadingLog>(
      where: "read_at == '2023-11-14T22:13:20Z'",
      sortedBy: ["read_at"]
    )
    #expect(try objects(logs, store).count == 1)
    try store.close()
  }

  /// A record without a table.
  private struct Magazine: Codable, FetchableRecord, TableRecord { var id: Int64 }

  /// A record that needs more than its table has.
  private struct Subtitled: Codable, FetchableRecord, TableRecord {
    var id: Int64
    var subtitle: String
    static let databaseTableName = "book"
  }

  /// A record that selects more than its table has.
  private struct Selecting: Codable, FetchableRecord, TableRecord {
    var id: Int64
    static let databaseTableName = "book"
    static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("isbn")] }
  }

  @Test func `R118: a record that does not fit the database is refused by name`() throws {
    let library = try Library()
    func failure(_ record: any ListedRecord.Type) -> OpenFailure? {
      do throws(StoreError) {
        _ = try SQLiteStore(writer: library.writer, records: [record], options: .quiet)
        return nil
      } catch {
        guard case .cannotOpen(_, let failure) = error else { return nil }
        return failure
      }
    }
    let tables = ["author", "book", "device", "loan", "reading_log"]
    #expect(failure(Magazine.self) == .missingTable(entity: "magazine", similar: tables))
    #expect(
      failure(Subtitled.self)
        == .schemaMismatch(
          entity: "book",
          detail: "Subtitled needs a column subtitle, which it does not have"
        )
    )
    #expect(
      failure(Selecting.self)
        == .schemaMismatch(
          entity: "book",
          detail: "Selecting cannot be fetched: no such column: isbn"
        )
    )
  }

  /// A record of a view.
  private struct Summary: Codable, Hashable, FetchableRecord, TableRecord {
    var author: String
    var count: Int
    static let databaseTableName = "summary"
  }

  @Test func `R118: a view can be listed`() async throws {
    let library = try Library()
    try await library.writer.write { database in
      try database.execute(
        sql: """
          CREATE VIEW summary AS SELECT name AS author, count(book.id) AS count
          FROM author LEFT JOIN book ON authorId = author.id GROUP BY author.id
          """
      )
    }
    let store = try library.open([Summary.self])
    let summaries = try objects(RecordRequest<Summary>(sortedBy: ["author"]), store)
    #expect(summaries.map(\.author) == ["Stephen", "Umberto", "Ursula"])
    try store.close()
  }
}
