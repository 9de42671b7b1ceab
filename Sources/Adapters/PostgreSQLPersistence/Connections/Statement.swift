#if PostgreSQL
/// A statement with its parameters.
struct Statement: Hashable, Sendable {
  /// What a statement does with the transaction; no decision depends on its text.
  enum Kind: Hashable, Sendable {
    /// Nothing.
    case query
    /// It begins one.
    case begin(Mode)
    /// It ends the transaction with its changes.
    case commit
    /// It takes the changes back, all of them or those since a savepoint.
    case rollback
  }

  /// The isolation of a transaction, and whether it only reads.
  enum Mode: String, Hashable, Sendable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
    /// One version, and no changes.
    case reading = "REPEATABLE READ READ ONLY"
  }

  /// How the server may plan a statement.
  enum Planning: Hashable, Sendable {
    /// As it finds best.
    case usual
    /// By an index alone, if one can answer.
    case ordered
    /// Either way; the plan is the same.
    case either
  }

  /// The text, with `$1`, `$2`, … for the parameters.
  let text: String
  let parameters: [Parameter]
  /// What it does with the transaction.
  let kind: Kind
  /// Whether the statement is prepared once for the connection; texts that hardly recur are not.
  var isPrepared: Bool
  var planning: Planning

  /// Creates a statement that neither begins nor ends a transaction.
  init(
    _ text: String,
    _ parameters: [Parameter] = [],
    isPrepared: Bool = true,
    planning: Planning? = nil
  ) {
    self.text = text
    self.parameters = parameters
    kind = .query
    self.isPrepared = isPrepared
    self.planning = planning ?? (Statement.isPlanned(text) ? .usual : .either)
  }

  private init(_ kind: Kind, _ text: String) {
    self.text = text
    self.kind = kind
    parameters = []
    isPrepared = true
    planning = .either
  }

  /// The statement that begins a transaction.
  static func begin(_ mode: Mode) -> Statement {
    Statement(.begin(mode), "BEGIN ISOLATION LEVEL \(mode.rawValue)")
  }

  /// The statement that ends a transaction with its changes.
  static let commit = Statement(.commit, "COMMIT")

  /// The statement that ends a transaction without its changes.
  static let rollback = Statement(.rollback, "ROLLBACK")

  /// The statement that takes back the changes since a savepoint.
  static func rollback(to savepoint: String) -> Statement {
    Statement(.rollback, "ROLLBACK TO \(savepoint)")
  }

  /// The statement, not prepared.
  var unprepared: Statement {
    var statement = self
    statement.isPrepared = false
    return statement
  }

  /// Whether the server plans a statement; others, such as `LOCK TABLE`, must not be preceded by one that takes a snapshot.
  private static func isPlanned(_ text: String) -> Bool {
    let verbs = ["SELECT", "(", "WITH", "INSERT", "UPDATE", "DELETE", "DECLARE"]
    return verbs.contains(where: text.hasPrefix)
  }
}

extension [Statement] {
  /// Removes what ends the transaction before this one, which must not be repeated.
  mutating func removeEndOfLastTransaction() {
    if let end = lastIndex(where: { $0.kind == .commit }) { removeSubrange(...end) }
  }
}
#endif
