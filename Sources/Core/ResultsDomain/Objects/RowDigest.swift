/// A 64-bit digest of a row's values, the same in every process.
///
/// It is FNV-1a (Fowler, Noll, Vo) over words of eight bytes with a final mix; storage classes and lengths are included.
/// Two different contents have the same digest with a probability of 2^-64.
public struct RowDigest: Sendable {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Creates a digest of no values.
  public init() {}

  /// Adds a null.
  public mutating func addNull() { add(word: 0x6e75_6c6c) }

  /// Adds an integer.
  public mutating func add(_ integer: Int64) {
    add(word: 1)
    add(word: UInt64(bitPattern: integer))
  }

  /// Adds a real.
  public mutating func add(_ real: Double) {
    add(word: 2)
    add(word: (real == 0 ? 0 : real).bitPattern)
  }

  /// Adds the bytes of a text.
  public mutating func addText(_ bytes: UnsafeRawBufferPointer) { add(bytes, kind: 3) }

  /// Adds the bytes of a blob.
  public mutating func addBlob(_ bytes: UnsafeRawBufferPointer) { add(bytes, kind: 4) }

  /// Adds any value.
  public mutating func add(_ value: Value) {
    switch value {
    case .null: addNull()
    case .integer(let number): add(number)
    case .real(let number): add(number)
    case .text(var text): text.withUTF8 { addText(UnsafeRawBufferPointer($0)) }
    case .blob(let bytes): bytes.withUnsafeBytes { addBlob($0) }
    case .illFormedText(let text): text.bytes.withUnsafeBytes { addText($0) }
    }
  }

  /// The digest of all added values, after MurmurHash3's finalizer.
  public var value: UInt64 {
    var mixed = state
    mixed = (mixed ^ (mixed >> 33)) &* 0xff51_afd7_ed55_8ccd
    mixed = (mixed ^ (mixed >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    return mixed ^ (mixed >> 33)
  }

  private mutating func add(word: UInt64) {
    state = (state ^ word) &* 0x0000_0100_0000_01b3
    state ^= state >> 29
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer, kind: UInt64) {
    add(word: kind | UInt64(bytes.count) << 8)
    var index = 0
    while index + 8 <= bytes.count {
      add(word: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
      index += 8
    }
    var tail: UInt64 = 0
    while index < bytes.count {
      tail = tail << 8 | UInt64(bytes[index])
      index += 1
    }
    add(word: tail)
  }
}
