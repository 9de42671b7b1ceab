import ResultsDomain

/// The encoding of a column whose values are of any storage class, in the order of SQLite: numbers by value, texts, blobs.
///
/// After the tag follows a byte for the class. A number is the largest double that is not above it, as a bit pattern that sorts by
/// value, and the rest in two bytes: integers beyond 2^53 differ from that double by less than 1,024. So integers and reals
/// sort exactly, and numbers that are equal have the same bytes.
enum AnyValueCoding {
  /// The length of a number with the byte for its class.
  static let numberLength = 11

  /// Returns the byte that follows the tag.
  static func classByte(of storage: StorageClass, _ column: KeyColumn) -> UInt8 {
    let byte: UInt8 =
      switch storage {
      case .integer, .real: 1
      case .text: 2
      case .blob, .any: 3
      }
    return column.isDescending ? ~byte : byte
  }

  /// Whether the byte after the tag is that of a number.
  static func isNumber(_ byte: UInt8, _ column: KeyColumn) -> Bool {
    byte == classByte(of: .real, column)
  }

  /// A number as two words that sort by value.
  struct Number {
    let word: UInt64
    let rest: UInt16

    init(word: UInt64, rest: UInt16) {
      self.word = word
      self.rest = rest
    }

    init(_ integer: Int64) {
      var base = Double(integer)
      if base >= 0x1p63 || Int64(base) > integer { base = base.nextDown }
      word = Number.word(of: base)
      rest = UInt16(truncatingIfNeeded: integer &- Int64(base))
    }

    init(_ real: Double) {
      word = Number.word(of: real)
      rest = 0
    }

    private static func word(of real: Double) -> UInt64 {
      let bits = (real == 0 ? 0 : real).bitPattern
      return bits >> 63 == 1 ? ~bits : bits | (1 << 63)
    }

    /// The number; an integer if it has no fraction and is in range.
    var value: Value {
      let real = Double(bitPattern: word >> 63 == 1 ? word & ~(1 << 63) : ~word)
      guard case .integer(let whole) = Value.real(real).wholeNumber else { return .real(real) }
      let (sum, overflow) = whole.addingReportingOverflow(Int64(rest))
      return overflow ? .real(real) : .integer(sum)
    }
  }
}
