/// The value of a placeholder in a predicate's text, which is never inserted into the text.
///
/// An argument can be written as a literal: `348` is the number 348, whatever the scale of the decimal that it is compared
/// with.
public indirect enum PredicateArgument: Hashable, Sendable {
  /// A stored value: for `%@`, or for `%d`, `%f` and `%s` if it has that type.
  ///
  /// A decimal is given in units and a date in microseconds; text compared with a date is parsed as ISO 8601.
  case value(Value)
  /// A number, converted exactly to the type that it is compared with.
  case number(ExactDecimal)
  /// Several values: for `IN %@`, or two for `BETWEEN %@`.
  case list([PredicateArgument])
  /// Objects: for `SELF IN %@`.
  case identities(IdentitySet)
  /// The name of an attribute: for `%K`.
  case attribute(String)

  /// Several stored values: for `IN %@`, or two for `BETWEEN %@`.
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
