/// A borrowed view of ascending keys that store only what each does not share with the one before.
///
/// Keys stand in groups. The first of a group is complete, so that groups are searched as they are; the others are restored from there
/// on. A key is stored as
///
/// - the number of bytes that it shares with the start of the key before, at most 255;
/// - a byte: in its upper three bits, how many of its last eight bytes it shares with those of the key before, counted from the eighth
///   from the end; in its lower five bits, the number of stored bytes, where 31 says that the rest of the number follows, in groups of
///   seven bits, lowest first;
/// - the remaining bytes.
///
/// Most keys end with an integer identity of eight bytes, of which the first are the same in the whole list.
@usableFromInline
struct PackedKeys {
  /// The bytes of all groups.
  @usableFromInline let bytes: UnsafeRawBufferPointer
  /// For each group the offset past its bytes, and the number of keys up to its end.
  @usableFromInline let ends: UnsafeBufferPointer<UInt32>

  @inlinable
  init(bytes: UnsafeRawBufferPointer, ends: UnsafeBufferPointer<UInt32>) {
    self.bytes = bytes
    self.ends = ends
  }

  /// The number of keys in a new group.
  static let groupSize = 16
  /// The number of keys from which a group is divided.
  static let groupLimit = 32
  /// The number of keys below which a group is joined with a neighbour.
  static let groupMinimum = 6

  var groupCount: Int { ends.count / 2 }

  /// The offset of a group's first byte.
  @inline(__always)
  func start(ofGroup group: Int) -> Int {
    group == 0 ? 0 : Int(truncatingIfNeeded: ends[2 &* group &- 2])
  }

  /// The index of a group's first key.
  @inline(__always)
  func firstIndex(ofGroup group: Int) -> Int {
    group == 0 ? 0 : Int(truncatingIfNeeded: ends[2 &* group &- 1])
  }

  /// The group of a key, given its index, which must be in range.
  func group(of index: Int) -> Int {
    var (low, high) = (0, groupCount)
    while high &- low > 1 {
      let middle = low &+ (high &- low) / 2
      if firstIndex(ofGroup: middle) <= index { low = middle } else { high = middle }
    }
    return low
  }

  /// The first key of a group, which is stored completely.
  @inline(__always)
  func firstKey(ofGroup group: Int) -> UnsafeRawBufferPointer {
    var position = start(ofGroup: group)
    let header = PackedKeyHeader(bytes, at: &position)
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position &+ header.stored])
  }

  /// Finds the first index whose key is not less than a key.
  /// - Parameters:
  ///   - key: The key.
  ///   - buffer: Memory for the longest of the keys.
  /// - Returns: The index, and whether its key is the searched one.
  /// - Complexity: O(log groups + keys of a group).
  func search(
    _ key: UnsafeRawBufferPointer,
    _ buffer: UnsafeMutableRawBufferPointer
  ) -> (position: Int, isFound: Bool) {
    var (low, high) = (0, groupCount)
    while high &- low > 1 {
      let middle = low &+ (high &- low) / 2
      let order = KeyOrder.compare(firstKey(ofGroup: middle), key)
      if order <= 0 { low = middle } else { high = middle }
    }
    var reader = PackedKeyReader(self, buffer)
    reader.seek(toGroup: low)
    let end = Int(truncatingIfNeeded: ends[2 &* low &+ 1])
    for index in firstIndex(ofGroup: low)..<end {
      reader.next()
      let order = KeyOrder.compare(reader.key, key)
      if order >= 0 { return (index, order == 0) }
    }
    return (end, false)
  }
}

/// The bytes before the stored part of a packed key.
struct PackedKeyHeader {
  /// The number of bytes shared with the start of the key before.
  var shared: Int
  /// The number of bytes shared with the last eight bytes of the key before.
  var tail: Int
  /// The number of stored bytes.
  var stored: Int

  /// Reads a header, and moves the position past it.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, at position: inout Int) {
    shared = Int(bytes[position])
    let mixed = bytes[position &+ 1]
    position &+= 2
    tail = Int(mixed >> 5)
    stored = Int(mixed & 31)
    guard stored == 31 else { return }
    var shift = 0
    while true {
      let byte = bytes[position]
      position &+= 1
      stored &+= Int(byte & 127) << shift
      shift &+= 7
      if byte < 128 { return }
    }
  }
}

/// Restores packed keys one after another, in memory of the caller.
@usableFromInline
struct PackedKeyReader {
  private let keys: PackedKeys
  private let buffer: UnsafeMutableRawBufferPointer
  private var length = 0
  /// The offset of the next key's header.
  private var position = 0
  /// The index of the next key.
  private var nextIndex = 0

  /// Creates a reader that stands before the first key.
  /// - Parameters:
  ///   - keys: The keys.
  ///   - buffer: Memory for the longest of them.
  @usableFromInline
  init(_ keys: PackedKeys, _ buffer: UnsafeMutableRawBufferPointer) {
    self.keys = keys
    self.buffer = buffer
  }

  /// The key read last, valid until the next one is read.
  @usableFromInline var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: buffer.baseAddress, count: length)
  }

  /// Stands before the first key of a group.
  mutating func seek(toGroup group: Int) {
    position = keys.start(ofGroup: group)
    nextIndex = keys.firstIndex(ofGroup: group)
  }

  /// Reads the key at an index, which must be in range.
  @usableFromInline
  mutating func read(_ index: Int) {
    if index < nextIndex || index >= nextIndex &+ PackedKeys.groupSize {
      seek(toGroup: keys.group(of: index))
    }
    while nextIndex <= index { next() }
  }

  /// Reads the next key.
  @inline(__always)
  mutating func next() {
    guard let base = buffer.baseAddress, let source = keys.bytes.baseAddress else { return }
    let header = PackedKeyHeader(keys.bytes, at: &position)
    let shared = base + header.shared
    if header.tail == 0 {
      shared.copyMemory(from: source + position, byteCount: header.stored)
      length = header.shared &+ header.stored
    } else {
      // The end of the former key is overwritten by the start of this one, unless it is read first.
      let tail = (base + (length &- 8)).loadUnaligned(as: UInt64.self)
      length = header.shared &+ header.stored &+ header.tail
      let rest = 8 &- header.tail
      let middle = header.stored &- rest
      shared.copyMemory(from: source + position, byteCount: middle)
      (shared + middle).storeBytes(of: tail, as: UInt64.self)
      (shared + (middle &+ header.tail))
        .copyMemory(from: source + (position &+ middle), byteCount: rest)
    }
    position &+= header.stored
    nextIndex &+= 1
  }
}

// MARK: - Packing

/// Packs keys into memory of the caller.
struct PackedKeyWriter {
  private let buffer: UnsafeMutableRawBufferPointer
  /// The number of bytes written.
  private(set) var count = 0

  /// The most bytes that some keys take.
  static func capacity(forKeys count: Int, byteCount: Int) -> Int { byteCount + 12 * count }

  init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

  /// Appends a key.
  /// - Parameters:
  ///   - key: The key.
  ///   - previous: The key before it, or `nil` for the first of a group.
  mutating func append(_ key: UnsafeRawBufferPointer, after previous: UnsafeRawBufferPointer?) {
    guard let base = buffer.baseAddress else { return }
    let shared = previous.map { Self.sharedPrefix(key, $0) } ?? 0
    let tail = previous.map { Self.sharedTail(key, $0, from: shared) } ?? 0
    let stored = key.count &- shared &- tail
    buffer[count] = UInt8(truncatingIfNeeded: shared)
    buffer[count &+ 1] = UInt8(truncatingIfNeeded: tail << 5 | min(stored, 31))
    count &+= 2
    if stored >= 31 {
      var rest = stored &- 31
      while rest >= 128 {
        buffer[count] = UInt8(truncatingIfNeeded: rest & 127 | 128)
        rest >>= 7
        count &+= 1
      }
      buffer[count] = UInt8(truncatingIfNeeded: rest)
      count &+= 1
    }
    guard stored > 0, let source = key.baseAddress else { return }
    let middle = tail == 0 ? stored : key.count &- 8 &- shared
    (base + count).copyMemory(from: source + shared, byteCount: middle)
    if tail > 0 {
      (base + (count &+ middle))
        .copyMemory(from: source + (key.count &- 8 &+ tail), byteCount: 8 &- tail)
    }
    count &+= stored
  }

  /// The number of bytes that two keys share at their start, at most 255.
  @inline(__always)
  private static func sharedPrefix(
    _ key: UnsafeRawBufferPointer,
    _ other: UnsafeRawBufferPointer
  ) -> Int {
    let most = min(key.count, other.count, 255)
    guard let left = key.baseAddress, let right = other.baseAddress else { return 0 }
    var shared = 0
    while shared &+ 8 <= most {
      let difference =
        (left + shared).loadUnaligned(as: UInt64.self)
        ^ (right + shared).loadUnaligned(as: UInt64.self)
      if difference != 0 {
        return shared &+ UInt64(littleEndian: difference).trailingZeroBitCount / 8
      }
      shared &+= 8
    }
    while shared < most, key[shared] == other[shared] { shared &+= 1 }
    return shared
  }

  /// The number of bytes that the last eight bytes of two keys share at their start, at most 7; 0 where they are among those shared already.
  @inline(__always)
  private static func sharedTail(
    _ key: UnsafeRawBufferPointer,
    _ other: UnsafeRawBufferPointer,
    from shared: Int
  ) -> Int {
    guard key.count &- shared >= 8, other.count >= 8, let left = key.baseAddress,
      let right = other.baseAddress
    else { return 0 }
    let difference =
      (left + (key.count &- 8)).loadUnaligned(as: UInt64.self)
      ^ (right + (other.count &- 8)).loadUnaligned(as: UInt64.self)
    return min(7, UInt64(littleEndian: difference).trailingZeroBitCount / 8)
  }
}
