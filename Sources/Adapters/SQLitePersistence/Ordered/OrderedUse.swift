/// What a statement of a list over an index is for.
enum OrderedUse {
  /// All keys in order.
  case scan
  /// Those keys for which the sampling function says so.
  case sample
  /// How many keys there are in pieces of a shape.
  case count(Int)
  /// The keys of pieces of a shape, without as many as the last parameter says.
  case page(Int)

  /// The shape of the pieces that it is for, or `nil` if it is for all keys.
  var shape: Int? {
    switch self {
    case .count(let shape), .page(let shape): shape
    case .scan, .sample: nil
    }
  }

  /// Where it stands among all uses of a list whose pieces have so many shapes.
  func place(shapes: Int) -> Int {
    switch self {
    case .count(let shape): shape
    case .page(let shape): shapes + shape
    case .scan: shapes * 2
    case .sample: shapes * 2 + 1
    }
  }

  /// How many uses there are.
  static func count(shapes: Int) -> Int { shapes * 2 + 2 }
}
