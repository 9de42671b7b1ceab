import ResultsDomain

/// A sum of doubles that is exact until it is read, whatever their sizes and order.
///
/// A finite double is an integer of 53 bits times a power of two. The numbers are summed in bands of 32 powers, each in 128 bits,
/// enough for 2^42 numbers; only nonzero bands are stored. So numbers can be removed, and the sum does not depend on the order of
/// operations (U. Kulisch's long accumulator).
public struct ExactRealSum: Sendable {
  /// The nonzero bands in ascending order; a band's sum counts multiples of 2^(32 * band - 1074).
  private var bands: [(band: Int, sum: Int128)] = []
  private var positiveInfinities = 0
  private var negativeInfinities = 0

  /// Creates a sum of no numbers.
  public init() {}

  /// Adds a number.
  /// - Complexity: O(1): there are at most 64 bands.
  public mutating func add(_ number: Double) { change(number, by: 1) }

  /// Removes a number, which must have been added.
  /// - Complexity: O(1): there are at most 64 bands.
  public mutating func remove(_ number: Double) { change(number, by: -1) }

  /// Adds all numbers of another sum.
  public mutating func merge(_ other: ExactRealSum) {
    for (band, sum) in other.bands { add(sum, to: band) }
    positiveInfinities += other.positiveInfinities
    negativeInfinities += other.negativeInfinities
  }

  private mutating func change(_ number: Double, by sign: Int) {
    guard number.isFinite else {
      if number > 0 { positiveInfinities += sign }
      if number < 0 { negativeInfinities += sign }
      return
    }
    guard number != 0 else { return }
    let isNormal = number.exponentBitPattern > 0
    let hidden: UInt64 = isNormal ? 1 << 52 : 0
    let significand = Int128(number.significandBitPattern | hidden)
    // The exponent of the lowest bit, relative to that of the smallest double.
    let power = max(Int(number.exponentBitPattern), 1) - 1
    let shifted = significand << Int128(power % 32)
    add((number < 0) == (sign > 0) ? -shifted : shifted, to: power / 32)
  }

  private mutating func add(_ sum: Int128, to band: Int) {
    let index = bands.firstIndex { $0.band >= band } ?? bands.count
    guard index < bands.count, bands[index].band == band else {
      bands.insert((band, sum), at: index)
      return
    }
    bands[index].sum &+= sum
    if bands[index].sum == 0 { bands.remove(at: index) }
  }
}

extension ExactRealSum {
  /// The double nearest to the exact sum, ties to even; infinite if the sum exceeds all doubles.
  ///
  /// It is `nil` for a sum of both infinities.
  public var value: Double? {
    switch (positiveInfinities > 0, negativeInfinities > 0) {
    case (true, true): return nil
    case (true, false): return .infinity
    case (false, true): return -.infinity
    case (false, false): break
    }
    var digits = digits
    let isNegative = digits.last.map { $0 < 0 } ?? false
    if isNegative { ExactRealSum.negate(&digits) }
    guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
    let length = top * 32 + 32 - (UInt32(truncatingIfNeeded: digits[top]).leadingZeroBitCount)
    let magnitude = ExactRealSum.round(digits, length)
    return isNegative ? -magnitude : magnitude
  }

  /// The sum as 32-bit digits, least significant first; the last one is the sign, 0 or -1.
  private var digits: [Int64] {
    guard let last = bands.last else { return [] }
    var digits = [Int64](repeating: 0, count: last.band + 5)
    var carry: Int128 = 0
    var next = 0
    for digit in digits.indices {
      if next < bands.count, bands[next].band == digit {
        carry &+= bands[next].sum
        next += 1
      }
      digits[digit] = Int64(truncatingIfNeeded: carry & 0xffff_ffff)
      carry >>= 32
    }
    return digits + [Int64(truncatingIfNeeded: carry)]
  }

  private static func negate(_ digits: inout [Int64]) {
    var carry: Int64 = 0
    for index in digits.indices {
      let digit = -digits[index] + carry
      digits[index] = digit & 0xffff_ffff
      carry = digit >> 32
    }
    digits[digits.count - 1] = 0
  }

  /// The double nearest to a magnitude of `length` bits, in units of the smallest double.
  private static func round(_ digits: [Int64], _ length: Int) -> Double {
    func bit(_ index: Int) -> UInt64 {
      let digit = UInt64(bitPattern: digits[index / 32])
      return (digit >> UInt64(index % 32)) & 1
    }
    let dropped = max(0, length - 53)
    var significand: UInt64 = 0
    for index in (dropped..<length).reversed() { significand = significand << 1 | bit(index) }
    if dropped > 0, bit(dropped - 1) == 1 {
      let isMore = (0..<dropped - 1).contains { bit($0) == 1 }
      if isMore || significand & 1 == 1 { significand += 1 }
    }
    // A carry into a 54th bit gives a power of two, which is exact; beyond the largest exponent the result is infinite.
    guard dropped <= 2046 else { return .infinity }
    let unit = dropped < 52 ? UInt64(1) << UInt64(dropped) : UInt64(dropped - 51) << 52
    return Double(significand) * Double(bitPattern: unit)
  }
}

extension ExactRealSum: Hashable {
  /// Whether two sums have the same exact value and the same numbers of infinities.
  public static func == (left: ExactRealSum, right: ExactRealSum) -> Bool {
    var difference = left
    for (band, sum) in right.bands { difference.add(-sum, to: band) }
    return left.positiveInfinities == right.positiveInfinities
      && left.negativeInfinities == right.negativeInfinities
      && difference.digits.allSatisfy { $0 == 0 }
  }

  /// Hashes the rounded value.
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
