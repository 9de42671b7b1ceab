/// A borrowed view of a `PivotPiece`, valid only inside the closure that handed it out.
struct PivotPieceView {
  static let headerByteCount = 8
  /// The bytes an entry needs beside its suffix.
  static let entryByteCount = 8

  private let base: UnsafeRawPointer
  let count: Int
  let prefixCount: Int

  /// - Precondition: The bytes are those of a sound piece.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count >= Self.headerByteCount, "no piece")
    // Without the check above an empty buffer has no address.
    base = bytes.baseAddress.unsafelyUnwrapped
    count = Self.number(base, 0)
    prefixCount = Self.number(base, 4)
  }

  @inline(__always)
  private static func number(_ base: UnsafeRawPointer, _ offset: Int) -> Int {
    // No number of a sound piece exceeds the Int of a platform of four bytes.
    Int(
      truncatingIfNeeded: UInt32(
        littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      )
    )
  }

  @inline(__always)
  private var pivotOffset: Int { Self.headerByteCount &+ Self.entryByteCount &* count }

  /// The count of an entry.
  @inline(__always)
  func value(_ entry: Int) -> Int {
    Self.number(base, Self.headerByteCount &+ 4 &* entry)
  }

  /// The end of an entry's suffix, counted from the end of the prefix.
  @inline(__always)
  func end(_ entry: Int) -> Int {
    Self.number(base, Self.headerByteCount &+ 4 &* (count &+ entry))
  }

  @inline(__always)
  var prefix: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + pivotOffset, count: prefixCount)
  }

  @inline(__always)
  func suffix(_ entry: Int) -> UnsafeRawBufferPointer {
    let start = entry == 0 ? 0 : end(entry &- 1)
    return UnsafeRawBufferPointer(
      start: base + (pivotOffset &+ prefixCount &+ start),
      count: end(entry) &- start
    )
  }

  func pivot(_ entry: Int) -> [UInt8] {
    let suffix = suffix(entry)
    return Array(unsafeUninitializedCapacity: prefixCount + suffix.count) { pivot, count in
      let target = UnsafeMutableRawBufferPointer(pivot)
      target.copyMemory(from: prefix)
      UnsafeMutableRawBufferPointer(rebasing: target[prefixCount...]).copyMemory(from: suffix)
      count = prefixCount + suffix.count
    }
  }

  /// The sum of the counts of the first entries.
  @inline(__always)
  func sum(before entry: Int) -> Int {
    var sum = 0
    for index in 0..<entry { sum &+= value(index) }
    return sum
  }

  /// The entry that holds a position of the counted things, and the position's offset in it.
  ///
  /// - Precondition: `0 <= position < sum(before: count)`.
  @inline(__always)
  func entry(containing position: Int) -> (entry: Int, offset: Int) {
    var rest = position
    var entry = 0
    while entry &+ 1 < count {
      let value = value(entry)
      if rest < value { break }
      rest &-= value
      entry &+= 1
    }
    return (entry, rest)
  }

  /// The last entry whose pivot is not after a key, or the first one.
  func entry(for key: UnsafeRawBufferPointer) -> Int {
    let shared = min(prefixCount, key.count)
    let order = KeyOrder.compare(UnsafeRawBufferPointer(rebasing: key[..<shared]), prefix)
    if order != 0 { return order < 0 ? 0 : count &- 1 }
    let rest = UnsafeRawBufferPointer(rebasing: key[prefixCount...])
    var low = 0
    var high = count
    while high &- low > 1 {
      let middle = low &+ (high &- low) / 2
      if KeyOrder.compare(suffix(middle), rest) <= 0 { low = middle } else { high = middle }
    }
    return low
  }
}
