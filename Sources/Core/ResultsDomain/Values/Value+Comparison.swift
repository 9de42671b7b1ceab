/// The outcome of comparing two values.
public enum ValueOrder: Int, Sendable {
  /// The first comes before the second.
  case ascending = -1
  /// Neither comes before the other.
  case same = 0
  /// The first comes after the second.
  case descending = 1
}

extension Value {
  /// Compares two values the way every store orders them: null, then numbers by value, then texts by
  /// UTF-8 bytes, then blobs by bytes.
  ///
  /// An integer and a real are compared exactly, also beyond 2^53, as SQLite does.
  /// - Complexity: O(*n*) in the bytes of the shorter value.
  public static func compare(_ left: Value, _ right: Value) -> ValueOrder {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): order(left, right)
    case (.real(let left), .real(let right)): order(left, right)
    case (.integer(let left), .real(let right)): compareExactly(left, right)
    case (.real(let left), .integer(let right)): compareExactly(right, left).reversed
    case (.text(let left), .text(let right)): compareBytes(left.utf8, right.utf8)
    case (.blob(let left), .blob(let right)): compareBytes(left, right)
    default: order(left.storageRank, right.storageRank)
    }
  }

  private var storageRank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> ValueOrder {
    left < right ? .ascending : (left > right ? .descending : .same)
  }

  /// A double of magnitude 2^63 or more is beyond every integer; below that its whole part fits one exactly.
  ///
  /// Converting truncates towards zero without calling the C library's `floor`, which a release build of a program
  /// without Foundation is not linked with.
  private static func compareExactly(_ integer: Int64, _ real: Double) -> ValueOrder {
    guard real < 0x1p63 else { return .ascending }
    guard real >= -0x1p63 else { return .descending }
    let whole = Int64(real)
    return integer == whole ? order(Double(whole), real) : order(integer, whole)
  }

  private static func compareBytes<Bytes: Collection<UInt8>>(
    _ left: Bytes,
    _ right: Bytes
  ) -> ValueOrder {
    if left.lexicographicallyPrecedes(right) { return .ascending }
    return left.elementsEqual(right) ? .same : .descending
  }
}

extension ValueOrder {
  /// The outcome with the two values exchanged.
  public var reversed: ValueOrder {
    switch self {
    case .ascending: .descending
    case .same: .same
    case .descending: .ascending
    }
  }
}
