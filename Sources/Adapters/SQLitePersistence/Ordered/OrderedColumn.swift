import ResultsDomain

/// A column in which the keys of a list differ, in the list's order.
struct OrderedColumn: Sendable {
  /// How it is written in a key.
  let key: KeyColumn
  /// Its name, as SQLite tells names apart.
  let identifier: [UInt8]
  /// Its name in quotes, with the collation of bytes where it holds texts; or the expression that it is computed by.
  let sql: String
  /// Whether its table lets it be null.
  let isNullable: Bool
  /// Whether SQLite makes a text of a number that it is compared with.
  let hasTextAffinity: Bool
  /// Whether it is computed.
  var isExpression = false

  /// The column in `ORDER BY`; nulls stand where an index has them.
  var orderSQL: String { key.isDescending ? sql + " DESC" : sql }
}

/// What a column of a list's keys adds to their order.
enum OrderedRole: Sendable {
  /// It is one of the columns in which keys differ.
  case varies(Int)
  /// The predicate lets it have one value only, whose bytes these are.
  case fixed([UInt8])
  /// It holds the value of one of the columns in which keys differ once more.
  case repeats(Int)
}
