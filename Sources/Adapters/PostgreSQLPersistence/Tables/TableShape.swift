#if PostgreSQL
import ResultsDomain
import SQLStoreSupport

/// A table as the server's catalog describes it.
struct TableShape: Hashable, Sendable {
  /// A column of the table.
  struct Column: Hashable, Sendable {
    let name: String
    /// The column's number in `pg_attribute`.
    let number: Int
    /// The type's number in `pg_type`; of a domain, that of its base type.
    let type: UInt32
    /// The type in SQL, as `numeric(12,2)`.
    let typeText: String
    /// The type's modifier, or -1 (`pg_attribute.atttypmod`).
    let modifier: Int
    /// Whether it cannot be null.
    let isRequired: Bool
    /// Whether the database calculates it (`GENERATED ALWAYS AS … STORED`).
    let isGenerated: Bool
    /// Whether it has a default, or is an identity column.
    let hasDefault: Bool
    /// Whether its collation is `C`, or it has none.
    let sortsByBytes: Bool
    /// Whether its collation finds texts with different bytes equal.
    let isNondeterministic: Bool
    /// Whether the type is an enumeration.
    let isEnumeration: Bool
    /// The sequence that gives its values, in SQL, or `nil`.
    let sequence: String?
    /// Whether an explicit value needs `OVERRIDING SYSTEM VALUE` (`GENERATED ALWAYS AS IDENTITY`).
    var isAlwaysIdentity = false
    /// What a store has recorded about the column, such as `decimal(2)`; `nil` for a column of an application.
    var record: String?
    /// Whether this user may read it.
    var isReadable = true
    /// Whether it is read as the text that the server writes for its values, because no attribute has values of its type.
    var readsAsText = false
    /// Whether a stored value that no attribute has is read as the nearest one that there is (`ColumnCoding.isLenient`).
    var isLenient = false
  }

  /// The number of the table in `pg_class`.
  let number: UInt32
  let schema: String
  let name: String
  /// `r` for a table, `p` for a partitioned one, `v`, `m` and `f` for views and foreign tables (`pg_class.relkind`).
  let kind: String
  var columns: [Column]
  /// The names of the primary key's columns, in their order; empty without one.
  let primaryKey: [String]
  /// Whether the primary key's check can be deferred.
  let isKeyDeferrable: Bool
  var foreignKeys: [ForeignKeyShape] = []
  /// The columns of each index that has all rows; an empty name stands for an expression.
  var indexes: [[String]] = []
  /// The columns of each unique index that has all rows and is checked at once; an empty name stands for an expression.
  var uniqueIndexes: [[String]] = []
  /// Whether row security hides rows from this user.
  var hidesRows = false
  /// Whether this user may read it.
  var isReadable = true
  /// Whether other tables inherit from it.
  var hasHeirs = false
  /// The version of the format if a store created the table, or `nil`.
  var format: Int?
  /// About how many rows it has, as the server has last counted them; `nil` if it has not.
  var estimatedRows: Int?
  /// Whether it has rows that can be read: not so a materialized view that was never refreshed.
  var isFilled = true

  /// The table's name with its schema, quoted.
  var quotedName: String { Connection.quoted(schema) + "." + Connection.quoted(name) }

  /// The columns of each unique index by which every row is found: all are required, and none is an expression.
  var uniqueKeys: [[String]] {
    uniqueIndexes.filter { names in
      names.allSatisfy { column(named: $0)?.isRequired == true }
    }
  }

  /// Whether a column belongs to a key, or refers to one, so that its values are those of identities.
  func identifies(by name: String) -> Bool {
    ([primaryKey] + uniqueKeys + foreignKeys.map(\.columns))
      .contains { $0.contains { $0.hasSameBytes(as: name) } }
  }

  /// The column of a name, compared by bytes.
  func column(named name: String) -> Column? {
    columns.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}
#endif
