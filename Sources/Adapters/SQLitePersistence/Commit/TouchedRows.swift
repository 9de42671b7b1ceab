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
    /// Where each key is, or `nil` as long as the keys are integers that came in ascending order.
    private var places: [ObjectKey: Int]?
    var touches: [Touch] = []

    /// Where a key is, or `nil` if it was not touched yet.
    mutating func place(of key: ObjectKey) -> Int? {
      if let places { return places[key] }
      guard let last = touches.last else { return nil }
      guard case .integer(let number) = key, case .integer(let largest) = last.key else {
        return searched(key)
      }
      guard number <= largest else { return nil }
      var (low, high) = (0, touches.count)
      while low < high {
        let middle = (low + high) / 2
        guard case .integer(let other) = touches[middle].key, other < number else {
          high = middle
          continue
        }
        low = middle + 1
      }
      if touches[low].key == key { return low }
      return searched(key)
    }

    mutating func append(_ touch: Touch) {
      if case .integer = touch.key {
      } else if places == nil {
        index()
      }
      places?[touch.key] = touches.count
      touches.append(touch)
    }

    private mutating func searched(_ key: ObjectKey) -> Int? {
      index()
      return places?[key]
    }

    private mutating func index() {
      let pairs = touches.enumerated().map { ($0.element.key, $0.offset) }
      places = Dictionary(pairs) { first, _ in first }
    }
  }

  private let capacity: Int
  private var tables: [TableTouches]
  private var count = 0
  /// How many rows were touched whose new image is not known.
  private var unknownCount = 0
  /// How many changes of rows were heard, those of other tables included.
  private(set) var eventCount = 0
  /// Whether so many rows were touched that they are not told one by one.
  private(set) var isOverflown = false
  /// Whether some change could not be understood.
  private(set) var isInexact = false
  /// Whether nothing is known of new images any more.
  private var mustReadAgain = false

  /// The numbers of the tables' entities in the database's log, or `nil` if the changes are not packed for it.
  private let numbers: [Int]?
  /// The changes, packed for the log; complete even if so many that they are not remembered.
  var payload = PayloadWriter()

  init(tableCount: Int, capacity: Int, numbers: [Int]? = nil) {
    tables = Array(repeating: TableTouches(), count: tableCount)
    self.capacity = capacity
    self.numbers = numbers
  }

  /// Counts changes of any rows of the database.
  mutating func countEvents(_ count: Int) { eventCount += count }

  /// Whether so many rows would have to be read again that whoever needs them had better read the log.
  var isBulk: Bool { mustReadAgain && count > TouchedRows.readingLimit }

  /// How many rows are read again at a commit that a log tells, at most.
  private static let readingLimit = 4096

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
    guard !isOverflown else {
      // Whoever reads it takes the first of several images.
      if let numbers { payload.append(key, before: before(), of: numbers[table]) }
      return
    }
    if let place = tables[table].place(of: key) {
      tables[table].touches[place].after = after
      return
    }
    let image = before()
    if let numbers { payload.append(key, before: image, of: numbers[table]) }
    count += 1
    if case .unknown = after { unknownCount += 1 }
    guard count <= capacity, numbers == nil || unknownCount <= TouchedRows.readingLimit else {
      isOverflown = true
      for place in tables.indices { tables[place] = TableTouches() }
      return
    }
    tables[table].append(Touch(key: key, before: image, after: after))
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
        known.append(table.change(of: touch.key, from: touch.before, to: after))
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
  func sortedByKey(_ changes: [CommittedChange]) -> [CommittedChange] {
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
