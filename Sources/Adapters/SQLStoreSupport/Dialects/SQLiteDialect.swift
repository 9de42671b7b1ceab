package import ResultsDomain

/// SQLite's dialect, with the functions that `SQLitePersistence` registers on a connection.
package enum SQLiteDialect: SQLDialect {
  package static func truth(_ value: Bool) -> String { value ? "1" : "0" }

  package static func quoted(_ name: String) -> String { name.quoted(by: "\"") }

  package static func literal(_ text: String) -> String { text.quoted(by: "'") }

  /// The name with the letters A to Z in lowercase: SQLite treats names that differ only in their case as equal.
  package static func identifier(_ name: String) -> [UInt8] {
    name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
  }

  /// A call of a function, whose arguments are no constants.
  ///
  /// For a function with a constant argument SQLite keeps the other arguments of each call until the next row, in memory of its own: a
  /// thousand conditions would hold a thousand copies of a long text. What `results_operand` and `results_pattern` return is no constant.
  package static func test(
    _ comparison: TextOperator,
    _ text: String,
    isFolding: Bool
  ) -> TextTest {
    let (function, kind): (String, PatternKind?) =
      switch comparison {
      case .beginsWith: ("results_begins", nil)
      case .contains: ("results_contains", nil)
      case .endsWith: ("results_ends", nil)
      case .like: ("results_like", .like)
      case .matches: ("results_matches", isFolding ? .foldingMatches : .matches)
      }
    return .condition(
      before: function + (isFolding ? "(results_folded(" : "("),
      between: (isFolding ? "), " : ", ") + (kind == nil ? "results_operand(" : "results_pattern("),
      constant: text,
      after: kind.map { ", \($0.rawValue)))" } ?? "))"
    )
  }

  /// What `results_pattern` compiles its argument for.
  package enum PatternKind: Int32, Sendable {
    case like = 0
    case matches = 1
    case foldingMatches = 2
  }
}
