/// A part of the keys between two bounds that one statement reads: equal in some columns, within a range in the next.
///
/// SQLite answers such a condition with one seek and no test for each row, which it does not for row values
/// (sqlite.org/rowvalue.html, 2.1).
struct OrderedPiece {
  /// Which bound's columns are meant.
  enum Side {
    case lower
    case upper
  }

  /// An end of the range, by the values of the column and not by the direction of the order.
  enum Edge {
    case open
    /// Before every value, so that nulls are left out.
    case smallest
    case part(Side, isIncluded: Bool)

    /// 0 for none, 1 without the value, 2 with it.
    var form: Int {
      switch self {
      case .open: 0
      case .part(_, isIncluded: false): 1
      case .smallest, .part(_, isIncluded: true): 2
      }
    }
  }

  /// How many of the first columns equal those of a bound.
  let equal: Int
  /// Which bound's.
  let side: Side
  /// Whether the column after those is null; it has no range then.
  var endsInNull = false
  var lower = Edge.open
  var upper = Edge.open

  /// Where the piece's statement stands among those of a plan.
  var shape: Int {
    OrderedPiece.shape(equal: endsInNull ? equal + 1 : equal, lower.form, upper.form)
  }

  /// Where a statement stands among those of a plan.
  static func shape(equal: Int, _ lower: Int, _ upper: Int) -> Int { equal * 9 + lower * 3 + upper }

  /// What makes a shape: how many columns are equal, and the forms of the range's two ends.
  static func forms(of shape: Int) -> (equal: Int, lower: Int, upper: Int) {
    (shape / 9, shape % 9 / 3, shape % 3)
  }
}
