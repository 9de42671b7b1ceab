extension SortedKeyList {
  /// The number of keys that sort before `key`, which need not be in the list.
  ///
  /// - Complexity: O(log count) comparisons.
  public func rank(of key: UnsafeRawBufferPointer) -> Int {
    guard !isEmpty else { return 0 }
    let place = locate(key)
    return starts[place.chunk] + place.offset
  }

  /// The number of keys that sort before `key`, which need not be in the list.
  ///
  /// - Complexity: O(log count) comparisons.
  public func rank(of key: [UInt8]) -> Int {
    key.withUnsafeBytes { rank(of: $0) }
  }

  /// The position of `key`, or nil if the list does not hold it.
  ///
  /// - Complexity: O(log count) comparisons.
  public func position(of key: UnsafeRawBufferPointer) -> Int? {
    guard !isEmpty else { return nil }
    let place = locate(key)
    return place.isFound ? starts[place.chunk] + place.offset : nil
  }

  /// The position of `key`, or nil if the list does not hold it.
  ///
  /// - Complexity: O(log count) comparisons.
  public func position(of key: [UInt8]) -> Int? {
    key.withUnsafeBytes { position(of: $0) }
  }

  /// Whether the list holds `key`.
  ///
  /// - Complexity: O(log count) comparisons.
  public func contains(_ key: UnsafeRawBufferPointer) -> Bool {
    position(of: key) != nil
  }

  /// Whether the list holds `key`.
  ///
  /// - Complexity: O(log count) comparisons.
  public func contains(_ key: [UInt8]) -> Bool {
    position(of: key) != nil
  }

  /// The position of the first key that begins with `prefix`, or nil if none does.
  ///
  /// - Complexity: O(log count) comparisons.
  public func firstPosition(withPrefix prefix: UnsafeRawBufferPointer) -> Int? {
    let position = rank(of: prefix)
    guard position < count else { return nil }
    let begins = withKey(at: position) { key in
      key.count >= prefix.count
        && KeyOrder.compare(UnsafeRawBufferPointer(rebasing: key[..<prefix.count]), prefix) == 0
    }
    return begins ? position : nil
  }

  /// The position of the first key that begins with `prefix`, or nil if none does.
  ///
  /// - Complexity: O(log count) comparisons.
  public func firstPosition(withPrefix prefix: [UInt8]) -> Int? {
    prefix.withUnsafeBytes { firstPosition(withPrefix: $0) }
  }

  /// The positions of all keys that begin with `prefix`, empty at its rank if none does.
  ///
  /// - Complexity: O(log count) comparisons.
  public func positions(withPrefix prefix: [UInt8]) -> Range<Int> {
    let first = rank(of: prefix)
    var successor = prefix
    // The first key after all keys with the prefix: the prefix, its last byte counted up.
    while let last = successor.popLast() {
      guard last < .max else { continue }
      successor.append(last + 1)
      return first..<rank(of: successor)
    }
    return first..<count
  }

  /// Where `key` stands, or would be inserted; the list must not be empty.
  @inline(__always)
  func locate(_ key: UnsafeRawBufferPointer) -> (chunk: Int, offset: Int, isFound: Bool) {
    let chunk = chunkIndex(for: key, from: 0)
    let place = chunks[chunk].withFlatKeys { $0.search(key, from: 0, to: $0.count) }
    return (chunk, place.position, place.isFound)
  }

  /// The last chunk at or after `low` whose first key is not after `key`; `low` if there is none.
  @inline(__always)
  func chunkIndex(for key: UnsafeRawBufferPointer, from low: Int) -> Int {
    chunks.withUnsafeBufferPointer { chunks in
      var low = low
      var high = chunks.count
      while high &- low > 1 {
        let middle = low &+ (high &- low) / 2
        let order = chunks[middle].withFlatKeys { KeyOrder.compare($0[0], key) }
        if order <= 0 { low = middle } else { high = middle }
      }
      return low
    }
  }
}
