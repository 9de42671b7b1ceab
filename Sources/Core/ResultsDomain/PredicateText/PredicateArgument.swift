/// What a placeholder of a predicate's text stands for; it is never spliced into the text.
///
/// Literals make the argument that means what they say: `348` is the number 348, whatever the scale of the decimal it
/// is compared with.
public indirect enum PredicateArgument: Hashable, Sendable {
  /// A value as a store keeps it: for `%@`, or `%d`, `%f` and `%s` if it is of that kind.
  ///
  /// A decimal is given in its units and a date in microseconds; a text compared with a date is read as ISO 8601.
  case value(Value)
  /// A number, converted exactly to what it is compared with.
  case number(ExactDecimal)
  /// Several values: for `IN %@`, or two for `BETWEEN %@`.
  case list([PredicateArgument])
  /// Objects: for `SELF IN %@`.
  case identities(IdentitySet)
  /// The name of an attribute: for `%K`.
  case attribute(String)

  /// Several values as a store keeps them: for `IN %@`, or two for `BETWEEN %@`.
  public static func values(_ values: some Sequence<Value>) -> PredicateArgument {
    .list(values.map { .value($0) })
  }
}

extension PredicateArgument: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral
{
  /// A number.
  public init(integerLiteral value: Int64) { self = .number(ExactDecimal(units: value, scale: 0)) }
  /// A real.
  public init(floatLiteral value: Double) { self = .value(.real(value)) }
  /// A text.
  public init(stringLiteral value: String) { self = .value(.text(value)) }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .value(.integer(value ? 1 : 0)) }
  /// The absence of a value.
  public init(nilLiteral: ()) { self = .value(.null) }
  /// Several values.
  public init(arrayLiteral elements: PredicateArgument...) { self = .list(elements) }
}
