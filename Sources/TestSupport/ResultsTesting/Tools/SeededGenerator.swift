/// A random number generator whose numbers follow from its seed, the same on every platform.
///
/// It is SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
  /// What the numbers follow from; show it when a test fails.
  public let seed: UInt64
  private var state: UInt64

  /// A generator that begins at a seed.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

extension SeededGenerator {
  /// A number of a range.
  public mutating func number(in range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// Whether something that happens a number of times in a hundred happens now.
  public mutating func happens(percent: Int) -> Bool { number(in: 1...100) <= percent }

  /// One of some choices, of which there is at least one.
  public mutating func choice<Choice>(_ first: Choice, _ others: Choice...) -> Choice {
    let index = number(in: 0...others.count)
    return index == 0 ? first : others[index - 1]
  }

  /// An element, or `nil` of an empty collection.
  public mutating func element<Elements: Collection>(of elements: Elements) -> Elements.Element? {
    elements.randomElement(using: &self)
  }
}
