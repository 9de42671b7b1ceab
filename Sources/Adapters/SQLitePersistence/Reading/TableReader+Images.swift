import CSQLiteHooks
import GRDB
import ResultsDomain

extension TableReader {
  /// The values of some rows, in the order in which their keys are asked, with `nil` where there is no row.
  ///
  /// Many keys that are row numbers are looked up by one statement, in their order, so that neighbours share pages. A text
  /// that is as it was before is not made again: of most changed rows only some values are other ones.
  /// - Parameters:
  ///   - keys: The rows' keys, each once.
  ///   - table: The table.
  ///   - earlier: What the row at some place of the keys was before, if that is known.
  /// - Returns: As many as there are keys.
  /// - Throws: `SQLiteFailure`.
  func images(
    of keys: [ObjectKey],
    in table: EntityTable,
    like earlier: (Int) -> [Value]?
  ) throws -> [[Value]?] {
    guard !keys.isEmpty else { return [] }
    var images = [[Value]?](repeating: nil, count: keys.count)
    guard keys.count > TableReader.sortingThreshold, table.isRowNumber else {
      let lookup = try RowLookup(table, on: database)
      for (place, key) in keys.enumerated() {
        images[place] = try lookup.values(of: key, like: earlier(place))
      }
      return images
    }
    let numbers = keys.map { key in
      if case .integer(let number) = key { number } else { nil as Int64? }
    }
    var places = numbers.indices.filter { numbers[$0] != nil }
    if !zip(places, places.dropFirst()).allSatisfy({ numbers[$0] ?? 0 <= numbers[$1] ?? 0 }) {
      places.sort { numbers[$0] ?? 0 < numbers[$1] ?? 0 }
    }
    let list = ValueList(columns: 1, keys: places.map { keys[$0] })
    try withExtendedLifetime(list) {
      try ConnectionFunctions.register(on: database)
      let statement = try PreparedStatement(table.selectListSQL, on: database)
      defer { statement.reset() }
      try list.bind(to: statement, at: 1)
      let row = RowColumns(table, in: statement, from: 1)
      while try statement.step() {
        let place = places[Int(sqlite3_column_int64(statement.pointer, 0))]
        images[place] = row.values(like: earlier(place))
      }
    }
    return images
  }
}

/// The columns of a statement that hold the attributes of a row.
struct RowColumns {
  private let statement: OpaquePointer
  private let storage: [StorageClass]
  private let first: Int

  init(_ table: EntityTable, in statement: PreparedStatement, from first: Int = 0) {
    self.statement = statement.pointer
    self.first = first
    storage = table.entity.attributes.map(\.type.storage)
  }

  /// The values of the row that the statement stands at; texts of `earlier` are taken instead of new ones with the same bytes.
  func values(like earlier: [Value]? = nil) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(storage.count)
    let known = earlier?.count == storage.count ? earlier : nil
    for index in storage.indices {
      let column = Int32(first + index)
      if case .text(let text) = known?[index], text.isColumn(column, of: statement) {
        values.append(.text(text))
      } else {
        values.append(Value(statement, column: column, storage: storage[index]))
      }
    }
    return values
  }
}

extension String {
  /// Whether a column of the row that a statement stands at is a text with the same bytes.
  fileprivate func isColumn(_ column: Int32, of statement: OpaquePointer) -> Bool {
    guard sqlite3_column_type(statement, column) == SQLITE_TEXT else { return false }
    let bytes = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return hasBytes(UnsafeBufferPointer(start: bytes, count: count))
  }
}
