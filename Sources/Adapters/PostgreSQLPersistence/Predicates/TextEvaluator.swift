#if PostgreSQL
import ResultsDomain
import SQLStoreSupport

/// Evaluates here what SQL cannot say exactly about texts, for each different text that the server has.
///
/// It reads in the caller's transaction, so that the results belong to the same version.
struct TextEvaluator {
  /// A function of texts that only this process has.
  enum Function: Hashable {
    case transform(TextTransform)
    case folding
    case matching(String, isFolding: Bool)
  }

  /// A function of an expression's texts.
  struct Purpose: Hashable {
    let table: Int
    let expression: FetchExpression
    let function: Function
  }

  let connection: Connection
  let tables: StoreTables
  /// The store's name for messages.
  let path: String

  /// Those texts of an expression for which a predicate is true, as an array.
  func texts(
    of expression: FetchExpression,
    in table: EntityTable,
    where predicate: (String) -> FetchPredicate
  ) throws(StoreError) -> Parameter {
    .texts(try texts(of: expression, in: table).filter { predicate($0).constant == true })
  }

  /// The values of a function for all texts of an expression, as the text of a JSON object.
  func map(
    of expression: FetchExpression,
    in table: EntityTable,
    _ value: (String) -> String
  ) throws(StoreError) -> Parameter {
    var json: [UInt8] = [UInt8(ascii: "{")]
    for (index, text) in try texts(of: expression, in: table).enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      TextEvaluator.append(text, to: &json)
      json.append(UInt8(ascii: ":"))
      TextEvaluator.append(value(text), to: &json)
    }
    json.append(UInt8(ascii: "}"))
    return Parameter(type: TypeNumber.text, bytes: json)
  }

  /// The table for folding letters on the server, or `nil` where it has no collation that is near enough.
  func folding() throws(StoreError) -> FoldingTable? {
    do {
      return try FoldingTable.find(on: connection)
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
  }

  /// The different texts of an expression in all rows of a table.
  private func texts(
    of expression: FetchExpression,
    in table: EntityTable
  ) throws(StoreError) -> [String] {
    let base = tables.find(table.entity) ?? table
    var sql = SQLText(reading: tables, self)
    let joined = try sql.joining(base, for: [expression], where: .all)
    sql.append("SELECT DISTINCT x COLLATE \"C\" FROM (SELECT ")
    try sql.append(expression, in: joined)
    sql.append(" AS x FROM ")
    sql.append(from: joined)
    sql.append(") texts WHERE x IS NOT NULL")
    do {
      let result = try connection.run([sql.statement])[0]
      return (0..<result.count).compactMap { result.text($0, 0) }
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
  }

  /// Appends a text as JSON has it (RFC 8259, 7).
  private static func append(_ text: String, to json: inout [UInt8]) {
    json.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        json += Array(("\\u00" + (byte < 16 ? "0" : "") + digits).utf8)
      default: json.append(byte)
      }
    }
    json.append(UInt8(ascii: "\""))
  }
}
#endif
