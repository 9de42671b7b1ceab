import OrderStatistics

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
    let gone = Set(removals)
    keys = (keys.filter { !gone.contains($0) } + insertions).sorted(by: Self.isBefore)
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
