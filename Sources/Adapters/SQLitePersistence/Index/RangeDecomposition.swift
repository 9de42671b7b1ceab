import ResultsDomain

/// Takes what lies between two bounds apart into pieces, in the order of the keys.
struct OrderedLadder {
  let columns: [OrderedColumn]
  private(set) var pieces: [OrderedPiece] = []

  init(_ columns: [OrderedColumn]) { self.columns = columns }

  /// Finds the pieces between two bounds; there are none if the second is not behind the first.
  /// - Complexity: O(*n*) in the bounds' bytes.
  mutating func climb(
    _ lower: OrderedBound,
    _ lowerBytes: UnsafeRawBufferPointer,
    _ upper: OrderedBound,
    _ upperBytes: UnsafeRawBufferPointer
  ) {
    pieces.removeAll(keepingCapacity: true)
    let shared = min(lower.parts.count, upper.parts.count)
    var common = 0
    var order = 0
    while common < shared {
      let (low, high) = (lower.parts[common], upper.parts[common])
      order = lowerBytes.order(
        low.start,
        low.end,
        to: upperBytes,
        high.start,
        high.end,
        isDescending: columns[common].key.isDescending
      )
      guard order == 0 else { break }
      common += 1
    }
    guard order <= 0 else { return }
    let low = common < lower.parts.count ? lower.end(at: common, isUpper: false) : nil
    let high = common < upper.parts.count ? upper.end(at: common, isUpper: true) : nil
    // A bound that ends here stands before or after all that the other one goes on to tell apart.
    guard low != nil || !lower.isAfter, high != nil || upper.isAfter else { return }
    guard common < columns.count else {
      let end = OrderedBound.End(isNull: lower.parts[common - 1].isNull, isIncluded: true)
      append(at: common - 1, .lower, from: end, to: end)
      return
    }
    for place in stride(from: lower.parts.count - 1, to: common, by: -1) {
      append(at: place, .lower, from: lower.end(at: place, isUpper: false), to: nil)
    }
    append(at: common, common < lower.parts.count ? .lower : .upper, from: low, to: high)
    for place in stride(from: common + 1, to: upper.parts.count, by: 1) {
      append(at: place, .upper, from: nil, to: upper.end(at: place, isUpper: true))
    }
  }

  /// Appends the keys that have one bound's columns before a place, and at that place what lies between two ends.
  private mutating func append(
    at place: Int,
    _ side: OrderedPiece.Side,
    from low: OrderedBound.End?,
    to high: OrderedBound.End?
  ) {
    let whole = OrderedPiece(equal: place, side: side)
    guard low != nil || high != nil else {
      pieces.append(whole)
      return
    }
    let column = columns[place]
    let nullsFirst = column.key.nulls == .first
    let holdsNull =
      column.isNullable && (low.map { $0.isNull ? $0.isIncluded : !nullsFirst } ?? true)
      && (high.map { $0.isNull ? $0.isIncluded : nullsFirst } ?? true)
    // A null end stands outside of all values, or beyond them.
    let holdsValues =
      (low.map { !$0.isNull || nullsFirst } ?? true)
      && (high.map { !$0.isNull || !nullsFirst } ?? true)
    var values = whole
    let first = low.flatMap { $0.isNull ? nil : $0 }
    let last = high.flatMap { $0.isNull ? nil : $0 }
    let (least, greatest) = column.key.isDescending ? (last, first) : (first, last)
    let (leastSide, greatestSide): (OrderedPiece.Side, OrderedPiece.Side) =
      column.key.isDescending ? (.upper, .lower) : (.lower, .upper)
    if let least { values.lower = .part(leastSide, isIncluded: least.isIncluded) }
    if let greatest { values.upper = .part(greatestSide, isIncluded: greatest.isIncluded) }
    let isUnlimited = least == nil && greatest == nil
    if isUnlimited, holdsValues, holdsNull || !column.isNullable {
      pieces.append(whole)
      return
    }
    // A comparison with a value leaves nulls out by itself.
    if isUnlimited { values.lower = .smallest }
    var null = whole
    null.endsInNull = true
    if holdsNull, nullsFirst { pieces.append(null) }
    if holdsValues { pieces.append(values) }
    if holdsNull, !nullsFirst { pieces.append(null) }
  }
}

extension OrderedBound {
  /// What a bound says of one column.
  struct End {
    let isNull: Bool
    /// Whether keys with its value are on the bound's inner side.
    let isIncluded: Bool
  }

  fileprivate func end(at place: Int, isUpper: Bool) -> End {
    End(
      isNull: parts[place].isNull,
      isIncluded: place == parts.count - 1 && isAfter == isUpper
    )
  }
}

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

/// A place between the keys of a list: before or after all that begin with some columns.
///
/// Only columns in which keys differ count; of the others it was settled on which side of the keys the bound is.
struct OrderedBound {
  /// The bytes of one column in the bound's own.
  struct Part {
    let start: Int
    let end: Int
    let isNull: Bool
  }

  private(set) var parts: [Part] = []
  /// Whether it stands after the keys that begin with its columns, and not before them.
  private(set) var isAfter = false

  /// Makes it the bound before or behind all keys that begin with some bytes.
  /// - Complexity: O(*n*) in the bytes.
  mutating func set(_ bytes: UnsafeRawBufferPointer, isBehind: Bool, in plan: OrderedPlan) {
    parts.removeAll(keepingCapacity: true)
    isAfter = isBehind
    var start = 0
    for place in plan.roles.indices {
      guard start < bytes.count else { return }
      let column = plan.columns[place]
      let end = plan.layout.end(of: column, in: bytes, from: start)
      switch plan.roles[place] {
      case .varies:
        let tag = bytes[start]
        guard tag == 2 || tag == (column.nulls == .first ? 1 : 3) else {
          isAfter = tag > 2
          return
        }
        parts.append(Part(start: start, end: end, isNull: tag != 2))
      case .fixed(let value):
        let order = value.withUnsafeBytes {
          bytes.order(start, end, to: $0, 0, $0.count, isDescending: column.isDescending)
        }
        guard order == 0 else {
          isAfter = order > 0
          return
        }
      case .repeats(let index):
        let order = repeated(parts[index], plan.variable[index].key, bytes, start, end, column)
        guard order == 0 else {
          isAfter = order > 0
          return
        }
      }
      start = end
    }
  }

  /// How the bytes of a column compare with those that the value of an earlier one has there.
  private func repeated(
    _ part: Part,
    _ key: KeyColumn,
    _ bytes: UnsafeRawBufferPointer,
    _ start: Int,
    _ end: Int,
    _ column: KeyColumn
  ) -> Int {
    let isDescending = column.isDescending
    guard key != column else {
      return bytes.order(
        start,
        end,
        to: bytes,
        part.start,
        part.end,
        isDescending: isDescending
      )
    }
    let value = KeyReader.value(key, UnsafeRawBufferPointer(rebasing: bytes[part.start..<part.end]))
    var writer = KeyWriter()
    _ = writer.append(value, column)
    return writer.bytes.withUnsafeBytes {
      bytes.order(start, end, to: $0, 0, $0.count, isDescending: isDescending)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Compares a whole column's bytes with those of another key: less than 0, 0, or more.
  ///
  /// Where one begins with the other, the byte that goes on is that of an escape; what follows the other one's end in its key is
  /// between 0 and 255, the escapes of descending and of ascending columns.
  func order(
    _ start: Int,
    _ end: Int,
    to other: UnsafeRawBufferPointer,
    _ otherStart: Int,
    _ otherEnd: Int,
    isDescending: Bool
  ) -> Int {
    let count = end - start
    let otherCount = otherEnd - otherStart
    for index in 0..<Swift.min(count, otherCount) {
      let difference = Int(self[start + index]) - Int(other[otherStart + index])
      if difference != 0 { return difference }
    }
    return isDescending ? otherCount - count : count - otherCount
  }
}
