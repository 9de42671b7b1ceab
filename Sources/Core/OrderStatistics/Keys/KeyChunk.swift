/// A short run of ascending keys in one arena: the unit that snapshots of a list share.
///
/// A short chunk is flat: its keys one after another, and the offset past each. A long one is packed (`PackedKeys`): its keys store only
/// what they do not share with the one before.
@usableFromInline
struct KeyChunk: Sendable {
  /// The numbers of a packed chunk; all are zero in a flat one.
  @usableFromInline
  struct Packing: Sendable {
    /// The number of keys.
    @usableFromInline var count: UInt32 = 0
    /// The length of all keys as they are outside.
    @usableFromInline var keyBytes: UInt32 = 0
    /// A length that no key exceeds.
    @usableFromInline var longest: UInt32 = 0
  }

  /// The keys, flat or packed.
  @usableFromInline private(set) var bytes: [UInt8] = []
  /// The offset past each key; in a packed chunk the ends of the groups, as `PackedKeys.ends`.
  @usableFromInline private(set) var ends: [UInt32] = []
  @usableFromInline private(set) var packing = Packing()

  init() {}

  init(_ key: UnsafeRawBufferPointer) {
    bytes = Array(key)
    ends = [UInt32(key.count)]
  }

  /// Takes over the bytes of a batch that fits into a chunk.
  init(_ batch: KeyBatch) {
    bytes = batch.bytes
    ends = batch.ends.map { UInt32($0) }
  }

  /// Copies the keys of `range`, and packs them if the limits say so.
  init(
    _ keys: FlatKeys<some FixedWidthInteger & Sendable>,
    in range: Range<Int>,
    within limits: KeyChunkLimits
  ) {
    let byteCount =
      range.isEmpty ? 0 : keys.end(of: range.upperBound - 1) - keys.start(of: range.lowerBound)
    if limits.packs(count: range.count, byteCount: byteCount) {
      self.init(packing: keys, in: range, groups: range.count.dividedUp(by: PackedKeys.groupSize))
    } else {
      self.init()
      append(keys, in: range)
    }
  }

  /// Packs the keys of `range` into a number of groups of about equal size.
  private init(
    packing keys: FlatKeys<some FixedWidthInteger & Sendable>,
    in range: Range<Int>,
    groups: Int
  ) {
    let keyBytes = keys.end(of: range.upperBound - 1) - keys.start(of: range.lowerBound)
    let capacity = PackedKeyWriter.capacity(forKeys: range.count, byteCount: keyBytes)
    var longest = 0
    ends.reserveCapacity(2 * groups)
    withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { buffer in
      var writer = PackedKeyWriter(buffer)
      for group in 0..<groups {
        let first = range.lowerBound + range.count * group / groups
        let last = range.lowerBound + range.count * (group + 1) / groups
        for position in first..<last {
          let key = keys[position]
          longest = max(longest, key.count)
          writer.append(key, after: position == first ? nil : keys[position - 1])
        }
        ends.append(UInt32(writer.count))
        ends.append(UInt32(last - range.lowerBound))
      }
      bytes = Array(buffer[..<writer.count])
    }
    packing = Packing(
      count: UInt32(range.count),
      keyBytes: UInt32(keyBytes),
      longest: UInt32(longest)
    )
  }

  @inlinable
  var isPacked: Bool { packing.count > 0 }
  @inlinable
  var count: Int { isPacked ? Int(packing.count) : ends.count }
  /// The length of all keys together.
  var byteCount: Int { isPacked ? Int(packing.keyBytes) : bytes.count }
  /// The number of bytes of memory that the keys and their ends take.
  var storedByteCount: Int { bytes.count + ends.count * MemoryLayout<UInt32>.size }

  /// Calls a closure with the keys, which are restored if they are packed.
  func withFlatKeys<Result, Failure: Error>(
    _ body: (FlatKeys<UInt32>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if isPacked { return try flattened().withStoredKeys(body) }
    return try withStoredKeys(body)
  }

  /// Calls a closure with the keys of a flat chunk.
  @inlinable
  @inline(__always)
  func withStoredKeys<Result, Failure: Error>(
    _ body: (FlatKeys<UInt32>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Failure) -> Result in
      try ends.withUnsafeBufferPointer { (ends) throws(Failure) -> Result in
        try body(FlatKeys(bytes: UnsafeRawBufferPointer(bytes), ends: ends))
      }
    }
  }

  /// Calls a closure with the keys of a packed chunk, and memory for the longest of them.
  @inlinable
  @inline(__always)
  func withPackedKeys<Result, Failure: Error>(
    _ body: (PackedKeys, UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Failure) -> Result in
      try ends.withUnsafeBufferPointer { (ends) throws(Failure) -> Result in
        let keys = PackedKeys(bytes: UnsafeRawBufferPointer(bytes), ends: ends)
        return try withUnsafeTemporaryAllocation(
          byteCount: max(8, Int(packing.longest)),
          alignment: 8
        ) { (buffer) throws(Failure) -> Result in
          try body(keys, buffer)
        }
      }
    }
  }

  /// Calls a closure with a reader of the keys of a packed chunk.
  @inlinable
  @inline(__always)
  func withReader<Result, Failure: Error>(
    _ body: (inout PackedKeyReader) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withPackedKeys { (keys, buffer) throws(Failure) -> Result in
      var reader = PackedKeyReader(keys, buffer)
      return try body(&reader)
    }
  }

  /// Calls a closure with the key at an offset.
  @inlinable
  @inline(__always)
  func withKey<Result, Failure: Error>(
    at offset: Int,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard isPacked else {
      return try withStoredKeys { (keys) throws(Failure) -> Result in try body(keys[offset]) }
    }
    return try withReader { (reader) throws(Failure) -> Result in
      reader.read(offset)
      return try body(reader.key)
    }
  }

  /// Compares the first key with a key.
  @inline(__always)
  func compareFirst(to key: UnsafeRawBufferPointer) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
      ends.withUnsafeBufferPointer { ends in
        let bytes = UnsafeRawBufferPointer(bytes)
        return isPacked
          ? KeyOrder.compare(PackedKeys(bytes: bytes, ends: ends).firstKey(ofGroup: 0), key)
          : KeyOrder.compare(FlatKeys(bytes: bytes, ends: ends)[0], key)
      }
    }
  }

  /// Finds the first offset whose key is not less than a key.
  @inline(__always)
  func search(_ key: UnsafeRawBufferPointer) -> (position: Int, isFound: Bool) {
    isPacked
      ? withPackedKeys { $0.search(key, $1) }
      : withStoredKeys { $0.search(key, from: 0, to: $0.count) }
  }

  /// Whether both chunks share the same storage, and hence hold equal keys.
  func isSameStorage(as other: KeyChunk) -> Bool {
    ends.withUnsafeBufferPointer { ends in
      other.ends.withUnsafeBufferPointer { otherEnds in
        ends.count == otherEnds.count && ends.baseAddress == otherEnds.baseAddress
      }
    }
      && bytes.withUnsafeBufferPointer { bytes in
        other.bytes.withUnsafeBufferPointer { bytes.baseAddress == $0.baseAddress }
      }
  }

  /// The same keys as a flat chunk.
  func flattened() -> KeyChunk {
    guard isPacked else { return self }
    return flattened(0..<ends.count / 2)
  }

  /// The keys of some groups as a flat chunk.
  private func flattened(_ groups: Range<Int>) -> KeyChunk {
    var flat = KeyChunk()
    withPackedKeys { keys, buffer in
      let first = keys.firstIndex(ofGroup: groups.lowerBound)
      let last = keys.firstIndex(ofGroup: groups.upperBound)
      flat.ends.reserveCapacity(last - first + 1)
      if groups.count == keys.groupCount { flat.bytes.reserveCapacity(byteCount) }
      var reader = PackedKeyReader(keys, buffer)
      reader.seek(toGroup: groups.lowerBound)
      for _ in first..<last {
        reader.next()
        flat.append(reader.key)
      }
    }
    return flat
  }

  /// Packs a flat chunk if the limits say so.
  mutating func pack(within limits: KeyChunkLimits) {
    guard !isPacked, limits.packs(count: count, byteCount: byteCount) else { return }
    self = withStoredKeys { KeyChunk($0, in: 0..<$0.count, within: limits) }
  }

  // MARK: - Edits

  mutating func append(_ key: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: key.assumingMemoryBound(to: UInt8.self))
    ends.append(UInt32(bytes.count))
  }

  mutating func append(
    _ keys: FlatKeys<some FixedWidthInteger & Sendable>,
    in range: Range<Int>
  ) {
    guard !range.isEmpty else { return }
    let first = keys.start(of: range.lowerBound)
    let last = Int(truncatingIfNeeded: keys.ends[range.upperBound - 1])
    let shift = bytes.count - first
    bytes.append(
      contentsOf: UnsafeRawBufferPointer(rebasing: keys.bytes[first..<last])
        .assumingMemoryBound(to: UInt8.self)
    )
    ends.append(
      contentsOf: keys.ends[range].lazy.map {
        UInt32(truncatingIfNeeded: Int(truncatingIfNeeded: $0) &+ shift)
      }
    )
  }

  /// Appends keys, and packs the chunk if the limits say so.
  mutating func append(
    _ keys: FlatKeys<some FixedWidthInteger & Sendable>,
    in range: Range<Int>,
    within limits: KeyChunkLimits
  ) {
    guard !range.isEmpty else { return }
    if isPacked, range.count < PackedKeys.groupSize {
      for position in range { insert(keys[position], at: count) }
    } else {
      if isPacked { self = flattened() }
      append(keys, in: range)
      pack(within: limits)
    }
  }

  /// Appends the keys of another chunk; the result is flat.
  mutating func append(_ other: KeyChunk) {
    if isPacked { self = flattened() }
    other.withFlatKeys { append($0, in: 0..<other.count) }
  }

  mutating func insert(_ key: UnsafeRawBufferPointer, at position: Int) {
    guard !isPacked else { return editPacked(at: position) { $0.insertFlat(key, at: $1) } }
    insertFlat(key, at: position)
  }

  private mutating func insertFlat(_ key: UnsafeRawBufferPointer, at position: Int) {
    let start = position == 0 ? 0 : Int(ends[position - 1])
    let tail = bytes.count - start
    // Appending first lets the array grow, or copy shared memory, once.
    bytes.append(contentsOf: key.assumingMemoryBound(to: UInt8.self))
    if tail > 0 {
      bytes.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress, let keyBase = key.baseAddress else { return }
        (base + start + key.count).copyMemory(from: base + start, byteCount: tail)
        (base + start).copyMemory(from: keyBase, byteCount: key.count)
      }
    }
    let length = UInt32(key.count)
    ends.insert(UInt32(start), at: position)
    ends.withUnsafeMutableBufferPointer { ends in
      for later in position..<ends.count { ends[later] &+= length }
    }
  }

  mutating func remove(at position: Int) {
    guard !isPacked else { return editPacked(at: position) { $0.removeFlat(at: $1) } }
    removeFlat(at: position)
  }

  private mutating func removeFlat(at position: Int) {
    let start = position == 0 ? 0 : Int(ends[position - 1])
    let length = ends[position] - UInt32(start)
    bytes.removeSubrange(start..<(start + Int(length)))
    ends.remove(at: position)
    ends.withUnsafeMutableBufferPointer { ends in
      for later in position..<ends.count { ends[later] &-= length }
    }
  }

  /// Restores the group of a position, edits it as a flat chunk, and packs it again.
  private mutating func editPacked(
    at position: Int,
    _ edit: (inout KeyChunk, _ position: Int) -> Void
  ) {
    let groups = groupsToEdit(at: position)
    let firstKey = groups.lowerBound == 0 ? 0 : Int(ends[2 * groups.lowerBound - 1])
    let firstByte = groups.lowerBound == 0 ? 0 : Int(ends[2 * groups.lowerBound - 2])
    let oldKeys = Int(ends[2 * groups.upperBound - 1]) - firstKey
    let oldBytes = Int(ends[2 * groups.upperBound - 2]) - firstByte
    var flat = flattened(groups)
    let oldLength = flat.bytes.count
    edit(&flat, position - firstKey)
    var packed = KeyChunk()
    if flat.count > 0 {
      let wanted =
        flat.count <= PackedKeys.groupLimit ? 1 : flat.count.dividedUp(by: PackedKeys.groupSize)
      packed = flat.withStoredKeys { KeyChunk(packing: $0, in: 0..<$0.count, groups: wanted) }
    }
    bytes.replaceSubrange(firstByte..<firstByte + oldBytes, with: packed.bytes)
    let (byteShift, keyShift) = (packed.bytes.count - oldBytes, flat.count - oldKeys)
    for index in stride(from: 0, to: packed.ends.count, by: 2) {
      packed.ends[index] += UInt32(firstByte)
      packed.ends[index + 1] += UInt32(firstKey)
    }
    ends.replaceSubrange(2 * groups.lowerBound..<2 * groups.upperBound, with: packed.ends)
    let later = 2 * groups.lowerBound + packed.ends.count
    for index in stride(from: later, to: ends.count, by: 2) {
      ends[index] = UInt32(Int(ends[index]) + byteShift)
      ends[index + 1] = UInt32(Int(ends[index + 1]) + keyShift)
    }
    packing.count = UInt32(Int(packing.count) + keyShift)
    packing.keyBytes = UInt32(Int(packing.keyBytes) + flat.bytes.count - oldLength)
    packing.longest = max(packing.longest, packed.packing.longest)
    if packing.count == 0 { self = KeyChunk() }
  }

  /// The group of a position, with a neighbour if it is small.
  private func groupsToEdit(at position: Int) -> Range<Int> {
    let groupCount = ends.count / 2
    let group = min(
      groupCount - 1,
      withPackedKeys { keys, _ in keys.group(of: position) }
    )
    let size = Int(ends[2 * group + 1]) - (group == 0 ? 0 : Int(ends[2 * group - 1]))
    guard size < PackedKeys.groupMinimum, groupCount > 1 else { return group..<group + 1 }
    return group + 1 < groupCount ? group..<group + 2 : group - 1..<group + 1
  }

  /// Splits the chunk into chunks of about equal size within the limits.
  func split(within limits: KeyChunkLimits) -> [KeyChunk] {
    guard !limits.allows(count: count, byteCount: byteCount) else {
      var whole = self
      whole.pack(within: limits)
      return [whole]
    }
    return withFlatKeys { Self.split($0, within: limits) }
  }

  /// Copies keys into chunks of about equal size, each about the target size.
  static func split(
    _ keys: FlatKeys<some FixedWidthInteger & Sendable>,
    within limits: KeyChunkLimits
  ) -> [KeyChunk] {
    let count = keys.count
    let byCount = (count + limits.targetCount - 1) / limits.targetCount
    let byBytes = (keys.bytes.count + limits.targetByteCount - 1) / limits.targetByteCount
    let wanted = max(1, min(count, max(byCount, byBytes)))
    let perChunk = (count + wanted - 1) / wanted
    var chunks: [KeyChunk] = []
    chunks.reserveCapacity(wanted)
    var first = 0
    while first < count {
      var last = min(first + perChunk, count)
      let start = keys.start(of: first)
      while last - first > 1,
        Int(truncatingIfNeeded: keys.ends[last - 1]) - start > limits.maximumByteCount
      {
        last -= 1
      }
      chunks.append(KeyChunk(keys, in: first..<last, within: limits))
      first = last
    }
    return chunks
  }
}

// MARK: - Invariants

extension KeyChunk {
  /// The first violated invariant of a packed chunk, or `nil`.
  var packingViolation: String? {
    guard isPacked else { return nil }
    guard ends.count.isMultiple(of: 2), let keys = ends.last, keys == packing.count,
      Int(ends[ends.count - 2]) == bytes.count
    else { return "does not end with its last group" }
    var previous: (bytes: UInt32, keys: UInt32) = (0, 0)
    for group in 0..<ends.count / 2 {
      let (bytes, keys) = (ends[2 * group], ends[2 * group + 1])
      guard bytes > previous.bytes, keys > previous.keys,
        keys - previous.keys <= PackedKeys.groupLimit
      else { return "has a group of \(keys) keys up to \(bytes) after \(previous)" }
      previous = (bytes, keys)
    }
    return nil
  }
}

// MARK: - Limits

/// How large the chunks of a `SortedKeyList` may grow.
///
/// An insertion moves the bytes of at most one chunk, and the first one after a snapshot copies it:
/// the limits trade that copy against the number of chunks to search.
package struct KeyChunkLimits: Sendable, Hashable {
  /// The largest number of keys in a chunk.
  package let maximumCount: Int

  /// The largest number of bytes in a chunk of two or more keys.
  package let maximumByteCount: Int

  /// The number of keys from which a chunk is packed when it is built.
  ///
  /// Packing takes time, which a list that lives for one change does not get back.
  package let packedCount: Int

  /// The number of keys in a list from which its chunks are packed.
  ///
  /// A shorter list takes little memory, and its keys are read and changed faster as they are.
  package let packedListCount: Int

  /// Creates limits.
  ///
  /// - Precondition: The largest numbers are at least 4, and the last one is at least 1.
  package init(
    maximumCount: Int,
    maximumByteCount: Int,
    packedCount: Int = .max,
    packedListCount: Int = 0
  ) {
    precondition(
      maximumCount >= 4 && maximumByteCount >= 4 && packedCount >= 1,
      "chunk limits too small"
    )
    self.maximumCount = maximumCount
    self.maximumByteCount = maximumByteCount
    self.packedCount = packedCount
    self.packedListCount = packedListCount
  }

  /// The limits of every list that is not packed, except in tests.
  package static let standard = KeyChunkLimits(maximumCount: 512, maximumByteCount: 65_536)
  /// The limits of the lists that live long and can be long.
  package static let packed = KeyChunkLimits(
    maximumCount: 512,
    maximumByteCount: 65_536,
    packedCount: 192,
    packedListCount: 4096
  )

  /// Bulk building fills chunks to three quarters and leaves room for insertions.
  var targetCount: Int { maximumCount * 3 / 4 }
  var targetByteCount: Int { maximumByteCount * 3 / 4 }

  func allows(count: Int, byteCount: Int) -> Bool {
    count <= maximumCount && (byteCount <= maximumByteCount || count < 2)
  }

  /// The limits of a list of some length.
  func limits(forListOf count: Int) -> KeyChunkLimits {
    guard packedCount < .max, count < packedListCount else { return self }
    return KeyChunkLimits(
      maximumCount: maximumCount,
      maximumByteCount: maximumByteCount,
      packedListCount: packedListCount
    )
  }

  /// Whether a chunk of some size is packed; one with a longer key than a chunk should be is not.
  func packs(count: Int, byteCount: Int) -> Bool {
    count >= packedCount && byteCount <= maximumByteCount
  }

  /// Whether a chunk is small enough to be merged with a neighbour.
  func isSmall(count: Int, byteCount: Int) -> Bool {
    count < maximumCount / 4 && byteCount < maximumByteCount / 4
  }
}

extension Int {
  /// The quotient, rounded up.
  fileprivate func dividedUp(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
