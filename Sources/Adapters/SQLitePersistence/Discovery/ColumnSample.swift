import CSQLiteHooks
import GRDB
import ResultsDomain

/// The values of a column in a sample of a table's rows.
struct ColumnSample {
  private(set) var integers = 0
  private(set) var reals = 0
  private(set) var texts = 0
  private(set) var blobs = 0
  /// The values that are no long texts or blobs, without nulls.
  private(set) var values: [Value] = []

  /// The number of rows that are read from either end of a table.
  private static let size = 100
  /// The greatest length of a value that is read, in bytes.
  private static let longest = 64

  /// The number of texts that begin like a JSON object or array.
  private var jsonBeginnings = 0

  /// Whether all values are texts that begin like JSON objects or arrays.
  var beginsLikeJSON: Bool { texts > 0 && texts == count && jsonBeginnings == texts }

  /// The number of values.
  var count: Int { integers + reals + texts + blobs }

  /// Samples the first and the last rows of a table or view.
  /// - Returns: One sample for each column.
  static func samples(
    of shape: TableShape,
    _ kind: TableDescription.Kind,
    on database: Database
  ) throws -> [ColumnSample] {
    var samples = [ColumnSample](repeating: ColumnSample(), count: shape.columns.count)
    let columns = shape.columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    let first = "SELECT \(columns) FROM main.\(shape.name.quotedIdentifier)"
    let taken = Set(shape.columns.map(\.name.caselessIdentifier))
    var statements = ["\(first) LIMIT \(size)"]
    if kind == .table, !shape.isWithoutRowNumber, !taken.contains(Array("rowid".utf8)) {
      statements.append("\(first) ORDER BY rowid DESC LIMIT \(size)")
    }
    for text in statements {
      let statement = try PreparedStatement(text, on: database)
      defer { statement.reset() }
      while try statement.step() {
        for index in samples.indices { samples[index].add(statement.pointer, Int32(index)) }
      }
    }
    return samples
  }

  private mutating func add(_ statement: OpaquePointer, _ column: Int32) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: integers += 1
    case SQLITE_FLOAT: reals += 1
    case SQLITE_TEXT:
      texts += 1
      let first = sqlite3_column_text(statement, column)?.pointee
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { jsonBeginnings += 1 }
    case SQLITE_BLOB: blobs += 1
    default: return
    }
    guard sqlite3_column_bytes(statement, column) <= ColumnSample.longest else { return }
    values.append(Value(statement, column: column, storage: .any))
  }

  /// Whether the first texts of a column are JSON.
  func isJSON(
    _ column: TableShape.Column,
    of shape: TableShape,
    on database: Database
  ) throws -> Bool {
    let name = column.name.quotedIdentifier
    let valid = try? database.integer(
      """
      SELECT min(json_valid(value)) FROM (
        SELECT \(name) AS value FROM main.\(shape.name.quotedIdentifier)
        WHERE \(name) IS NOT NULL LIMIT \(ColumnSample.size)
      )
      """
    )
    return valid == 1
  }

  /// The type that most values of a column have, or that its declaration suggests.
  func type(of column: TableShape.Column) -> AttributeType {
    let declared = String(decoding: column.declaredType.caselessIdentifier, as: UTF8.self)
    switch (integers + reals, texts, blobs) {
    case (0, 0, 0): return suggestion(declared, column.affinity)
    case (_, 0, 0):
      guard reals == 0, column.affinity != .real else { return .real }
      let isBoolean = declared.hasPrefix("bool") && values.allSatisfy { $0 == 0 || $0 == 1 }
      return isBoolean ? .boolean : .integer64
    case (0, 0, _): return .blob
    case (0, _, _): return .text
    case (let numbers, let texts, _):
      return switch column.affinity {
      case .integer where numbers >= texts: .integer64
      case .numeric where numbers >= texts, .real where numbers >= texts: .real
      default: .text
      }
    }
  }

  private func suggestion(_ declared: String, _ affinity: ColumnAffinity) -> AttributeType {
    switch affinity {
    case .integer: .integer64
    case .real: .real
    case .text: .text
    case .none: declared.contains("blob") ? .blob : .text
    case .numeric:
      if declared.hasPrefix("bool") {
        .boolean
      } else if ["date", "time", "any", "json", "uuid"].contains(where: { declared.hasPrefix($0) })
      {
        .text
      } else {
        .real
      }
    }
  }
}

extension AttributeType {
  /// Parses the name of a type that a store has recorded; `nil` for any other text.
  init?(description text: String) {
    let scale = text.hasPrefix("decimal(") ? Int(text.dropFirst(8).dropLast()) : nil
    let known: [AttributeType] = [
      .integer16, .integer32, .integer64, .boolean, .date, .real, .text, .blob,
    ]
    if let type = known.first(where: { $0.description == text }) {
      self = type
    } else if let scale, text == "decimal(\(scale))" {
      self = .decimal(scale: scale)
    } else {
      return nil
    }
  }
}
