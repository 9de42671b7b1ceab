// Texts and names are compared as bytes, never by Swift's canonical equivalence: two predicates that are equal hold
// for the same rows. The hashes that Swift derives agree with that, because equal bytes hash equally.

extension FetchExpression {
  /// Whether two expressions are written with the same bytes.
  public static func == (left: FetchExpression, right: FetchExpression) -> Bool {
    switch (left, right) {
    case (.attribute(let left), .attribute(let right)): left.hasSameBytes(as: right)
    case (.objectKey, .objectKey): true
    case (.literal(let left), .literal(let right)): left == right
    case (.prefix(let left, let one), .prefix(let right, let other)):
      one == other && left == right
    case (.lowercased(let left), .lowercased(let right)),
      (.uppercased(let left), .uppercased(let right)), (.length(let left), .length(let right)):
      left == right
    case (.bucket(let left, let one), .bucket(let right, let other)):
      one == other && left == right
    case (.ifNull(let left, let one), .ifNull(let right, let other)):
      one == other && left == right
    default: false
    }
  }
}

extension FetchPredicate {
  /// Whether two predicates are written with the same bytes.
  public static func == (left: FetchPredicate, right: FetchPredicate) -> Bool {
    switch (left, right) {
    case (.all, .all), (.none, .none): true
    case (.comparison(let a, let one, let b), .comparison(let c, let other, let d)):
      one == other && a == c && b == d
    case (.between(let left, let a, let b), .between(let right, let c, let d)):
      left == right && a == c && b == d
    case (.membership(let left, let one), .membership(let right, let other)):
      left == right && one == other
    case (.identity(let left), .identity(let right)): left == right
    case (.text(let left, let one, let a, let c), .text(let right, let other, let b, let d)):
      left == right && one == other && a.hasSameBytes(as: b) && c == d
    case (.isNull(let left), .isNull(let right)): left == right
    case (.not(let left), .not(let right)): left == right
    case (.and(let left), .and(let right)), (.or(let left), .or(let right)): left == right
    default: false
    }
  }
}
