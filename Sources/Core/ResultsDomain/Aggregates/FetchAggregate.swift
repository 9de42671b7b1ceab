/// What is worked out of many rows at once: a count, a sum, the smallest or the largest value of an expression (R78).
///
/// Rows where the expression is null do not take part, as in SQL. An average is a sum and a count, which the reader
/// divides and rounds as it likes.
public struct FetchAggregate: Hashable, Sendable {
  /// How values are gathered.
  public enum Function: String, Hashable, Sendable, CaseIterable {
    /// How many values there are.
    case count
    /// What they come to together, exactly.
    case sum
    /// The smallest of them.
    case minimum
    /// The largest of them.
    case maximum
  }

  /// How values are gathered.
  public let function: Function
  /// What is gathered.
  public let expression: FetchExpression

  /// An aggregate of an expression.
  public init(_ function: Function, of expression: FetchExpression) {
    self.function = function
    self.expression = expression
  }

  /// How many rows have a value of an attribute.
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

  /// The type of what comes out.
  ///
  /// A count, and a sum of whole numbers or truth values, is an `integer64`; a sum of exact decimals has their scale.
  /// - Throws: `RequestError.unknownAttribute` for an attribute the entity does not have,
  ///   `RequestError.notSummable` for a sum of dates, texts or bytes, and what the expression itself is refused for.
  public func type(in entity: EntityDescription) throws(RequestError) -> AttributeType {
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
  /// The type of plain values of a storage class.
  fileprivate init(of storage: StorageClass) {
    self =
      switch storage {
      case .integer: .integer64
      case .real: .real
      case .text: .text
      case .blob: .blob
      }
  }
}

// MARK: - Result

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
