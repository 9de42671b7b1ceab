/// The pivots of one node with a count for each, in one flat array of bytes.
///
/// The layout is a sequence of little-endian 32-bit integers: the number of entries, the length of
/// the prefix that all pivots share, one count per entry, the end of each entry's suffix; then the
/// bytes of the prefix and of all suffixes. A leaf counts the rows of each block, a branch the
/// blocks under each child. The same bytes are the encoded form of a leaf.
struct PackedPivots: Sendable {
  private(set) var bytes: [UInt8]

  /// Wraps bytes that are known to be sound.
  init(verified bytes: [UInt8]) {
    self.bytes = bytes
  }

  @inline(__always)
  var count: Int { withView { $0.count } }

  @inline(__always)
  func withView<Result, Failure: Error>(
    _ body: (PackedPivots.View) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withBorrowedBytes { (bytes) throws(Failure) -> Result in
      try body(PackedPivots.View(bytes))
    }
  }

  /// The whole pivot of an entry.
  func pivot(_ entry: Int) -> [UInt8] {
    withView { $0.pivot(entry) }
  }

  /// Changes the count of an entry, and returns false if the result is not a valid number of rows.
  mutating func add(_ difference: Int, to entry: Int) -> Bool {
    let count = withView { $0.value(entry) }
    let (sum, isOverflow) = count.addingReportingOverflow(difference)
    guard !isOverflow, 0...PivotTree.maximumBlockRows ~= sum else { return false }
    let stored = UInt32(truncatingIfNeeded: sum)
    bytes.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(
        of: stored.littleEndian,
        toByteOffset: PackedPivots.View.headerByteCount + 4 * entry,
        as: UInt32.self
      )
    }
    return true
  }
}

// MARK: - Validation

extension PackedPivots {
  /// Validates untrusted bytes.
  ///
  /// Sound bytes have at least one entry, pivots that ascend strictly, and the longest prefix that
  /// all pivots share.
  ///
  /// - Returns: The length of the packed pivots that begin at the offset, or nil if they are not sound.
  /// - Precondition: `0 <= offset <= bytes.count`.
  static func soundByteCount(at offset: Int, of bytes: UnsafeRawBufferPointer) -> Int? {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
    guard rest.count >= PackedPivots.View.headerByteCount else { return nil }
    let count = number(rest, 0)
    let pivotOffset =
      Int64(PackedPivots.View.headerByteCount) + Int64(PackedPivots.View.entryByteCount) * count
    guard count > 0, pivotOffset <= rest.count else { return nil }
    let lastEnd = number(rest, Int(pivotOffset) - 4)
    let byteCount = pivotOffset + number(rest, 4) + lastEnd
    guard byteCount <= rest.count else { return nil }
    return isSound(PackedPivots.View(rest), lastEnd: Int(lastEnd)) ? Int(byteCount) : nil
  }

  /// Whether the entries are sound, given that the bytes hold all of them.
  private static func isSound(_ view: PackedPivots.View, lastEnd: Int) -> Bool {
    let count = view.count
    guard count > 1 || view.prefixCount == 0 else { return false }
    var start = 0
    for entry in 0..<count {
      let end = view.end(entry)
      guard end >= start, end <= lastEnd,
        view.prefixCount + end - start <= PivotTree.maximumPivotByteCount,
        0...PivotTree.maximumBlockRows ~= view.value(entry)
      else { return false }
      start = end
    }
    for entry in 1..<max(1, count) {
      guard KeyOrder.compare(view.suffix(entry - 1), view.suffix(entry)) < 0 else { return false }
    }
    return count == 1 || !sharesFirstByte(view.suffix(0), view.suffix(count - 1))
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int64 {
    Int64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }

  private static func sharesFirstByte(
    _ left: UnsafeRawBufferPointer,
    _ right: UnsafeRawBufferPointer
  ) -> Bool {
    guard let leftByte = left.first, let rightByte = right.first else { return false }
    return leftByte == rightByte
  }
}

// MARK: - View

extension PackedPivots {
  /// A borrowed view of packed pivots, valid only inside the closure that receives it.
  struct View {
    static let headerByteCount = 8
    /// The bytes of an entry besides its suffix.
    static let entryByteCount = 8

    private let base: UnsafeRawPointer
    let count: Int
    let prefixCount: Int

    /// - Precondition: The bytes are sound.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
      precondition(bytes.count >= Self.headerByteCount, "no packed pivots")
      // The check above rules out an empty buffer, which has no address.
      base = bytes.baseAddress.unsafelyUnwrapped
      count = Self.number(base, 0)
      prefixCount = Self.number(base, 4)
    }

    @inline(__always)
    private static func number(_ base: UnsafeRawPointer, _ offset: Int) -> Int {
      // No number in sound bytes exceeds a 32-bit `Int`.
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

    /// Whether a key is the pivot of an entry.
    func isPivot(_ key: UnsafeRawBufferPointer, of entry: Int) -> Bool {
      let suffix = suffix(entry)
      guard key.count == prefixCount + suffix.count else { return false }
      return KeyOrder.compare(UnsafeRawBufferPointer(rebasing: key[..<prefixCount]), prefix) == 0
        && KeyOrder.compare(UnsafeRawBufferPointer(rebasing: key[prefixCount...]), suffix) == 0
    }

    /// The sum of the counts of the first entries.
    @inline(__always)
    func sum(before entry: Int) -> Int {
      var sum = 0
      for index in 0..<entry { sum &+= value(index) }
      return sum
    }

    /// The entry that contains a position in the running sum of the counts, and the position's offset in it.
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

    /// The last entry whose pivot is not greater than a key, or the first entry.
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
}

// MARK: - Entries

/// Whole pivots with their counts, from which packed pivots are made.
struct PivotEntries {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private var values: [UInt32] = []

  var count: Int { ends.count }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
  }

  mutating func append(_ pivot: UnsafeRawBufferPointer, value: UInt32) {
    bytes.append(contentsOf: pivot)
    ends.append(bytes.count)
    values.append(value)
  }

  mutating func append(_ packed: PackedPivots, in range: Range<Int>) {
    packed.withView { view in
      for entry in range {
        bytes.append(contentsOf: view.prefix)
        append(view.suffix(entry), value: UInt32(truncatingIfNeeded: view.value(entry)))
      }
    }
  }

  mutating func append(_ other: PivotEntries) {
    let shift = bytes.count
    bytes.append(contentsOf: other.bytes)
    ends.append(contentsOf: other.ends.lazy.map { $0 + shift })
    values.append(contentsOf: other.values)
  }

  /// Appends the first pivot of a node, with the number of its blocks.
  mutating func append(_ node: PivotNode) {
    let blockCount = node.blockCount
    node.packed.withView { view in
      bytes.append(contentsOf: view.prefix)
      append(view.suffix(0), value: UInt32(clamping: blockCount))
    }
  }

  func withPivot<Result>(_ entry: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
      body(UnsafeRawBufferPointer(rebasing: bytes[start(entry)..<ends[entry]]))
    }
  }

  private func start(_ entry: Int) -> Int { entry == 0 ? 0 : ends[entry - 1] }

  /// The length of the prefix that two entries share, and with them all entries between them.
  private func sharedCount(_ first: Int, _ last: Int) -> Int {
    let start = start(first)
    let other = self.start(last)
    let limit = min(ends[first] - start, ends[last] - other)
    var shared = 0
    while shared < limit, bytes[start + shared] == bytes[other + shared] { shared += 1 }
    return shared
  }

  /// Packs a range of entries.
  ///
  /// - Precondition: The range is not empty.
  func packed(_ range: Range<Int>) -> PackedPivots {
    let count = range.count
    let prefixCount = count == 1 ? 0 : sharedCount(range.lowerBound, range.upperBound - 1)
    let pivotByteCount = ends[range.upperBound - 1] - start(range.lowerBound)
    let prefixOffset = PackedPivots.View.headerByteCount + PackedPivots.View.entryByteCount * count
    let size = prefixOffset + pivotByteCount - (count - 1) * prefixCount
    let flat = [UInt8](unsafeUninitializedCapacity: size) { flat, initializedCount in
      let target = UnsafeMutableRawBufferPointer(flat)
      bytes.withUnsafeBytes { bytes in
        func store(_ number: UInt32, _ offset: Int) {
          target.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt32.self)
        }
        func copy(_ source: Range<Int>, _ offset: Int) {
          UnsafeMutableRawBufferPointer(rebasing: target[offset...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[source]))
        }
        store(UInt32(truncatingIfNeeded: count), 0)
        store(UInt32(truncatingIfNeeded: prefixCount), 4)
        let first = start(range.lowerBound)
        copy(first..<(first + prefixCount), prefixOffset)
        var end = 0
        for (index, entry) in range.enumerated() {
          let suffix = (start(entry) + prefixCount)..<ends[entry]
          copy(suffix, prefixOffset + prefixCount + end)
          end += suffix.count
          store(values[entry], PackedPivots.View.headerByteCount + 4 * index)
          store(
            UInt32(truncatingIfNeeded: end),
            PackedPivots.View.headerByteCount + 4 * (count + index)
          )
        }
      }
      initializedCount = size
    }
    return PackedPivots(verified: flat)
  }

  /// Divides a number of entries into ranges of about equal size.
  static func parts(of count: Int, maximumCount: Int) -> [Range<Int>] {
    guard count > 0 else { return [] }
    let wanted = (count + maximumCount - 1) / maximumCount
    return (0..<wanted).map { (count * $0 / wanted)..<(count * ($0 + 1) / wanted) }
  }
}

// MARK: - Borrowed bytes

extension Array where Element: BitwiseCopyable {
  /// Calls a closure with the bytes of the elements, and rethrows its typed error.
  @inline(__always)
  func withBorrowedBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { (elements) throws(Failure) -> Result in
      try body(UnsafeRawBufferPointer(elements))
    }
  }
}
