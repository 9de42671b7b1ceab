public import ResultsDomain

/// One transaction of money; spending is negative.
public struct Transaction: Entity {
  /// The key; the store assigns it.
  public var id: Int64?
  /// The date.
  public var date: Instant
  /// The exact amount, with two decimal places.
  public var amount: ExactDecimal
  /// The person or shop that was paid, or that paid.
  public var payee: String
  /// The category.
  public var category: String
  /// A note.
  public var memo: String?
  /// The rank among the transactions of one date, if the user has moved some of them.
  public var position: Int64?
  /// The key of the account; transactions without one are those of one account without a name.
  public var accountID: Int64?
  /// The number that both sides of a transfer have, or the parts of one payment.
  public var transfer: Int64?

  /// The number of decimal places of an amount.
  public static let scale = 2

  /// A transaction without a key.
  public init(
    date: Instant,
    amount: ExactDecimal,
    payee: String,
    category: String,
    memo: String? = nil,
    accountID: Int64? = nil
  ) {
    self.date = date
    self.amount = amount
    self.payee = payee
    self.category = category
    self.memo = memo
    self.accountID = accountID
  }

  /// An empty transaction, to be filled from a row.
  public init() {
    self.init(
      date: Instant(microseconds: 0),
      amount: ExactDecimal(units: 0, scale: Self.scale),
      payee: "",
      category: ""
    )
  }

  /// The entity Transaction.
  ///
  /// The title of a day is computed by a grouping and never stored.
  public static let schema = EntitySchema<Transaction>("Transaction", identity: \.id) {
    Attribute(\.date, "date")
    Attribute(\.amount, "amount", scale: scale)
    Attribute(\.payee, "payee")
    Attribute(\.category, "category")
    Attribute(\.memo, "memo")
    Attribute(\.position, "position")
    Attribute(\.accountID, "accountID")
    Attribute(\.transfer, "transfer")
    Relationship(account)
  }

  /// The account; a transaction whose account is deleted has none.
  public static let account = ToOne<Transaction, Account>(
    "account",
    \.accountID,
    onDelete: .nullify
  )

  /// The order of the transactions of one date, which the user gives; new ones are first.
  public static let order = RankedOrder(\Transaction.position, within: \.date)
}
