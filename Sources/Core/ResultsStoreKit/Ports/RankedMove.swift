import ResultsDomain

/// A ranked order whose attributes the entity has.
///
/// Ranks are compared in the direction of the order: of a descending one the bits are inverted, so that smaller numbers are first.
struct CheckedRanks {
  let entity: EntityDescription
  /// The index of the attribute with the ranks.
  let rank: Int
  /// The indexes of the attributes of the scope.
  let scope: [Int]
  /// The term of a list in this order.
  let term: FetchSortDescriptor
  /// The ranks that may be given, in the direction of the order.
  let bounds: ClosedRange<Int64>

  /// Checks an order.
  /// - Throws: `StoreError.request` for an attribute that the entity does not have, or that holds no ranks.
  init(_ order: RankedOrderDescription) throws(StoreError) {
    let entity = order.entity
    func index(_ name: String) throws(StoreError) -> Int {
      if let index = entity.index(of: name) { return index }
      if entity.isKey(name) {
        throw .request(.invalidRank(name, entity: entity.name, found: "the key"))
      }
      let known = entity.attributes.map(\.name)
      throw .request(.unknownAttribute(name, entity: entity.name, known: known))
    }
    self.entity = entity
    rank = try index(order.rank)
    var indexes: [Int] = []
    for name in order.scope { indexes.append(try index(name)) }
    scope = indexes
    term = order.sortDescriptor
    let attribute = entity.attributes[rank]
    let whole: ClosedRange<Int64>? =
      switch attribute.type {
      case .integer16: Int64(Int16.min)...Int64(Int16.max)
      case .integer32: Int64(Int32.min)...Int64(Int32.max)
      case .integer64: Int64.min...Int64.max
      default: nil
      }
    guard let whole, attribute.form == nil, !entity.keyAttributeIndexes.contains(rank),
      !indexes.contains(rank)
    else {
      let isKey = entity.keyAttributeIndexes.contains(rank)
      let found =
        whole == nil || attribute.form != nil
        ? "of type \(attribute.type)" : isKey ? "a part of the key" : "a part of the scope"
      throw .request(.invalidRank(attribute.name, entity: entity.name, found: found))
    }
    let allowed = order.ranks.map { $0.clamped(to: whole) } ?? whole
    bounds =
      order.direction == .ascending ? allowed : ~allowed.upperBound...(~allowed.lowerBound)
  }

  /// The stored row of an object.
  func row(_ id: ObjectID, in snapshot: any StoreSnapshot) throws(StoreError) -> Row {
    guard id.entity.hasSameBytes(as: entity.name) else {
      throw .request(.foreignIdentity(id, entity: entity.name))
    }
    guard case .some(.some(let row)) = try snapshot.rows([id.key], of: entity).first
    else { throw .notFound(id) }
    return row
  }

  /// The rank of a row in the direction of the order, or `nil` if it has none.
  func rank(of row: Row) throws(StoreError) -> Int64? {
    switch row.values[rank] {
    case .null: return nil
    case .integer(let number): return inDirection(number)
    default: throw .unexpectedValue(row.id, what: entity.attributes[rank].name)
    }
  }

  /// A stored rank in the direction of the order, and the reverse.
  func inDirection(_ number: Int64) -> Int64 {
    term.direction == .ascending ? number : ~number
  }

  /// The ranks between two that are usual where nothing limits them: half of the bits of the ranks for rows, a quarter for gaps.
  var step: UInt64 {
    let width = UInt64(bitPattern: bounds.upperBound &- bounds.lowerBound)
    return 1 << UInt64((64 - width.leadingZeroBitCount) / 4 + 1)
  }
}

/// The rows on one side of a position, nearest first, as far as they have been read.
private struct RankedRows {
  let isAfter: Bool
  /// The row from which they are read on; `nil` for the end of the group.
  var last: Row?
  var rows: [(row: Row, rank: Int64?)] = []
  var isComplete = false
  /// Whether the row to be moved is the nearest.
  var beginsWithMoved = false
}

/// The way of one row to its position in a ranked order: the rows beside it, and the ranks that give it room.
struct RankedMove {
  private let ranks: CheckedRanks
  private let transaction: any StoreTransaction
  private let id: ObjectID?
  private var values: [Value]
  private let group: FetchPredicate
  private var before: RankedRows
  private var after: RankedRows
  /// The present rank of the row within the group, which no other row may get before it is free, as a unique index would refuse.
  private var occupied: Int64?

  /// Reads the nearest rows of a position.
  /// - Parameters:
  ///   - values: The values of the row.
  ///   - id: The identity of a row that is stored already.
  ///   - position: The position, which is not beside the row itself.
  ///   - ranks: The order.
  ///   - transaction: The transaction.
  /// - Throws: `StoreError.notFound` for a neighbour that does not exist, and the store's error.
  init(
    of values: [Value],
    _ id: ObjectID?,
    to position: RankedPosition,
    _ ranks: CheckedRanks,
    in transaction: any StoreTransaction
  ) throws(StoreError) {
    self.ranks = ranks
    self.transaction = transaction
    self.id = id
    self.values = values
    before = RankedRows(isAfter: false)
    after = RankedRows(isAfter: true)
    if let neighbour = position.neighbour {
      let row = try ranks.row(neighbour, in: transaction)
      for index in ranks.scope { self.values[index] = row.values[index] }
      (before.last, after.last) = (row, row)
      if case .after = position {
        before.rows = [(row, try ranks.rank(of: row))]
      } else {
        after.rows = [(row, try ranks.rank(of: row))]
      }
    } else if position == .start {
      before.isComplete = true
    } else {
      after.isComplete = true
    }
    let new = self.values
    group = ranks.group(of: new)
    if let id, ranks.scope.allSatisfy({ values[$0] == new[$0] }) {
      // What the row has is replaced, whatever it is.
      occupied = (try? ranks.rank(of: Row(entity: ranks.entity, id: id, values: values))) ?? nil
    } else {
      occupied = nil
    }
  }

  /// Moves the stored row, unless it is at the position already.
  /// - Returns: The number of rows that were written.
  mutating func write(_ row: Row) throws(StoreError) -> Int {
    try read(1)
    guard !before.beginsWithMoved, !after.beginsWithMoved else { return 0 }
    let count = try spread()
    try transaction.update(row.id, to: values, of: ranks.entity)
    return count + 1
  }

  /// Makes room for a row that is not stored yet.
  /// - Returns: The values of the row, with its rank and its group.
  mutating func makeRoom() throws(StoreError) -> [Value] {
    _ = try spread()
    return values
  }

  // MARK: - Room

  /// Numbers that consecutive rows can have.
  private struct Room {
    let left: Int
    let right: Int
    var low: Int64
    var high: Int64
    /// A number in between that none may have.
    let occupied: Int64?

    /// How many numbers there are, or one less where all of 64 bits are.
    var count: UInt64 {
      guard low <= high else { return 0 }
      let width = UInt64(bitPattern: high &- low)
      if let occupied, (low...high).contains(occupied) { return width }
      return width == .max ? width : width + 1
    }
  }

  /// Gives ranks to the fewest rows around the position that have room together, and one to the row itself.
  ///
  /// More rows need more room for each, so that the room lasts: a position that is used again and again costs a few writes each time.
  /// - Returns: The number of other rows that were written.
  private mutating func spread() throws(StoreError) -> Int {
    var size = 1
    while true {
      try read(size)
      let total = before.rows.count + after.rows.count + 1
      let isAll = before.isComplete && after.isComplete && size >= total
      size = isAll ? total : size
      let wanted = size == 1 ? 1 : UInt64(size) * UInt64(size) * 8
      var best: Room?
      for left in max(0, size - 1 - after.rows.count)...min(size - 1, before.rows.count) {
        guard let room = room(left: left, right: size - 1 - left),
          room.count >= wanted || isAll && room.count >= UInt64(size),
          room.count > best?.count ?? 0
        else { continue }
        best = room
      }
      if let best { return try write(best, of: size) }
      if isAll, occupied != nil {
        // There are exactly as many ranks as rows.
        occupied = nil
        continue
      }
      guard !isAll else {
        let name = ranks.entity.attributes[ranks.rank].name
        throw .request(.exhaustedRanks(name, entity: ranks.entity.name, rows: size))
      }
      size = size < 4 ? size + 1 : size + size / 2
    }
  }

  /// The numbers between the ranks of the rows beyond some rows on the left and on the right.
  /// - Returns: `nil` if such a row has no rank and is not where rows without one are.
  private func room(left: Int, right: Int) -> Room? {
    var (low, high) = (ranks.bounds.lowerBound, ranks.bounds.upperBound)
    var (isOpenBelow, isOpenAbove) = (true, true)
    if left < before.rows.count {
      if let rank = before.rows[left].rank {
        guard rank < .max else { return nil }
        low = max(low, rank + 1)
        isOpenBelow = false
      } else if ranks.term.nulls == .last {
        return nil
      }
    }
    if right < after.rows.count {
      if let rank = after.rows[right].rank {
        guard rank > .min else { return nil }
        high = min(high, rank - 1)
        isOpenAbove = false
      } else if ranks.term.nulls == .first {
        return nil
      }
    }
    guard low <= high else { return nil }
    let size = UInt64(left + right + 1)
    let width = UInt64(bitPattern: high &- low)
    let length = size * max(ranks.step, size * 8)
    if width > length, isOpenBelow || isOpenAbove {
      // What lies beyond is left for rows to come.
      let isBelow = isOpenBelow && isOpenAbove ? high < 0 : isOpenBelow
      if isOpenBelow, isOpenAbove, low < 0, high >= 0,
        UInt64(bitPattern: high) >= length
      {
        low = 0
      }
      if isBelow { low = high - Int64(length) } else { high = low + Int64(length) }
    }
    return Room(left: left, right: right, low: low, high: high, occupied: occupied)
  }

  /// Spreads rows evenly in their room.
  private mutating func write(_ room: Room, of size: Int) throws(StoreError) -> Int {
    let gap = room.count / UInt64(size)
    func number(_ index: Int) -> Int64 {
      let number = room.low &+ Int64(bitPattern: UInt64(index) * gap + gap / 2)
      guard let occupied, room.low <= occupied, number >= occupied else { return number }
      return number + 1
    }
    values[ranks.rank] = .integer(ranks.inDirection(number(room.left)))
    var forward: [(Row, Int64)] = []
    var backward: [(Row, Int64)] = []
    let rows = before.rows[..<room.left].reversed() + after.rows[..<room.right]
    for (index, (row, rank)) in rows.enumerated() {
      let new = number(index < room.left ? index : index + 1)
      let isForward = rank.map { $0 < new } ?? (ranks.term.nulls == .first)
      if rank != new {
        if isForward { forward.append((row, new)) } else { backward.append((row, new)) }
      }
    }
    // No row gets a rank that another one still has.
    for (row, number) in forward.reversed() + backward {
      var values = row.values
      values[ranks.rank] = .integer(ranks.inDirection(number))
      try transaction.update(row.id, to: values, of: ranks.entity)
    }
    return forward.count + backward.count
  }
}

extension RankedMove {
  /// Reads at least a number of rows on each side, or all.
  private mutating func read(_ count: Int) throws(StoreError) {
    try read(count, of: \.before)
    try read(count, of: \.after)
  }

  private mutating func read(
    _ count: Int,
    of path: WritableKeyPath<RankedMove, RankedRows>
  ) throws(StoreError) {
    var side = self[keyPath: path]
    while !side.isComplete, side.rows.count < count {
      let wanted = max(2, 2 * count - side.rows.count)
      let found = try ranks.nearest(
        to: side.last,
        in: group,
        isAfter: side.isAfter,
        limit: wanted,
        transaction
      )
      if side.rows.isEmpty, let first = found.first { side.beginsWithMoved = first.id == id }
      for row in found where row.id != id {
        side.rows.append((row, try ranks.rank(of: row)))
      }
      side.last = found.last ?? side.last
      side.isComplete = found.count < wanted
    }
    self[keyPath: path] = side
  }
}

// MARK: - Reading

extension CheckedRanks {
  /// The condition for rows of the group to which a row with some values belongs.
  func group(of values: [Value]) -> FetchPredicate {
    .conjunction(
      scope.map { index in
        let attribute = FetchExpression.attribute(entity.attributes[index].name)
        return values[index].isNull
          ? .isNull(attribute) : .comparison(attribute, .equal, .literal(values[index]))
      }
    )
  }

  /// The rows of the group beyond one of them, nearest first.
  func nearest(
    to last: Row?,
    in group: FetchPredicate,
    isAfter: Bool,
    limit: Int,
    _ snapshot: any StoreSnapshot
  ) throws(StoreError) -> [Row] {
    let attribute = term.expression
    let entity = entity
    let key = entity.keyExpressions.map {
      FetchSortDescriptor($0, isAfter ? .ascending : .descending)
    }
    let term = isAfter ? term : term.reversed
    let hasNulls = entity.attributes[rank].isOptional
    let parts = !hasNulls ? [false] : term.nulls == .first ? [true, false] : [false, true]
    // A range of an index, unless there are values of other classes.
    let hasValue: FetchPredicate =
      entity.attributes[rank].holdsAnyValue
      ? .not(.isNull(attribute))
      : .between(attribute, .integer(.min), .integer(.max))
    let lastRank = last?.values[rank]
    var found: [Row] = []
    for isNull in parts where found.count < limit {
      var conditions = [group]
      var sort = key
      if isNull {
        conditions.append(.isNull(attribute))
      } else {
        sort.insert(term, at: 0)
      }
      if let last, let lastRank {
        // The part that has been read already.
        if lastRank.isNull != isNull, isNull == (term.nulls == .first) { continue }
        if lastRank.isNull == isNull {
          let isBeyond = entity.isBeyond(last, isAfter: isAfter)
          conditions += isNull ? [isBeyond] : term.isBeyond(lastRank, or: isBeyond)
        } else if !isNull {
          conditions.append(hasValue)
        }
      } else if !isNull, hasNulls {
        conditions.append(hasValue)
      }
      let keys = try snapshot.keys(
        of: FetchRequest<ObjectID>(
          entity: entity,
          where: .conjunction(conditions),
          sortedBy: sort,
          fetchLimit: limit - found.count
        )
      )
      found += try snapshot.rows(keys, of: entity).compactMap(\.self)
    }
    return found
  }
}

extension FetchSortDescriptor {
  /// The conditions for rows with a value beyond one in the direction of the term, or with that value and another condition.
  ///
  /// The first condition is a range of an index.
  fileprivate func isBeyond(_ value: Value, or tied: FetchPredicate) -> [FetchPredicate] {
    let isUp = direction == .ascending
    return [
      .comparison(expression, isUp ? .greaterOrEqual : .lessOrEqual, .literal(value)),
      .comparison(expression, isUp ? .greater : .less, .literal(value)) || tied,
    ]
  }
}

extension EntityDescription {
  /// The condition for rows whose identity is after or before that of a row.
  fileprivate func isBeyond(_ row: Row, isAfter: Bool) -> FetchPredicate {
    let parts = zip(keyExpressions, row.id.key.parts)
    var beyond = FetchPredicate.none
    for (expression, value) in Array(parts).reversed() {
      let isPast = FetchPredicate.comparison(
        expression,
        isAfter ? .greater : .less,
        .literal(value)
      )
      beyond = isPast || .comparison(expression, .equal, .literal(value)) && beyond
    }
    return beyond
  }
}
