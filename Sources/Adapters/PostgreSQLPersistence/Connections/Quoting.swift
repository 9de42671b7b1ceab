#if PostgreSQL
import SQLStoreSupport

extension Connection {
  /// A name in quotes, as a part of a statement.
  static func quoted(_ name: String) -> String { PostgreSQLDialect.quoted(name) }

  /// A text constant, as a part of a statement.
  static func literal(_ text: String) -> String { PostgreSQLDialect.literal(text) }
}
#endif
