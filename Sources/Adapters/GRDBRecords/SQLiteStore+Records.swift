public import GRDB
public import ResultsDomain
import ResultsStoreKit
public import SQLitePersistence

extension SQLiteStore {
  /// Opens an application's GRDB database for lists of its records.
  ///
  /// ```swift
  /// let store = try SQLiteStore(writer: pool, records: [Author.self, Book.self])
  /// ```
  ///
  /// Each record is described from its table, so that the types need no schema. Name the records of every table that a list reads,
  /// related ones included. What the application writes through the writer is followed row by row; what others write is found by
  /// comparison, or row by row with the option `maintainsChangeLog`. Nothing is added to the database without that option.
  ///
  /// One row of each table is fetched as the application fetches it, so that a record which does not fit its table is refused here.
  /// - Parameters:
  ///   - writer: The application's `DatabasePool` or `DatabaseQueue`; closing the store leaves it open.
  ///   - records: The types of the records.
  ///   - options: How the database is opened; tables are never created.
  /// - Throws: `StoreError.cannotOpen` with `OpenFailure.missingTable` for a record without a table, or `OpenFailure.schemaMismatch` for
  ///   a column that the record needs and the table does not have, or a table whose rows cannot be identified.
  /// - Complexity: O(*n*) in the tables and their columns, and a bounded sample of rows of each; a view is read as a whole.
  public convenience init(
    writer: any DatabaseWriter,
    records: [any ListedRecord.Type],
    options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws(StoreError) {
    let forms = RecordForms(records)
    let database = try DatabaseDescription(
      of: writer,
      views: records.map { $0.databaseTableName },
      form: forms.form
    )
    var entities: [EntityDescription] = []
    for record in records {
      let entity = try database.entity(of: record)
      if !entities.contains(where: { $0.name == entity.name }) { entities.append(entity) }
    }
    for record in records { try SQLiteStore.check(record, in: writer) }
    try self.init(discovered: database, in: writer, entities: entities, options: options)
  }

  /// Returns the entity that a record's table is.
  /// - Throws: `StoreError.unknownEntity` if the store was not opened with the record.
  /// - Complexity: O(*n*) in the store's entities.
  public func entity(of record: any TableRecord.Type) throws(StoreError) -> EntityDescription {
    let name = record.databaseTableName
    let entity =
      entities.first { $0.name == name }
      ?? entities.first { $0.name.lowercased() == name.lowercased() }
    guard let entity else { throw .unknownEntity(name, known: entities.map(\.name)) }
    return entity
  }

  /// Fetches one row as the application does, and refuses a record that needs a column which the table does not have.
  private static func check<Record: ListedRecord>(
    _ record: Record.Type,
    in writer: any DatabaseWriter
  ) throws(StoreError) {
    func refusal(_ detail: String) -> StoreError {
      .cannotOpen(
        path: writer.path,
        .schemaMismatch(entity: record.databaseTableName, detail: detail)
      )
    }
    do {
      try writer.read { _ = try record.fetchOne($0) }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      throw refusal("\(record) cannot be fetched: \(error.message ?? "no message")")
    } catch let error as DatabaseError {
      throw .inputOutput(path: writer.path, detail: error.message ?? "no message")
    } catch {
      // A value that does not fit concerns its row only.
      guard let failure = RecordDecodingFailure(error, columns: []), failure.isMissing else {
        return
      }
      throw refusal("\(record) needs a column \(failure.column), which it does not have")
    }
  }
}

extension DatabaseDescription {
  /// The entity of a record's table.
  /// - Throws: `StoreError.cannotOpen` if there is no such table, or its rows cannot be listed.
  fileprivate func entity(of record: any TableRecord.Type) throws(StoreError) -> EntityDescription {
    let name = record.databaseTableName
    guard let table = table(named: name) else {
      throw .cannotOpen(path: path, .missingTable(entity: name, similar: names(near: name)))
    }
    switch table.entity {
    case .success(let entity): return entity
    case .failure(let refusal):
      throw .cannotOpen(
        path: path,
        .schemaMismatch(entity: name, detail: refusal.description)
      )
    }
  }
}
