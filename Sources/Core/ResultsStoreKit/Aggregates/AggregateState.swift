public import ResultsDomain

/// The state of an aggregate over some rows, to which rows can be added and from which rows can be removed.
///
/// States are exact and independent of the order of rows: integers are summed in 128 bits, reals in an `ExactRealSum`.
public enum AggregateState: Hashable, Sendable {
  /// The number of values.
  case count(Int)
  /// The sum of a number of integers.
  case integerSum(Int128, of: Int)
  /// The sum of a number of reals.
  case realSum(ExactRealSum, of: Int)
  /// The smallest value, or null if there is none.
  case minimum(Value)
  /// The largest value, or null if there is none.
  case maximum(Value)
}

extension AggregateState {
  /// Creates the state over no rows.
  public init(_ function: FetchAggregate.Function, of type: AttributeType) {
    switch function {
    case .count: self = .count(0)
    case .sum:
      self = type.storage == .real ? .realSum(ExactRealSum(), of: 0) : .integerSum(0, of: 0)
    case .minimum: self = .minimum(.null)
    case .maximum: self = .maximum(.null)
    }
  }

  /// Adds a row's value; null changes nothing.
  /// - Complexity: O(1), and O(*n*) in the bytes of a text.
  public mutating func add(_ value: Value) {
    guard !value.isNull else { return }
    switch self {
    case .count(let count): self = .count(count + 1)
    case .integerSum(let sum, let count):
      guard let integer = value.integer else { return }
      self = .integerSum(sum &+ Int128(integer), of: count + 1)
    case .realSum(var sum, let count):
      guard let real = value.double else { return }
      self = .count(0)  // Leaves the sum with one owner, so that it is mutated in place.
      sum.add(real)
      self = .realSum(sum, of: count + 1)
    case .minimum(let known):
      if known.isNull || Value.compare(value, known) == .ascending { self = .minimum(value.plain) }
    case .maximum(let known):
      if known.isNull || Value.compare(value, known) == .descending { self = .maximum(value.plain) }
    }
  }

  /// Removes a row's value, which must have been added; null changes nothing.
  /// - Returns: Whether the state is still valid. It is not, and does not change, if the removed value is the minimum or
  ///   maximum itself.
  /// - Complexity: O(1), and O(*n*) in the bytes of a text.
  public mutating func remove(_ value: Value) -> Bool {
    guard !value.isNull else { return true }
    switch self {
    case .count(let count): self = .count(count - 1)
    case .integerSum(let sum, let count):
      guard let integer = value.integer else { return true }
      self = .integerSum(sum &- Int128(integer), of: count - 1)
    case .realSum(var sum, let count):
      guard let real = value.double else { return true }
      self = .count(0)
      sum.remove(real)
      self = .realSum(sum, of: count - 1)
    case .minimum(let known), .maximum(let known):
      return Value.compare(value, known) != .same
    }
    return true
  }

  /// Adds the rows of another state of the same aggregate, none of which are in this one.
  public mutating func merge(_ other: AggregateState) {
    switch (self, other) {
    case (.count(let left), .count(let right)): self = .count(left + right)
    case (.integerSum(let left, let count), .integerSum(let right, let others)):
      self = .integerSum(left &+ right, of: count + others)
    case (.realSum(var sum, let count), .realSum(let right, let others)):
      self = .count(0)
      sum.merge(right)
      self = .realSum(sum, of: count + others)
    case (_, .minimum(let value)), (_, .maximum(let value)): add(value)
    default: break
    }
  }

  /// The result of the aggregate as a value of a type.
  public func result(as type: AttributeType) -> AggregateValue {
    switch self {
    case .count(let count): return AggregateValue(.integer(Int64(count)), type)
    case .integerSum(let sum, let count):
      guard count > 0 else { return AggregateValue(.null, type) }
      guard let fitting = Int64(exactly: sum) else {
        return AggregateValue(.null, type, isOverflow: true)
      }
      return AggregateValue(.integer(fitting), type)
    case .realSum(let sum, let count):
      guard count > 0, let real = sum.value else { return AggregateValue(.null, type) }
      return AggregateValue(.real(real), type)
    case .minimum(let value), .maximum(let value): return AggregateValue(value, type)
    }
  }
}

extension Value {
  /// The value with negative zero replaced by zero, so that the order of rows does not matter.
  fileprivate var plain: Value {
    if case .real(let number) = self, number == 0 { .real(0) } else { self }
  }
}
