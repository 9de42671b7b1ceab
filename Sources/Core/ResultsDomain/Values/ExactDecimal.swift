/// An exact decimal number: a whole number of units of 10^-scale.
///
/// `ExactDecimal(units: -348_000, scale: 2)` is -3480.00. A store holds the units at the scale that the attribute
/// declares, so order and sums are exact; no binary fractions are involved.
public struct ExactDecimal: Sendable {
  /// The number in units of 10^-scale.
  public var units: Int64
  /// The number of decimal places, 0 to 18.
  public var scale: Int

  /// Creates a number from units of 10^-scale.
  public init(units: Int64, scale: Int) {
    self.units = units
    self.scale = scale
  }

  /// Returns the number at another scale, or `nil` if it would lose digits or overflow.
  public func rescaled(to newScale: Int) -> ExactDecimal? {
    var units = units
    if newScale >= scale {
      for _ in scale..<newScale {
        let (product, overflow) = units.multipliedReportingOverflow(by: 10)
        guard !overflow else { return nil }
        units = product
      }
    } else {
      for _ in newScale..<scale {
        guard units % 10 == 0 else { return nil }
        units /= 10
      }
    }
    return ExactDecimal(units: units, scale: newScale)
  }
}

extension ExactDecimal: Hashable {
  /// Whether two numbers are equal, whatever their scales.
  public static func == (left: ExactDecimal, right: ExactDecimal) -> Bool {
    let (left, right) = (left.reduced, right.reduced)
    return left.units == right.units && left.scale == right.scale
  }

  /// Hashes the number independently of its scale.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(reduced.units)
    hasher.combine(reduced.scale)
  }

  private var reduced: ExactDecimal {
    guard units != 0 else { return ExactDecimal(units: 0, scale: 0) }
    var number = self
    while number.scale > 0, number.units % 10 == 0 {
      number.units /= 10
      number.scale -= 1
    }
    return number
  }
}

extension ExactDecimal: CustomStringConvertible {
  /// The number with a decimal point and all decimal places of its scale, such as `-3480.00`.
  public var description: String {
    guard scale > 0 else { return String(units) }
    let digits = String(units.magnitude)
    let padded = String(repeating: "0", count: max(0, scale + 1 - digits.utf8.count)) + digits
    return (units < 0 ? "-" : "") + padded.dropLast(scale) + "." + padded.suffix(scale)
  }

  /// Parses an optional sign, digits, and an optional decimal point with digits.
  ///
  /// Anything else, grouping separators included, gives `nil`; adapters handle localized forms.
  public init?(_ text: String) {
    var units: Int64 = 0
    var scale = 0
    var (digits, seenPoint) = (0, false)
    let bytes = Array(text.utf8)
    let isNegative = bytes.first == UInt8(ascii: "-")
    for byte in bytes.dropFirst(isNegative || bytes.first == UInt8(ascii: "+") ? 1 : 0) {
      if byte == UInt8(ascii: "."), !seenPoint, digits > 0 {
        seenPoint = true
        continue
      }
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let (shifted, overflow) = units.multipliedReportingOverflow(by: 10)
      let digit = Int64(byte - UInt8(ascii: "0"))
      let (sum, carry) = shifted.addingReportingOverflow(isNegative ? -digit : digit)
      guard !overflow, !carry else { return nil }
      units = sum
      digits += 1
      scale += seenPoint ? 1 : 0
    }
    guard digits > 0, scale <= 18, !(seenPoint && scale == 0) else { return nil }
    self.init(units: units, scale: scale)
  }
}
