extension KeyBatch {
  /// The places of the keys in ascending order of the keys.
  ///
  /// Most keys differ in the eight bytes behind what all of them share, so those are sorted as numbers, and whole keys are compared only
  /// where they agree.
  /// - Complexity: O(*n* log *n*)
  public func ascendingPlaces() -> [Int] {
    withFlatKeys { keys in
      let shared = keys.sharedPrefixCount
      var words: [(word: UInt64, place: Int)] = []
      words.reserveCapacity(keys.count)
      for place in 0..<keys.count { words.append((keys[place].word(from: shared), place)) }
      words.sort { left, right in
        left.word != right.word
          ? left.word < right.word : KeyOrder.compare(keys[left.place], keys[right.place]) < 0
      }
      return words.map(\.place)
    }
  }

  /// The keys at some places, in the order of those.
  /// - Complexity: O(*n*) in their bytes.
  public func keys(at places: [Int]) -> KeyBatch {
    withFlatKeys { keys in
      var batch = KeyBatch()
      batch.reserveCapacity(keys: places.count, bytes: bytes.count)
      for place in places { batch.append(keys[place]) }
      return batch
    }
  }
}

extension FlatKeys {
  /// How many bytes all keys begin with in common.
  fileprivate var sharedPrefixCount: Int {
    guard count > 0 else { return 0 }
    let first = self[0]
    var shared = first.count
    for place in 1..<max(1, count) {
      let key = self[place]
      shared = min(shared, key.count)
      var common = 0
      while common < shared, key[common] == first[common] { common &+= 1 }
      shared = common
    }
    return shared
  }
}

extension UnsafeRawBufferPointer {
  /// Eight bytes as a number that orders like them; those behind the end are zero.
  @inline(__always)
  fileprivate func word(from start: Int) -> UInt64 {
    if start &+ 8 <= count {
      return UInt64(bigEndian: loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
    var word: UInt64 = 0
    for offset in 0..<8 {
      word = word << 8 | (start &+ offset < count ? UInt64(self[start &+ offset]) : 0)
    }
    return word
  }
}
