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
