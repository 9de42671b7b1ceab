public import ResultsDomain

/// An account of the household; its balance is the sum of its transactions.
public struct Account: Entity {
  /// The key; the store assigns it.
  public var id: Int64?
  /// The name; accounts of several currencies can have the same one.
  public var name: String
  /// The code of its currency, which is that of its transactions; `nil` for the household's own one.
  public var currency: String?
  /// Whether it holds money or is a debt, as one of `kinds`; `nil` for money.
  public var kind: String?

  /// What an account can be.
  public static let kinds = ["asset", "liability"]

  /// An account without a key.
  public init(name: String, currency: String? = nil, kind: String? = nil) {
    (self.name, self.currency, self.kind) = (name, currency, kind)
  }

  /// An account without a name, to be filled from a row.
  public init() { self.init(name: "") }

  /// The transactions.
  public static let transactions = ToMany<Account, Transaction>(
    "transactions",
    inverse: Transaction.account
  )

  /// The sum of its transactions, as a value of an account in a list.
  public static let balance = FetchExpression.relatedAggregate(
    ["transactions"],
    .sum,
    .attribute("amount"),
    where: .all
  )

  /// The entity Account.
  public static let schema = EntitySchema<Account>("Account", identity: \.id) {
    Attribute(\.name, "name")
    Attribute(\.currency, "currency")
    Attribute(\.kind, "kind", as: .words(kinds))
    Relationship(transactions)
  }
}
