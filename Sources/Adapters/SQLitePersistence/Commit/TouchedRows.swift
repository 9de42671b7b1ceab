import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// The rows that a transaction touched, with their values before it.
///
/// The first old image of a row is its state before the transaction, whatever savepoints were rolled back since. The last new image is its
/// state after the transaction only if nothing was rolled back; otherwise the row is read again before the commit.
struct TouchedRows: Sendable {
  /// What is known of a row after a change.
  enum NewImage: Sendable {
    /// The row's values, or `nil` if it is deleted.
    case known([Value]?)
    /// The row must be read.
    case unknown
  }

  private struct Touch {
    let key: ObjectKey
    let before: [Value]?
    var after: NewImage
  }

  /// The touched rows of one table, in the order of their first change.
  private struct TableTouches {
    /// The index of each key, or `nil` while the keys are integers in ascending order.
    private var indexes: [ObjectKey: Int]?
    var touches: [Touch] = []

    /// The index of a key, or `nil` if it was not touched yet.
    mutating func index(of key: ObjectKey) -> Int? {
      if let indexes { return indexes[key] }
      guard !touches.isEmpty else { return nil }
      // Read in place: copying the element would retain its images.
      guard case .integer(let number) = key,
        case .integer(let largest) = touches[touches.count - 1].key
      else { return lookUp(key) }
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
      return lookUp(key)
    }

    mutating func append(_ touch: Touch) {
      if case .integer = touch.key {
      } else if indexes == nil {
        buildIndexes()
      }
      indexes?[touch.key] = touches.count
      touches.append(touch)
    }

    private mutating func lookUp(_ key: ObjectKey) -> Int? {
      buildIndexes()
      return indexes?[key]
    }

    private mutating func buildIndexes() {
      let pairs = touches.enumerated().map { ($0.element.key, $0.offset) }
      indexes = Dictionary(pairs) { first, _ in first }
    }
  }

  private let capacity: Int
  private var tables: [TableTouches]
  private var count = 0
  /// The number of touched rows whose new image is unknown.
  private var unknownCount = 0
  /// The number of row changes that were captured, including those of other tables.
  private(set) var eventCount = 0
  /// Whether too many rows were touched to list them one by one.
  private(set) var isOverflown = false
  /// Whether a change could not be read.
  private(set) var isInexact = false
  /// Whether the new images are no longer valid.
  private var mustReadAgain = false

  /// The log numbers of the tables' entities, or `nil` if changes are not packed for the log.
  private let numbers: [Int]?
  /// The changes, packed for the log; complete even if there are too many to list.
  var payload = PayloadWriter()

  init(tableCount: Int, capacity: Int, numbers: [Int]? = nil) {
    tables = Array(repeating: TableTouches(), count: tableCount)
    self.capacity = capacity
    self.numbers = numbers
  }

  /// Counts row changes of any table.
  mutating func countEvents(_ count: Int) { eventCount += count }

  /// Whether the log is cheaper to read than the rows that would have to be read again.
  var isBulk: Bool { mustReadAgain && count > TouchedRows.readingLimit }

  /// How many rows are read again at most at a commit that is logged.
  private static let readingLimit = 4096

  /// Notes that a change could not be read.
  mutating func noteInexact() { isInexact = true }

  /// Notes that something may have been rolled back within the transaction.
  mutating func forgetNewImages() { mustReadAgain = true }

  /// Notes a row that is about to change.
  /// - Parameters:
  ///   - table: The index of its table.
  ///   - key: Its key.
  ///   - after: The row after the change.
  ///   - before: Reads the row before the change; called only the first time.
  mutating func touch(
    _ table: Int,
    _ key: ObjectKey,
    after: NewImage,
    before: () -> [Value]?
  ) {
    guard !isOverflown else {
      // Readers of the log take the first of several images.
      if let numbers { payload.append(key, before: before(), of: numbers[table]) }
      return
    }
    if let index = tables[table].index(of: key) {
      tables[table].touches[index].after = after
      return
    }
    let image = before()
    if let numbers { payload.append(key, before: image, of: numbers[table]) }
    count += 1
    if case .unknown = after { unknownCount += 1 }
    guard count <= capacity, numbers == nil || unknownCount <= TouchedRows.readingLimit else {
      isOverflown = true
      for index in tables.indices { tables[index] = TableTouches() }
      return
    }
    tables[table].append(Touch(key: key, before: image, after: after))
  }

  /// The net changes of each table that has any, ascending by key.
  /// - Complexity: O(*n* log *n*) in the touched rows; O(*n*) where they were touched in that order.
  func changes(
    of tables: StoreTables,
    on database: Database
  ) throws -> [Int: [CommittedChange]] {
    let reader = TableReader(database: database, tables: tables)
    var changes: [Int: [CommittedChange]] = [:]
    for (index, touched) in self.tables.enumerated() where !touched.touches.isEmpty {
      let table = tables.all[index]
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
      for (touch, after) in zip(unknown, try reader.rows(unknown.map(\.key), of: table)) {
        note(touch, after?.values)
      }
      guard !known.isEmpty else { continue }
      changes[index] = table.sortedByKey(known)
    }
    return changes
  }
}

extension EntityTable {
  /// Changes in the order of their keys.
  func sortedByKey(_ changes: [CommittedChange]) -> [CommittedChange] {
    let layout = KeyLayout(order: [], keyStorage: entity.keyStorage)
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
