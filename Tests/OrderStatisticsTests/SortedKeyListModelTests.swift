import ResultsStoreKit
import OrderStatistics
import ResultsTesting
import Testing

/// Random edits on a list with tiny chunks and on a plain array must agree at every step.
@Suite struct SortedKeyListModelTests {
  private struct Pair {
    var list: SortedKeyList
    var model = PlainKeys()
  }

  @Test(arguments: (1...10).map(UInt64.init))
  func `a list behaves as a plain sorted array`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let limits = KeyChunkLimits(
      maximumCount: Int.random(in: 4...12, using: &generator),
      maximumByteCount: Int.random(in: 30...200, using: &generator),
      packedCount: seed.isMultiple(of: 2) ? .max : Int.random(in: 1...6, using: &generator)
    )
    var pair = Pair(list: SortedKeyList(limits: limits))
    var snapshots: [Pair] = []
    for step in 0..<8_000 {
      // Phases of growth and of decay, so that chunks split and merge over and over.
      let isGrowing = step / 500 % 2 == 0
      let key = randomKey(using: &generator)
      if Int.random(in: 0..<10, using: &generator) < (isGrowing ? 7 : 2) {
        try #require(pair.list.insert(key) == pair.model.insert(key), "seed \(seed) step \(step)")
      } else if let position = pair.model.keys.indices.randomElement(using: &generator),
        Bool.random(using: &generator)
      {
        pair.list.remove(at: position)
        pair.model.remove(at: position)
      } else {
        try #require(pair.list.remove(key) == pair.model.remove(key), "seed \(seed) step \(step)")
      }
      let probe = randomKey(using: &generator)
      let rank = pair.model.rank(of: probe)
      try #require(pair.list.rank(of: probe) == rank, "seed \(seed) step \(step)")
      let expected = pair.model.keys.dropFirst(rank).first == probe ? rank : nil
      try #require(pair.list.position(of: probe) == expected, "seed \(seed) step \(step)")
      try #require(pair.list.count == pair.model.keys.count, "seed \(seed) step \(step)")
      guard step % 100 == 0 else { continue }
      try #require(pair.list.checkInvariants() == nil, "seed \(seed) step \(step)")
      try #require(pair.list.allKeys == pair.model.keys, "seed \(seed) step \(step)")
      snapshots.append(pair)
      if snapshots.count > 6 { snapshots.removeFirst() }
      for snapshot in snapshots {
        try #require(snapshot.list.allKeys == snapshot.model.keys, "seed \(seed) step \(step)")
        try expectDifference(from: snapshot, to: pair, "seed \(seed) step \(step)")
      }
      try expectSlice(of: pair, using: &generator, "seed \(seed) step \(step)")
    }
  }

  @Test(arguments: (21...28).map(UInt64.init))
  func `bulk edits behave as on a plain sorted array`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var pair = Pair(
      list: SortedKeyList(
        limits: KeyChunkLimits(
          maximumCount: 4 + Int(seed % 4) * 5,
          maximumByteCount: 90,
          packedCount: seed > 24 ? 1 : .max
        )
      )
    )
    for step in 0..<400 {
      let before = pair
      let share = Int.random(in: 1...30, using: &generator)
      let removals = before.model.keys.filter { _ in
        Int.random(in: 0..<share, using: &generator) == 0
      }
      let remaining = Set(before.model.keys).subtracting(removals)
      let additions = Int.random(in: 0...25, using: &generator)
      let insertions = Set((0..<additions).map { _ in randomKey(using: &generator) })
        .subtracting(remaining).sorted(by: PlainKeys.isBefore)
      let positions = try pair.list.apply(removals: removals, insertions: insertions)
      pair.model.apply(removals: removals, insertions: insertions)
      try #require(pair.list.allKeys == pair.model.keys, "seed \(seed) step \(step)")
      try #require(pair.list.checkInvariants() == nil, "seed \(seed) step \(step)")
      try #require(before.list.allKeys == before.model.keys, "seed \(seed) step \(step)")
      let removed = positions.removals.map { before.model.keys[$0] }
      let inserted = positions.insertions.map { pair.model.keys[$0] }
      try #require(removed == removals, "seed \(seed) step \(step)")
      try #require(inserted == insertions, "seed \(seed) step \(step)")
      try expectDifference(from: before, to: pair, "seed \(seed) step \(step)")
    }
  }

  @Test(arguments: (31...34).map(UInt64.init))
  func `appending batches behaves as appending to a plain array`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for step in 0..<60 {
      let wanted = Int.random(in: 0...120, using: &generator)
      let keys = Set((0..<wanted).map { _ in randomKey(using: &generator) })
        .sorted(by: PlainKeys.isBefore)
      var list = SortedKeyList(
        limits: KeyChunkLimits(
          maximumCount: 6,
          maximumByteCount: 40,
          packedCount: seed.isMultiple(of: 2) ? .max : 3
        )
      )
      var next = 0
      while next < keys.count {
        let end = min(keys.count, next + Int.random(in: 1...30, using: &generator))
        try list.append(KeyBatch(keys[next..<end]))
        next = end
      }
      try #require(list.allKeys == keys, "seed \(seed) step \(step)")
      try #require(list.checkInvariants() == nil, "seed \(seed) step \(step)")
    }
  }

  private func expectDifference(from old: Pair, to new: Pair, _ context: Comment) throws {
    let difference = SortedKeyList.difference(from: old.list, to: new.list)
    let oldKeys = Set(old.model.keys)
    let newKeys = Set(new.model.keys)
    let removals = old.model.keys.indices.filter { !newKeys.contains(old.model.keys[$0]) }
    let insertions = new.model.keys.indices.filter { !oldKeys.contains(new.model.keys[$0]) }
    try #require(difference.removals == removals, context)
    try #require(difference.insertions == insertions, context)
    try #require(difference.isEmpty == (old.list == new.list), context)
  }

  private func expectSlice(
    of pair: Pair,
    using generator: inout SeededGenerator,
    _ context: Comment
  ) throws {
    let first = Int.random(in: 0...pair.list.count, using: &generator)
    let range = first..<Int.random(in: first...pair.list.count, using: &generator)
    var slice = pair.list.slice(range)
    var model = Array(pair.model.keys[range])
    try #require(slice.allKeys == model, context)
    try #require(slice.checkInvariants() == nil, context)
    if let position = model.indices.randomElement(using: &generator) {
      slice.remove(at: position)
      model.remove(at: position)
    }
    try #require(slice.allKeys == model, context)
    try #require(pair.list.allKeys == pair.model.keys, context)
    var positions: [Int] = []
    pair.list.forEachKey(in: range) { position, _ in positions.append(position) }
    try #require(positions == Array(range), context)
    let stride = Int.random(in: 1...9, using: &generator)
    var keys: [[UInt8]] = []
    pair.list.forEachKey(in: range, every: stride) { _, key in keys.append(Array(key)) }
    let expected = Swift.stride(from: range.lowerBound, to: range.upperBound, by: stride)
    try #require(keys == expected.map { pair.model.keys[$0] }, context)
  }
}

/// The model of a sorted key list: a plain array, searched from front to back.
struct PlainKeys: Equatable {
  private(set) var keys: [[UInt8]] = []

  static func isBefore(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.lexicographicallyPrecedes(right)
  }

  func rank(of key: [UInt8]) -> Int {
    keys.count { Self.isBefore($0, key) }
  }

  mutating func insert(_ key: [UInt8]) -> Int? {
    guard !keys.contains(key) else { return nil }
    let rank = rank(of: key)
    keys.insert(key, at: rank)
    return rank
  }

  mutating func remove(_ key: [UInt8]) -> Int? {
    guard let position = keys.firstIndex(of: key) else { return nil }
    keys.remove(at: position)
    return position
  }

  mutating func remove(at position: Int) {
    keys.remove(at: position)
  }

  mutating func apply(removals: [[UInt8]], insertions: [[UInt8]]) {
    let removed = Set(removals)
    keys = (keys.filter { !removed.contains($0) } + insertions).sorted(by: Self.isBefore)
  }
}

extension SortedKeyList {
  /// All keys, copied.
  var allKeys: [[UInt8]] {
    var keys: [[UInt8]] = []
    forEachKey(in: 0..<count) { _, key in keys.append(Array(key)) }
    return keys
  }
}

/// Short keys over few byte values, so that prefixes, equal words and the extremes are common.
func randomKey(using generator: inout SeededGenerator) -> [UInt8] {
  let alphabet: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
  let prefix = [UInt8](repeating: 0x41, count: Int.random(in: 0...1, using: &generator) * 9)
  let length = Int.random(in: 0...6, using: &generator)
  return prefix + (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
}
