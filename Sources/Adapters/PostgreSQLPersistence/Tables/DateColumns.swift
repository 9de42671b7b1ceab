#if PostgreSQL
import ResultsDomain

/// Checks whether the dates of an application's tables are in another unit than microseconds since 1970.
///
/// Only a `bigint` can be; the other types of dates say what they are.
struct DateColumns {
  private let table: EntityTable

  init(of table: EntityTable) { self.table = table }

  /// What is wrong with the dates of the first and last rows by key; `nil` if nothing is.
  func problem(on connection: Connection) throws(PostgreSQLFailure) -> String? {
    // What a store has created, or a form writes, is in its own unit.
    guard table.shape.format == nil else { return nil }
    let columns = table.entity.attributes.indices.filter { index in
      let attribute = table.entity.attributes[index]
      return attribute.type == .date && attribute.form == nil
        && table.attributeColumns[index].coding.kind == .integer(bytes: 8)
    }
    guard !columns.isEmpty else { return nil }
    let results = try connection.run(columns.map { statement(table.attributeColumns[$0]) })
    for (index, result) in zip(columns, results) {
      let numbers = (0..<result.count).compactMap { result.integer($0, 0) }
      if let problem = DateUnits.problem(table.entity.attributes[index].name, numbers) {
        return problem
      }
    }
    return nil
  }

  private func statement(_ column: EntityTable.Column) -> Statement {
    let ends = ["ASC", "DESC"].map { direction in
      let order = table.keyColumns.map { "\($0.sql) \(direction)" }.joined(separator: ", ")
      return """
        (SELECT \(column.sql) FROM \(table.quotedName) ORDER BY \(order) LIMIT \(DateUnits.sampleSize))
        """
    }
    return Statement(ends.joined(separator: " UNION ALL "), isPrepared: false)
  }
}
#endif
