import ResultsDomain

/// The rows that a transaction touched, with what they were before it.
///
/// The first old image of a row is the truth before the transaction, whatever savepoints were rolled back since. The last new
/// image is the truth after it only as long as nothing was rolled back; else the row is read again before the commit.
struct TouchedRows: Sendable {
  /// What is known of a row after a change.
  enum NewImage: Sendable {
    /// The row's values, or that there is none.
    case known([Value]?)
    /// It must be read.
    case unknown
  }

  private struct Touch {
    let key: ObjectKey
    let before: [Value]?
    var after: NewImage
  }

  /// The touched rows of one table, in the order of their first change.
  private struct TableTouches {
    var places: [ObjectKey: Int] = [:]
    var touches: [Touch] = []
  }

  private let capacity: Int
  private var tables: [TableTouches]
  private var count = 0
  /// How many changes of rows were heard, those of other tables included.
  private(set) var eventCount = 0
  /// Whether so many rows were touched that they are not told one by one.
  private(set) var isOverflown = false
  /// Whether some change could not be understood.
  private(set) var isInexact = false
  /// Whether nothing is known of new images any more.
  private var mustReadAgain = false

  init(tableCount: Int, capacity: Int) {
    tables = Array(repeating: TableTouches(), count: tableCount)
    self.capacity = capacity
  }

  /// Counts a change of any row of the database.
  mutating func countEvent() { eventCount += 1 }

  /// Notes that a change could not be understood.
  mutating func noteInexact() { isInexact = true }

  /// Notes that something may have been rolled back within the transaction.
  mutating func forgetNewImages() { mustReadAgain = true }

  /// Notes a row that is about to change.
  /// - Parameters:
  ///   - table: The place of its table.
  ///   - key: Its key.
  ///   - after: What it will be.
  ///   - before: What it is before; asked only the first time.
  mutating func touch(
    _ table: Int,
    _ key: ObjectKey,
    after: NewImage,
    before: () -> [Value]?
  ) {
    guard !isOverflown else { return }
    if let place = tables[table].places[key] {
      tables[table].touches[place].after = after
      return
    }
    count += 1
    guard count <= capacity else {
      isOverflown = true
      for place in tables.indices { tables[place] = TableTouches() }
      return
    }
    tables[table].places[key] = tables[table].touches.count
    tables[table].touches.append(Touch(key: key, before: before(), after: after))
  }

  /// The net changes of each table that has any, ascending by key.
  /// - Complexity: O(*n* log *n*) in the touched rows; O(*n*) where they were touched in that order.
  func changes(
    of tables: StoreTables,
    reading: (EntityTable, [ObjectKey]) throws -> [Row?]
  ) throws -> [Int: [CommittedChange]] {
    var changes: [Int: [CommittedChange]] = [:]
    for (place, touched) in self.tables.enumerated() where !touched.touches.isEmpty {
      let table = tables.all[place]
      var known: [CommittedChange] = []
      known.reserveCapacity(touched.touches.count)
      var unknown: [Touch] = []
      func note(_ touch: Touch, _ after: [Value]?) {
        guard touch.before != after else { return }
        let id = table.id(touch.key)
        known.append(
          CommittedChange(
            id: id,
            before: touch.before.map { Row(entity: table.entity, id: id, values: $0) },
            after: after.map { Row(entity: table.entity, id: id, values: $0) }
          )
        )
      }
      for touch in touched.touches {
        if case .known(let after) = touch.after, !mustReadAgain {
          note(touch, after)
        } else {
          unknown.append(touch)
        }
      }
      for (touch, after) in zip(unknown, try reading(table, unknown.map(\.key))) {
        note(touch, after?.values)
      }
      guard !known.isEmpty else { continue }
      changes[place] = table.sortedByKey(known)
    }
    return changes
  }
}

extension EntityTable {
  /// Changes in the order of their keys.
  fileprivate func sortedByKey(_ changes: [CommittedChange]) -> [CommittedChange] {
    let layout = KeyLayout(order: [], keyTypes: entity.keyTypes)
    let numbers = changes.compactMap { change in
      if case .integer(let number) = change.id.key { number } else { nil }
    }
    guard numbers.count < changes.count else {
      let isAscending = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
      guard !isAscending else { return changes }
      return changes.indices.sorted { numbers[$0] < numbers[$1] }.map { changes[$0] }
    }
    let keys = changes.map { layout.identityBytes(of: $0.id.key) ?? [] }
    return changes.indices.sorted { keys[$0].lexicographicallyPrecedes(keys[$1]) }
      .map { changes[$0] }
  }
}
