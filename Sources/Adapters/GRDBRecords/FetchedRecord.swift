public import GRDB
public import ResultsDomain

/// What a type needs to be listed: records of a GRDB application have all of it.
///
/// The record is decoded by its own `init(row:)`, from a row that has every column of the table under its name. A record that reads
/// columns by position is not supported.
public typealias ListedRecord = FetchableRecord & Sendable & TableRecord

/// A request of this package, where GRDB's protocol `FetchRequest` is imported too.
public typealias ListRequest = ResultsDomain.FetchRequest

/// A stored row of this package, where GRDB's class `Row` is imported too.
public typealias StoredRow = ResultsDomain.Row

/// A record of a list, with the identity of its row.
///
/// The record's properties are available on it directly: `try row.object.title`, or `row.title` on a row of a list.
@dynamicMemberLookup
public struct FetchedRecord<Record: ListedRecord>: FetchedObject {
  /// The identity of the record's row.
  public let objectID: ObjectID
  /// The record, as the application decodes it.
  public let record: Record

  /// Decodes a record from a row.
  ///
  /// An `init(row:)` of the application that traps on a value, as `row["title"]` does, traps here too. The one that GRDB derives from
  /// `Codable` throws.
  /// - Throws: `RowError` with the row's identity and the column that the record cannot decode.
  /// - Complexity: That of the record's `init(row:)`, and O(*n*) in the columns.
  public init(row: StoredRow) throws(RowError) {
    objectID = row.id
    let values = row.databaseValues
    let columns = GRDB.Row(values)
    do {
      record = try Record(row: columns)
    } catch {
      let name =
        RecordDecodingFailure(error, columns: columns.columnNames)?.column
        ?? (Record.self as? any (Decodable & FetchableRecord).Type)
        .flatMap { FetchedRecord.failingColumn(of: $0, in: values) }
        ?? "\(Record.self)"
      let column = row.columnName(of: name) ?? name
      throw RowError(id: row.id, attribute: column, value: row.value(ofColumn: column))
    }
  }

  private static func failingColumn<Other: Decodable & FetchableRecord>(
    of record: Other.Type,
    in values: [String: (any DatabaseValueConvertible)?]
  ) -> String? {
    RecordDecodingSearch<Other>(values: values).column()
  }

  /// A property of the record.
  public subscript<Member>(dynamicMember keyPath: KeyPath<Record, Member>) -> Member {
    record[keyPath: keyPath]
  }
}

extension FetchedRecord: Equatable where Record: Equatable {}
extension FetchedRecord: Hashable where Record: Hashable {}

extension ResultsDomain.Row {
  /// The values of all columns, with those of the key.
  fileprivate var databaseValues: [String: (any DatabaseValueConvertible)?] {
    var columns: [String: (any DatabaseValueConvertible)?] = [:]
    columns.reserveCapacity(values.count + 1)
    for (column, part) in zip(entity.identity.columns, id.key.parts) {
      columns[column] = part.databaseValue
    }
    for (attribute, value) in zip(entity.attributes, values) {
      columns[attribute.name] = value.databaseValue
    }
    return columns
  }

  /// The column that a property of a record names, possibly in another case or without the underscores of a naming strategy.
  fileprivate func columnName(of name: String) -> String? {
    let names = entity.attributes.map(\.name) + entity.identity.columns
    return names.first { $0 == name } ?? names.first { $0.looseName == name.looseName }
  }

  /// The value of a column, or null if there is none.
  fileprivate func value(ofColumn name: String) -> Value {
    if entity.index(of: name) != nil { return self[name] }
    let index = entity.identity.columns.firstIndex(of: name)
    return index.map { id.key.parts[$0] } ?? .null
  }
}
