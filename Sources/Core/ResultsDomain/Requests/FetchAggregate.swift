/// An aggregate of many rows: a count, a sum, the minimum or the maximum of an expression (R78).
///
/// Rows in which the expression is null, or for which its condition is not true, are ignored, as in SQL. For an average, divide a sum by a count and round as needed.
public struct FetchAggregate: Hashable, Sendable {
  /// An aggregate function.
  public enum Function: String, Hashable, Sendable, CaseIterable {
    /// The number of values.
    case count
    /// The exact sum of the values.
    case sum
    /// The smallest value.
    case minimum
    /// The largest value.
    case maximum
  }

  /// The aggregate function.
  public let function: Function
  /// The expression whose values are aggregated.
  public let expression: FetchExpression
  /// The condition of the rows that count, besides that of the list.
  public let predicate: FetchPredicate

  /// Creates an aggregate of an expression, over the rows for which a condition is true.
  public init(
    _ function: Function,
    of expression: FetchExpression,
    where predicate: FetchPredicate = .all
  ) {
    self.function = function
    self.expression = expression
    self.predicate = predicate
  }

  /// The same aggregate, over the rows for which another condition is true as well.
  public func matching(_ predicate: FetchPredicate) -> FetchAggregate {
    FetchAggregate(function, of: expression, where: self.predicate && predicate)
  }

  /// The number of rows in which an attribute is not null.
  public static func count(_ attribute: String) -> FetchAggregate {
    FetchAggregate(.count, of: .attribute(attribute))
  }

  /// The exact sum of an attribute's values.
  public static func sum(_ attribute: String) -> FetchAggregate {
    FetchAggregate(.sum, of: .attribute(attribute))
  }

  /// The smallest value of an attribute.
  public static func minimum(_ attribute: String) -> FetchAggregate {
    FetchAggregate(.minimum, of: .attribute(attribute))
  }

  /// The largest value of an attribute.
  public static func maximum(_ attribute: String) -> FetchAggregate {
    FetchAggregate(.maximum, of: .attribute(attribute))
  }

  /// The type of the result.
  ///
  /// A count, and a sum of integers or booleans, is an `integer64`; a sum of exact decimals has their scale.
  /// - Throws: `RequestError.unknownAttribute` for an attribute that the entity does not have,
  ///   `RequestError.notSummable` for a sum of dates, texts or blobs, or the expression's or the condition's own error.
  public func type(in entity: EntityDescription) throws(RequestError) -> AttributeType {
    try predicate.validate(in: entity)
    guard let storage = try expression.storage(in: entity) else {
      throw .alwaysNull(expression.description)
    }
    let type = expression.type(in: entity) ?? AttributeType(of: storage)
    switch function {
    case .count: return .integer64
    case .minimum, .maximum: return type
    case .sum:
      switch type {
      case .integer16, .integer32, .integer64, .boolean: return .integer64
      case .decimal, .real: return type
      case .date, .text, .blob: throw .notSummable(expression.description, type: type)
      }
    }
  }
}

extension AttributeType {
  /// The default type of a storage class.
  fileprivate init(of storage: StorageClass) {
    self =
      switch storage {
      case .integer: .integer64
      case .real: .real
      case .text, .any: .text
      case .blob: .blob
      }
  }
}

// MARK: - Result

/// The result of an aggregate.
public struct AggregateValue: Hashable, Sendable {
  /// The value; null if no row has one, or if the sum overflows.
  public let value: Value
  /// The type of the value.
  public let type: AttributeType
  /// Whether a sum exceeds 64 bits.
  ///
  /// The value is correct again as soon as the sum of the rows fits.
  public let isOverflow: Bool

  /// Creates a result.
  public init(_ value: Value, _ type: AttributeType, isOverflow: Bool = false) {
    self.value = value
    self.type = type
    self.isOverflow = isOverflow
  }

  /// The exact decimal, if the type is decimal and the value is not null.
  public var decimal: ExactDecimal? {
    guard case .decimal(let scale) = type, case .integer(let units) = value else { return nil }
    return ExactDecimal(units: units, scale: scale)
  }
}

extension AggregateValue: CustomStringConvertible {
  /// The value as machine text; `overflow` for a sum that does not fit, empty for null.
  public var description: String {
    if isOverflow { return "overflow" }
    return value.isNull ? "" : type.machineText(of: value)
  }
}
