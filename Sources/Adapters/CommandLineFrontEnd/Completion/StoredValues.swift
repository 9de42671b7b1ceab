import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// The values that a text attribute has in a store, for a completion: read within bounds, however large the store is.
///
/// Where an index has the values in order, each value is one search in it, and rows of the same value are skipped. Elsewhere the newest
/// rows are read, by the order of their keys, so that values of older rows can be missing. No list is sorted or read as a whole. All of
/// it ends after `longestTime`, with the values that it has by then.
struct StoredValues {
  /// The largest number of values.
  static let largestCount = 200
  /// The largest number of rows that are read without an index.
  static let largestRowCount = 20_000
  /// The time after which no further rows are read.
  static let longestTime: Duration = .milliseconds(500)
  /// The characters of the longest value that is offered; longer ones are descriptions, which nobody completes.
  static let longestValue = 80

  private let entity: EntityDescription
  private let name: String
  private let beginning: String
  private let deadline = ContinuousClock.now + StoredValues.longestTime
  private var found: Set<Value> = []

  private init(_ entity: EntityDescription, _ name: String, _ beginning: String) {
    (self.entity, self.name, self.beginning) = (entity, name, beginning)
  }

  /// Reads values.
  /// - Parameters:
  ///   - name: A text attribute.
  ///   - entity: Its entity.
  ///   - beginning: What the values begin with.
  ///   - orders: Orders of lists for which the store may have an index; only those by the attribute count.
  ///   - snapshot: The version that is read.
  /// - Returns: At most `largestCount` different values, sorted by their bytes.
  /// - Throws: The store's error.
  /// - Complexity: O(*k* log *n*) for *k* values with an index, otherwise O(`largestRowCount`).
  static func of(
    _ name: String,
    of entity: EntityDescription,
    beginningWith beginning: String,
    orders: [[FetchSortDescriptor]] = [],
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [String] {
    var values = StoredValues(entity, name, beginning)
    if try !values.readIndex(orders, in: snapshot) { try values.readNewestRows(in: snapshot) }
    return values.found.compactMap(\.text)
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private var isFinished: Bool {
    found.count >= StoredValues.largestCount || ContinuousClock.now >= deadline
  }

  private mutating func add(_ value: Value) {
    guard found.count < StoredValues.largestCount, let text = value.text, !text.isEmpty,
      text != "NULL", text.count <= StoredValues.longestValue,
      text.utf8.starts(with: beginning.utf8), SafeText.oneLine(text) == text
    else { return }
    found.insert(value)
  }

  /// Reads the values from an index.
  /// - Returns: Whether there is one.
  private mutating func readIndex(
    _ orders: [[FetchSortDescriptor]],
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> Bool {
    let own = [FetchSortDescriptor(.attribute(name), .ascending)]
    for order in [own] + orders
    where order.first?.expression == .attribute(name) && order.first?.direction == .ascending {
      guard
        let definition = try? OrderDefinition(
          entity: entity,
          predicate: .all,
          sortDescriptors: order
        ), let source = try snapshot.orderedSource(of: definition)
      else { continue }
      try read(source, definition.layout)
      return true
    }
    return false
  }

  private mutating func read(
    _ source: any OrderedSource,
    _ layout: KeyLayout
  ) throws(StoreError) {
    var writer = KeyWriter()
    guard writer.append(.text(beginning), layout.order[0]) else { return }
    var bound = KeyBound.before(writer.bytes)
    repeat {
      let batch = try source.keys(from: bound, to: nil, skipping: 0, limit: 1)
      guard batch.count == 1 else { return }
      let value = batch.bytes.withUnsafeBytes { layout.value(ofColumn: 0, in: $0) }
      guard let text = value.text, text.utf8.starts(with: beginning.utf8) else { return }
      add(value)
      writer = KeyWriter()
      guard writer.append(value, layout.order[0]) else { return }
      bound = .after(writer.bytes)
    } while !isFinished
  }

  private mutating func readNewestRows(in snapshot: any StoreSnapshot) throws(StoreError) {
    guard let index = entity.index(of: name) else { return }
    let request = FetchRequest<ObjectID>(
      entity: entity,
      sortedBy: [FetchSortDescriptor(.objectKey, .descending)],
      fetchLimit: StoredValues.largestRowCount
    )
    let keys = try snapshot.keys(of: request)
    for start in stride(from: 0, to: keys.count, by: 1024) {
      let batch = Array(keys[start..<min(start + 1024, keys.count)])
      for case .some(let row) in try snapshot.rows(batch, of: entity) { add(row.values[index]) }
      if isFinished { return }
    }
  }
}
