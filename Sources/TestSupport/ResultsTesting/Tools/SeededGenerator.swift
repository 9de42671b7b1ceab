/// A random number generator with a seed, whose numbers are the same on every platform.
///
/// The algorithm is SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
  /// The seed that determines all numbers; a failing test reports it.
  public let seed: UInt64
  private var state: UInt64

  /// Creates a generator with a seed.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

extension SeededGenerator {
  /// Returns a number in a range.
  public mutating func number(in range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// Returns true with the given probability in percent.
  public mutating func happens(percent: Int) -> Bool { number(in: 1...100) <= percent }

  /// Returns one of its arguments.
  public mutating func choice<Choice>(_ first: Choice, _ others: Choice...) -> Choice {
    let index = number(in: 0...others.count)
    return index == 0 ? first : others[index - 1]
  }

  /// Returns an element of a collection, or `nil` if it is empty.
  public mutating func element<Elements: Collection>(of elements: Elements) -> Elements.Element? {
    elements.randomElement(using: &self)
  }

  /// Returns a number from 0 to below a bound.
  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Returns an element of an array that is not empty.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
