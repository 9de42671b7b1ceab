package import ResultsDomain

/// A foreign key of a table, as the database reports it.
package struct ForeignKeyShape: Hashable, Sendable {
  /// The schema of the table that it references; `nil` where a database has only one.
  package let schema: String?
  /// The table that it references.
  package let table: String
  package var columns: [String]
  /// The columns it references; empty for the primary key.
  package var targets: [String]
  /// What happens when the referenced row is deleted.
  package let action: ReferentialAction

  package init(
    schema: String? = nil,
    table: String,
    columns: [String] = [],
    targets: [String] = [],
    action: ReferentialAction
  ) {
    (self.schema, self.table) = (schema, table)
    (self.columns, self.targets) = (columns, targets)
    self.action = action
  }
}

/// What a database does when a referenced row is deleted, as SQL spells it.
package enum ReferentialAction: String, Sendable {
  case noAction = "NO ACTION"
  case restrict = "RESTRICT"
  case setNull = "SET NULL"
  case setDefault = "SET DEFAULT"
  case cascade = "CASCADE"

  /// The action that enforces a delete rule.
  package init(of rule: DeleteRule) {
    self =
      switch rule {
      case .none: .noAction
      case .deny: .restrict
      case .nullify: .setNull
      case .cascade: .cascade
      }
  }

  /// The delete rule that does the same.
  package var rule: DeleteRule {
    switch self {
    case .noAction, .setDefault: .none
    case .restrict: .deny
    case .setNull: .nullify
    case .cascade: .cascade
    }
  }

  /// The only delete rule besides none with which the action agrees; `nil` if the database only refuses deletes, as every rule permits.
  fileprivate var demandedRule: DeleteRule? {
    switch self {
    case .noAction, .restrict: nil
    // There is no such rule, so only the one that does nothing fits.
    case .setNull, .setDefault, .cascade: rule
    }
  }

  /// Whether the action never contradicts what a delete rule has done before.
  func agrees(with rule: DeleteRule) -> Bool {
    rule == .none || demandedRule.map { $0 == rule } ?? true
  }
}
