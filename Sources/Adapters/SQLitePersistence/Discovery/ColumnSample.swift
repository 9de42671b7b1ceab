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
  /// The greatest length of a value that is made or loaded, where whole rows are read and where one column is.
  private static let rowLimit: Int32 = 64 << 10, columnLimit: Int32 = 1 << 20
  /// The number of bytes after which no further row is read.
  private static let byteLimit = 16 << 20

  /// The number of texts that begin like a JSON object or array.
  private var jsonBeginnings = 0

  /// Whether all values are texts that begin like JSON objects or arrays.
  var beginsLikeJSON: Bool { texts > 0 && texts == count && jsonBeginnings == texts }

  /// Whether there are values of several classes.
  var isMixed: Bool { [integers + reals, texts, blobs].count { $0 > 0 } > 1 }

  /// The number of values.
  var count: Int { integers + reals + texts + blobs }

  /// Samples the first and the last rows of a table or view.
  ///
  /// A long value is neither made nor loaded: where a row has one, the columns are sampled one by one, and of a column with long values
  /// only the classes are read. Of a calculated column that fails in a row nothing is known.
  /// - Returns: One sample for each column.
  static func samples(
    of shape: TableShape,
    _ kind: TableDescription.Kind,
    on database: Database
  ) throws -> [ColumnSample] {
    let names = shape.columns.map(\.name.quotedIdentifier)
    if let samples = try samples(of: names, shape, kind, limit: rowLimit, on: database) {
      return samples
    }
    return try names.map { name in
      let whole = try samples(of: [name], shape, kind, limit: columnLimit, on: database)
      if let sample = whole?.first { return sample }
      let classes = try samples(
        of: ["typeof(\(name))"],
        shape,
        kind,
        limit: columnLimit,
        on: database,
        areClasses: true
      )
      return classes?.first ?? ColumnSample()
    }
  }

  /// Samples some expressions; `nil` if a value is longer than the limit.
  private static func samples(
    of expressions: [String],
    _ shape: TableShape,
    _ kind: TableDescription.Kind,
    limit: Int32,
    on database: Database,
    areClasses: Bool = false
  ) throws -> [ColumnSample]? {
    var samples = [ColumnSample](repeating: ColumnSample(), count: expressions.count)
    let columns = expressions.joined(separator: ", ")
    let first = "SELECT \(columns) FROM main.\(shape.name.quotedIdentifier)"
    let taken = Set(shape.columns.map(\.name.caselessIdentifier))
    var statements = ["\(first) LIMIT \(size)"]
    if kind == .table, !shape.isWithoutRowNumber, !taken.contains(Array("rowid".utf8)) {
      statements.append("\(first) ORDER BY rowid DESC LIMIT \(size)")
    }
    do {
      try database.limitingValues(to: limit) {
        for text in statements {
          let statement = try PreparedStatement(uncached: text, on: database)
          defer { statement.reset() }
          var bytes = 0
          while bytes < byteLimit, try statement.step() {
            for index in samples.indices {
              bytes += samples[index].add(statement.pointer, Int32(index), isClass: areClasses)
            }
          }
        }
      }
    } catch {
      let code = SQLiteFailure(error)?.code
      let isCalculated = kind == .table && shape.isCalculated
      guard code == SQLITE_TOOBIG || code == SQLITE_ERROR && isCalculated else { throw error }
      return nil
    }
    return samples
  }

  /// Adds a value, or the name of a value's class.
  /// - Returns: The number of its bytes.
  private mutating func add(
    _ statement: OpaquePointer,
    _ column: Int32,
    isClass: Bool
  ) -> Int {
    guard !isClass else {
      switch Value(statement, column: column, storage: .text) {
      case "integer": integers += 1
      case "real": reals += 1
      case "text": texts += 1
      case "blob": blobs += 1
      default: break
      }
      return 0
    }
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: integers += 1
    case SQLITE_FLOAT: reals += 1
    case SQLITE_TEXT:
      texts += 1
      let first = sqlite3_column_text(statement, column)?.pointee
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { jsonBeginnings += 1 }
    case SQLITE_BLOB: blobs += 1
    default: return 0
    }
    let length =
      switch sqlite3_column_type(statement, column) {
      case SQLITE_TEXT, SQLITE_BLOB: Int(sqlite3_column_bytes(statement, column))
      default: 8
      }
    if length <= ColumnSample.longest {
      values.append(Value(statement, column: column, storage: .any))
    }
    return length
  }

  /// Whether the first texts of a column are JSON.
  func isJSON(
    _ column: TableShape.Column,
    of shape: TableShape,
    on database: Database
  ) throws -> Bool {
    let name = column.name.quotedIdentifier
    let valid = database.limitingValues(to: ColumnSample.columnLimit) {
      try? database.integer(
        """
        SELECT min(json_valid(value)) FROM (
          SELECT \(name) AS value FROM main.\(shape.name.quotedIdentifier)
          WHERE \(name) IS NOT NULL LIMIT \(ColumnSample.size)
        )
        """
      )
    }
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
      // What is declared as a boolean or a decimal and holds whole numbers is shown as it is stored.
      case .numeric where numbers >= texts && reals == 0: .integer64
      case .numeric where numbers >= texts, .real where numbers >= texts: .real
      default: .text
      }
    }
  }

  /// Whether the whole numbers of a column are stored as integers, as far as its type and the sample say.
  func showsIntegers(of column: TableShape.Column, in shape: TableShape) -> Bool {
    switch shape.affinity(of: column.name) {
    case .integer, .numeric: !shape.isStrict
    case .none: integers > 0
    case .real, .text: false
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
