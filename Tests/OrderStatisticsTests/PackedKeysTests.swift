import ResultsStoreKit
import OrderStatistics
import ResultsTesting
import Testing

/// Keys that store only what they do not share with the one before, in lists of the usual size.
@Suite struct PackedKeysTests {
  /// The limits of a held list, but for any length.
  private static let limits = KeyChunkLimits(
    maximumCount: 512,
    maximumByteCount: 65_536,
    packedCount: 192
  )

  /// A key of two texts and a number, as the keys of joined lists are.
  private static func key(_ name: String, _ title: String, _ id: Int) -> [UInt8] {
    var key = [2] + Array(name.utf8) + [0, 2] + Array(title.utf8) + [0]
    withUnsafeBytes(of: (UInt64(id) ^ 1 << 63).bigEndian) { key += $0 }
    return key
  }

  private static func joinedKeys(_ count: Int, _ generator: inout SeededGenerator) -> [[UInt8]] {
    let words = ["harbour", "winter", "garden", "letters", "river", "engine", "silence", "atlas"]
    return (0..<count).map { index in
      let word = words[Int.random(in: 0..<8, using: &generator)]
      let number = Int.random(in: 0..<1_000_000, using: &generator)
      let title = "The \(word) of \(word) \(number)"
      return key("Author \(index / 100)", title, index * 7919 % 1_000_003)
    }
    .sorted { $0.lexicographicallyPrecedes($1) }
  }

  @Test func `keys of names, titles and numbers take half of their length`() throws {
    var generator = SeededGenerator(seed: 3)
    let keys = Self.joinedKeys(20_000, &generator)
    var list = SortedKeyList(limits: Self.limits)
    try list.append(KeyBatch(keys))
    let length = keys.reduce(0) { $0 + $1.count }
    #expect(list.byteCount * 2 < length, "\(list.byteCount) of \(length) bytes")
    #expect(list.allKeys == keys)
    #expect(list.checkInvariants() == nil)
  }

  @Test func `a short list is not packed, and the rest of a long one is`() throws {
    var generator = SeededGenerator(seed: 4)
    let keys = Self.joinedKeys(12_000, &generator)
    var list = SortedKeyList(limits: .packed)
    try list.append(KeyBatch(keys[..<4096]))
    let short = list.byteCount
    #expect(short == keys[..<4096].reduce(0) { $0 + $1.count + 4 })
    try list.append(KeyBatch(keys[4096...]))
    let rest = keys[4096...].reduce(0) { $0 + $1.count + 4 }
    #expect((list.byteCount - short) * 2 < rest)
    #expect(list.allKeys == keys)
  }

  @Test(arguments: (1...4).map(UInt64.init))
  func `edits of packed keys behave as on a plain array`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var keys = Self.joinedKeys(500, &generator)
    var list = SortedKeyList(limits: Self.limits)
    try list.append(KeyBatch(keys))
    for step in 0..<1600 {
      // Edits gather in one place, so that groups grow, divide and join.
      let near = min(keys.count - 1, 200 + Int.random(in: 0..<60, using: &generator))
      if Int.random(in: 0..<10, using: &generator) < (step / 400 % 2 == 0 ? 8 : 2) {
        let key = keys[near] + [UInt8.random(in: 0...255, using: &generator)]
        let rank = keys.firstIndex { !$0.lexicographicallyPrecedes(key) } ?? keys.count
        let isKnown = rank < keys.count && keys[rank] == key
        try #require(list.insert(key) == (isKnown ? nil : rank), "seed \(seed) step \(step)")
        if !isKnown { keys.insert(key, at: rank) }
      } else {
        try #require(list.remove(keys[near]) == near, "seed \(seed) step \(step)")
        keys.remove(at: near)
      }
      let position = Int.random(in: 0..<keys.count, using: &generator)
      try #require(list.key(at: position) == keys[position], "seed \(seed) step \(step)")
      try #require(list.position(of: keys[position]) == position, "seed \(seed) step \(step)")
      guard step % 200 == 0 else { continue }
      try #require(list.checkInvariants() == nil, "seed \(seed) step \(step)")
      try #require(list.allKeys == keys, "seed \(seed) step \(step)")
    }
  }

  @Test(arguments: (11...14).map(UInt64.init))
  func `keys of any length and likeness are restored`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var keys: Set<[UInt8]> = [[]]
    let stem = (0..<600).map { _ in UInt8.random(in: 0...255, using: &generator) }
    while keys.count < 3000 {
      // Stems around the lengths at which a header changes, and ends around the eight bytes of an identity.
      let length = [0, 3, 30, 31, 32, 158, 159, 254, 255, 256, 600]
      let start = stem.prefix(length[Int.random(in: 0..<length.count, using: &generator)])
      let rest = (0..<Int.random(in: 0...11, using: &generator)).map { _ in
        [0, 0, 0, 1, 128, 255][Int.random(in: 0..<6, using: &generator)] as UInt8
      }
      keys.insert(start + rest)
    }
    let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
    var list = SortedKeyList(
      limits: KeyChunkLimits(maximumCount: 512, maximumByteCount: 1 << 18, packedCount: 8)
    )
    try list.append(KeyBatch(sorted))
    #expect(list.allKeys == sorted, "seed \(seed)")
    #expect(list.checkInvariants() == nil, "seed \(seed)")
    for (position, key) in sorted.enumerated() where position % 7 == 0 {
      #expect(list.position(of: key) == position, "seed \(seed)")
      #expect(list.rank(of: key + [0]) == position + 1, "seed \(seed)")
    }
  }
}
