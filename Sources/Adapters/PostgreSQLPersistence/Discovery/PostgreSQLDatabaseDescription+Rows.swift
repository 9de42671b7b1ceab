#if PostgreSQL
public import ResultsDomain

extension PostgreSQLDatabaseDescription {
  /// The most rows of a table that are counted where the server knows no number.
  private static let countedRows = 10_000
  /// The number of rows that travel at once.
  private static let batch = 500
  /// The most bytes of values that are held.
  private static let byteLimit = 1 << 28

  /// A value that no attribute has.
  private struct Unreadable: Error {
    let attribute: Int
    let row: Int64
  }

  /// Reads all rows of a table or view that has an `unidentifiedEntity`, in one version of the database.
  /// - Parameters:
  ///   - table: The table or view.
  ///   - limit: The most rows to hold. Their values take at most 256 MB.
  /// - Returns: The values of that entity's attributes, by rows; none for any other table. `nil` if there are more.
  /// - Throws: As the description, and `StoreError.unexpectedValue` for a value that no attribute has, such as an infinite date.
  /// - Complexity: O(*n*) in the rows, which are held in memory.
  public func unidentifiedRows(
    of table: PostgreSQLTableDescription,
    limit: Int = 1_000_000
  ) throws(StoreError) -> [[Value]]? {
    guard let entity = table.unidentifiedEntity else { return [] }
    let shape = table.shape
    let columns = entity.attributes.compactMap { attribute in
      shape.column(named: attribute.name).flatMap { column in
        (try? ColumnTypes.coding(of: attribute, in: column)).map { EntityTable.Column(column, $0) }
      }
    }
    let names = columns.map(\.sql).joined(separator: ", ")
    return try request.connected { (connection, path) throws(StoreError) in
      do {
        _ = try connection.run(
          connection.opening("REPEATABLE READ READ ONLY") + [
            Statement(
              "DECLARE results_rows NO SCROLL CURSOR FOR SELECT \(names) FROM \(shape.quotedName)",
              isPrepared: false
            )
          ]
        )
        var (rows, bytes): ([[Value]], Int) = ([], 0)
        while true {
          let found = try connection.runOnce(
            "FETCH FORWARD \(PostgreSQLDatabaseDescription.batch) FROM results_rows"
          )
          for row in 0..<found.count {
            let values = try columns.enumerated().map { index, column throws(Unreadable) in
              guard !found.isNull(row, index) else { return Value.null }
              bytes += found.bytes(row, index).count
              guard let value = found.value(row, index, column.coding) else {
                throw Unreadable(attribute: index, row: Int64(rows.count + 1))
              }
              return value
            }
            guard rows.count < limit, bytes < PostgreSQLDatabaseDescription.byteLimit else {
              return nil
            }
            rows.append(values)
          }
          guard found.count == PostgreSQLDatabaseDescription.batch else { break }
        }
        _ = try connection.run([Connection.commit])
        return rows
      } catch let failure as PostgreSQLFailure {
        throw failure.storeError(path: path, waited: request.timeLimit)
      } catch let unreadable as Unreadable {
        let name = entity.attributes[unreadable.attribute].name
        throw .unexpectedValue(
          ObjectID(entity: entity.name, key: .integer(unreadable.row)),
          what: name
        )
      } catch {
        throw .unexpected(path: path, detail: "\(error)")
      }
    }
  }

  /// The numbers of rows, by table.
  ///
  /// They are estimates of the server, which counts rows when it analyzes a table. Small tables that it has not analyzed are counted.
  /// - Parameter timeLimit: How long rows may be counted in all.
  /// - Returns: The numbers in the order of the tables; `nil` for a view, and where none is known.
  /// - Throws: As the description.
  /// - Complexity: O(*n*) in the tables; at most 10,000 rows of each are counted.
  package func numbersOfRows(timeLimit: Duration) throws(StoreError) -> [RowCount?] {
    var request = request
    request.timeLimit = min(timeLimit, request.timeLimit)
    let deadline = ContinuousClock.now + request.timeLimit
    return try request.connected { (connection, _) throws(StoreError) in
      tables.map { table in
        if let count = table.estimatedRowCount { return RowCount(count, isEstimated: true) }
        let isListed = (try? table.entity.get()) != nil || table.unidentifiedEntity != nil
        guard isListed, [.table, .partitioned, .materialized].contains(table.kind),
          ContinuousClock.now < deadline, connection.isUsable
        else { return nil }
        let limit = PostgreSQLDatabaseDescription.countedRows
        let found = try? connection.runOnce(
          "SELECT count(*) FROM (SELECT FROM \(table.shape.quotedName) LIMIT \(limit + 1)) AS rows"
        )
        guard let count = found?.integer(0, 0), count <= limit else { return nil }
        return RowCount(Int(count))
      }
    }
  }
}
#endif
