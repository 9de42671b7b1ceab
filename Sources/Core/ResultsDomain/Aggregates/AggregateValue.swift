/// What an aggregate came to.
public struct AggregateValue: Hashable, Sendable {
  /// The value; null if no row had one, or if it is beyond what the type holds.
  public let value: Value
  /// The type of the value.
  public let type: AttributeType
  /// Whether a sum is beyond what 64 bits hold.
  ///
  /// It is right again as soon as the rows' sum fits.
  public let isOverflow: Bool

  /// What an aggregate came to.
  public init(_ value: Value, _ type: AttributeType, isOverflow: Bool = false) {
    self.value = value
    self.type = type
    self.isOverflow = isOverflow
  }

  /// The exact decimal, if that is its type and there is a value.
  public var decimal: ExactDecimal? {
    guard case .decimal(let scale) = type, case .integer(let units) = value else { return nil }
    return ExactDecimal(units: units, scale: scale)
  }
}

extension AggregateValue: CustomStringConvertible {
  /// The value as a machine reads it; `overflow` for a sum that does not fit, nothing where there is no value.
  public var description: String {
    if isOverflow { return "overflow" }
    return value.isNull ? "" : type.machineText(of: value)
  }
}
