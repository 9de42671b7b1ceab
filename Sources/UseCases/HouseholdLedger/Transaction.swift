public import ResultsDomain

/// One movement of money; spending is negative.
public struct Transaction: Entity {
  /// The key, which the store assigns.
  public var id: Int64?
  /// When it happened.
  public var date: Instant
  /// How much, exactly, with two places.
  public var amount: ExactDecimal
  /// Who was paid, or paid.
  public var payee: String
  /// What for.
  public var category: String
  /// What else there is to say.
  public var memo: String?

  /// How many places an amount has.
  public static let scale = 2

  /// A movement without a key yet.
  public init(
    date: Instant,
    amount: ExactDecimal,
    payee: String,
    category: String,
    memo: String? = nil
  ) {
    self.date = date
    self.amount = amount
    self.payee = payee
    self.category = category
    self.memo = memo
  }

  /// A movement to be filled from a row.
  public init() {
    self.init(
      date: Instant(microseconds: 0),
      amount: ExactDecimal(units: 0, scale: Self.scale),
      payee: "",
      category: ""
    )
  }

  /// The entity Transaction; the title of its day is computed by a grouping and never stored.
  public static let schema = EntitySchema<Transaction>("Transaction", identity: \.id) {
    Attribute(\.date, "date")
    Attribute(\.amount, "amount", scale: scale)
    Attribute(\.payee, "payee")
    Attribute(\.category, "category")
    Attribute(\.memo, "memo")
  }
}
