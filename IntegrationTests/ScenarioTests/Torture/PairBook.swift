import ResultsTesting

/// The pairs of one writer, which no other writer touches row by row.
struct PairBook {
  private(set) var pairs: [Int] = []
  private var next: Int
  private let writer: String
  private var nameCount = 0

  /// The pairs from a number on.
  init(from first: Int, of writer: String) {
    next = first
    self.writer = writer
  }

  /// A pair that was never there.
  mutating func add() -> Int {
    next += 1
    pairs.append(next)
    return next
  }

  /// A pair that is there, or was before a table was emptied; `nil` if there is none.
  func any(_ generator: inout SeededGenerator) -> Int? { generator.element(of: pairs) }

  /// Takes a pair out.
  mutating func remove(_ pair: Int) { pairs.removeAll { $0 == pair } }

  /// The keys of a pair's two rows.
  static func keys(_ pair: Int) -> [Int] { [-2 * pair, -2 * pair - 1] }

  /// A name that no pair had before.
  mutating func newName() -> String {
    nameCount += 1
    return "pair-\(writer)-\(nameCount)"
  }
}
