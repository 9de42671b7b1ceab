import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// A text that becomes an object of its own: files of the earlier version are converted when they are opened for writing.
@Suite struct AttributeReplacementTests {
  private static let earlier = Sample.entity(
    "Novel",
    .integer(),
    [
      AttributeDescription("title", .text), AttributeDescription("writer", .text, isOptional: true),
      AttributeDescription("year", .integer64, isOptional: true),
    ]
  )
  private static let writer = Sample.entity(
    "Writer",
    .integer(),
    [AttributeDescription("name", .text)]
  )
  private static let novel = Sample.related(
    "Novel",
    [
      AttributeDescription("title", .text),
      AttributeDescription("writerID", .integer64, isOptional: true),
      AttributeDescription("year", .integer64, isOptional: true),
    ],
    [
      RelationshipDescription("writer", .toOne(foreignKey: ["writerID"]), onDelete: .nullify) {
        writer
      }
    ]
  )
  private static let replacement = AttributeReplacement(
    of: "writer",
    in: "Novel",
    by: [
      "INSERT INTO Writer (name) SELECT DISTINCT writer FROM Novel WHERE writer IS NOT NULL",
      "UPDATE Novel SET writerID = (SELECT id FROM Writer WHERE name = writer)",
    ]
  )

  private let folder: TemporaryFolder

  /// Makes a file of the earlier version.
  init() throws {
    folder = try TemporaryFolder()
    let store = try SQLiteStore(at: folder.file(), entities: [Self.earlier])
    let writers: [Value] = ["Eco", .null, "Lem", "Eco", ""]
    try store.write { transaction in
      for (year, writer) in writers.enumerated() {
        try transaction.insert(
          ["t", writer, .integer(Int64(year))],
          key: nil,
          into: Self.earlier
        )
      }
    }
    try store.close()
  }

  private func open(
    replacing replacements: [AttributeReplacement] = [replacement],
    _ change: (inout SQLiteStoreOptions) -> Void = { _ in }
  ) throws -> SQLiteStore {
    var options = SQLiteStoreOptions(busyTimeout: .seconds(30))
    options.attributeReplacements = replacements
    change(&options)
    return try SQLiteStore(
      at: folder.file(),
      entities: [Self.novel, Self.writer],
      options: options
    )
  }

  private func sql(_ query: String) throws -> String {
    let queue = try DatabaseQueue(path: folder.file())
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction { database in
      try String.fetchAll(database, sql: query).joined(separator: " ")
    }
  }

  private let novels =
    "SELECT year || ':' || ifnull((SELECT name FROM Writer WHERE id = writerID), '-') FROM Novel"

  @Test(arguments: [false, true])
  func `the values are moved once, and the attribute is removed with its index`(onlyReads: Bool)
    throws
  {
    _ = try sql("CREATE INDEX byWriter ON Novel (writer, title)")
    for _ in 0..<2 {
      let store = try open { $0.onlyReads = onlyReads }
      #expect(try store.allRows(of: Self.novel).count == 5)
      try store.close()
    }
    #expect(try sql(novels) == "0:Eco 1:- 2:Lem 3:Eco 4:")
    #expect(try sql("SELECT name FROM Writer ORDER BY name") == " Eco Lem")
    #expect(
      try sql("SELECT group_concat(name) FROM pragma_table_info('Novel')")
        == "id,title,year,writerID"
    )
    let indexes =
      "SELECT name FROM sqlite_master WHERE type = 'index' AND name NOT LIKE '\\_%' ESCAPE '\\'"
    #expect(try sql(indexes) == "NovelByWriterID")
  }

  @Test func `changes after the conversion are captured`() throws {
    let store = try open()
    let version = try store.currentVersion()
    #expect(try sql("UPDATE Writer SET name = 'Zola' WHERE name = 'Lem' RETURNING name") == "Zola")
    try store.checkForExternalChanges()
    let changes = try store.history(since: version, of: Self.writer).changes
    #expect(changes?.flatMap { $0.map { $0.after?.values } } == [["Zola"]])
    try store.close()
  }

  @Test func `processes that open the file at once convert it once`() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<6 {
        group.addTask {
          let store = try open()
          defer { try? store.close() }
          return try store.allRows(of: Self.writer).count
        }
      }
      for try await count in group { #expect(count == 3) }
    }
    #expect(try sql(novels) == "0:Eco 1:- 2:Lem 3:Eco 4:")
  }

  @Test func `a file that is open for reading only stays as it is, and says what to do`() throws {
    let before = try folder.bytes()
    let error = #expect(throws: StoreError.self) { try open { $0.isReadOnly = true } }
    guard case .cannotOpen(_, .earlierVersion("Novel", "writer")) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("Open it once for writing") == true)
    #expect(try folder.bytes() == before)
  }

  @Test func `a statement that fails leaves the file as it was`() throws {
    let failing = AttributeReplacement(
      of: "writer",
      in: "Novel",
      by: Self.replacement.statements + ["INSERT INTO Missing VALUES (1)"]
    )
    #expect(throws: StoreError.self) { try open(replacing: [failing]) }
    let earlier = try SQLiteStore(at: folder.file(), entities: [Self.earlier])
    #expect(try earlier.allRows(of: Self.earlier).count == 5)
    try earlier.close()
    #expect(try sql("SELECT name FROM sqlite_master WHERE name = 'Writer'") == "")
  }

  @Test func `without a replacement the file is refused`() throws {
    let other = AttributeReplacement(of: "year", in: "Novel", by: [])
    for replacements in [[], [other]] {
      let error = #expect(throws: StoreError.self) { try open(replacing: replacements) }
      #expect(error?.description.contains("writerID is new and writer is missing") == true)
    }
  }

  @Test func `an earlier version of the program is refused a converted file`() throws {
    try open().close()
    let before = try folder.bytes()
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore(at: folder.file(), entities: [Self.earlier])
    }
    #expect(error?.description.contains("writer is new and writerID is missing") == true)
    #expect(try folder.bytes() == before)
  }
}
