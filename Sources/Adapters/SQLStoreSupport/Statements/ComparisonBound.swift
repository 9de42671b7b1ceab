package import ResultsDomain

/// A comparison with a constant of the other side's own storage class, or a result for every value.
///
/// The operators of a database whose columns have types round where an integer meets a double, and know no text with a NUL. So the
/// constant is replaced here, and the comparison with it has the result of the evaluator (`CompiledPredicate`) exactly.
package enum ComparisonBound: Hashable {
  case value(ComparisonOperator, Value)
  case always(Bool)

  /// A comparison of the values of a storage class with a constant that is not null.
  package init(_ storage: StorageClass, _ comparison: ComparisonOperator, _ value: Value) {
    switch (storage, value) {
    case (.integer, .integer), (.blob, .blob), (.real, .real): self = .value(comparison, value)
    case (.integer, .real(let number)): self.init(integer: comparison, number)
    case (.real, .integer(let number)): self.init(real: comparison, number)
    case (.text, .text(let text)): self.init(text: comparison, text)
    default:
      // Values of different classes are in the order of their classes.
      self = .always(comparison.holds(storage.rank, value.storage?.rank ?? 0))
    }
  }

  /// A comparison of integers with a double.
  private init(integer comparison: ComparisonOperator, _ number: Double) {
    guard number < 0x1p63, number >= -0x1p63 else {
      let isAbove = number > 0
      switch comparison {
      case .equal: self = .always(false)
      case .notEqual: self = .always(true)
      case .less, .lessOrEqual: self = .always(isAbove)
      case .greater, .greaterOrEqual: self = .always(!isAbove)
      }
      return
    }
    let truncated = Int64(number)
    guard Double(truncated) != number else {
      self = .value(comparison, .integer(truncated))
      return
    }
    let floor = number < 0 ? truncated - 1 : truncated
    self.init(comparison, justAbove: .integer(floor))
  }

  /// A comparison of doubles with an integer.
  private init(real comparison: ComparisonOperator, _ number: Int64) {
    let nearest = Double(number)
    let order = Value.compare(.real(nearest), .integer(number))
    guard order != .same else {
      self = .value(comparison, .real(nearest))
      return
    }
    self.init(comparison, justAbove: .real(order == .ascending ? nearest : nearest.nextDown))
  }

  /// A comparison of texts without NUL with any text: one with a NUL is just after the bytes before it.
  private init(text comparison: ComparisonOperator, _ text: String) {
    guard text.hasZero else {
      self = .value(comparison, .text(text))
      return
    }
    self.init(comparison, justAbove: .text(text.beforeZero))
  }

  /// A comparison with a constant that is greater than a value of the storage class, and less than the next one.
  private init(_ comparison: ComparisonOperator, justAbove value: Value) {
    switch comparison {
    case .equal: self = .always(false)
    case .notEqual: self = .always(true)
    case .less, .lessOrEqual: self = .value(.lessOrEqual, value)
    case .greater, .greaterOrEqual: self = .value(.greater, value)
    }
  }
}

/// An exact comparison of an integer with a double: beyond 64 bits by the range, else with the double's whole part.
package struct WholePartComparison: Hashable {
  /// The function of the double whose result is compared with the integer.
  package enum Rounding: String {
    case floor, ceil
  }

  /// Whether the comparison holds for doubles above all integers.
  package let holdsAbove: Bool
  /// Whether the comparison holds for doubles below all integers.
  package let holdsBelow: Bool
  /// How the double is rounded; `nil` where one with a fraction is equal to no integer.
  package let rounding: Rounding?

  /// The comparison of an integer on the left with a double on the right.
  package init(_ comparison: ComparisonOperator) {
    switch comparison {
    case .equal: (holdsAbove, holdsBelow, rounding) = (false, false, nil)
    case .notEqual: (holdsAbove, holdsBelow, rounding) = (true, true, nil)
    // i < r just where i < ceil(r), and i <= r just where i <= floor(r).
    case .less: (holdsAbove, holdsBelow, rounding) = (true, false, .ceil)
    case .greaterOrEqual: (holdsAbove, holdsBelow, rounding) = (false, true, .ceil)
    case .lessOrEqual: (holdsAbove, holdsBelow, rounding) = (true, false, .floor)
    case .greater: (holdsAbove, holdsBelow, rounding) = (false, true, .floor)
    }
  }
}

extension ComparisonOperator {
  /// Whether the comparison holds for all values of two storage classes that are not compared as numbers, texts or bytes.
  package func holds(_ left: StorageClass, _ right: StorageClass) -> Bool {
    holds(left.rank, right.rank)
  }

  fileprivate func holds(_ left: Int, _ right: Int) -> Bool {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }
}

extension StorageClass {
  /// The position of values of the class among all values (`Value.compare`).
  fileprivate var rank: Int {
    switch self {
    case .integer, .real: 1
    case .text: 2
    case .blob, .any: 3
    }
  }
}

extension String {
  /// Whether the text has a NUL, which no text of PostgreSQL has.
  package var hasZero: Bool { utf8.contains(0) }

  /// The text before its first NUL.
  package var beforeZero: String {
    hasZero ? String(String.UnicodeScalarView(unicodeScalars.prefix { $0.value != 0 })) : self
  }
}
