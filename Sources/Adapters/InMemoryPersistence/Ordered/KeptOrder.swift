import OrderStatistics
import ResultsDomain

/// The keys of one definition in one version of a store, which are brought on commit by commit.
struct KeptOrder: Sendable {
  let definition: OrderDefinition
  /// The place of the entity's table.
  let table: Int
  private(set) var keys = SortedKeyList()
  /// What tells it from the other orders that a store keeps.
  var number = 0
  private let predicate: CompiledPredicate
  private let encoder: RowKeyEncoder

  /// Reads the keys of a definition, or gives `nil` if they are no order, because one stands twice.
  /// - Throws: `StoreError` as reading the entries does.
  /// - Complexity: O(*n* log *n*)
  init?(of definition: OrderDefinition, in content: StoreContent) throws(StoreError) {
    self.definition = definition
    table = try content.index(of: definition.entity)
    predicate = CompiledPredicate(definition.predicate, in: definition.entity)
    encoder = RowKeyEncoder(definition)
    var keys = SortedKeyList()
    var isOrder = true
    try content.entries(of: definition) { (batch) throws(StoreError) in
      do {
        try keys.append(bytes: batch.bytes, ends: batch.ends)
      } catch {
        isOrder = false
      }
      return isOrder
    }
    guard isOrder else { return nil }
    self.keys = keys
  }

  /// Brings the keys to the version after a commit.
  /// - Parameter changes: What the commit changed in the entity.
  /// - Returns: Whether it could be done; the keys are of no use if not.
  /// - Complexity: O(*k* log *n* + number of chunks) for *k* changed rows.
  mutating func apply(_ changes: [CommittedChange]) -> Bool {
    do {
      var removals: [[UInt8]] = []
      var insertions: [[UInt8]] = []
      for change in changes {
        let (old, new) = (try key(of: change.before), try key(of: change.after))
        guard old != new else { continue }
        if let old { removals.append(old) }
        if let new { insertions.append(new) }
      }
      guard !removals.isEmpty || !insertions.isEmpty else { return true }
      removals.sort { KeyOrder.compare($0, $1) < 0 }
      insertions.sort { KeyOrder.compare($0, $1) < 0 }
      try keys.apply(removals: removals, insertions: insertions)
      return true
    } catch {
      return false
    }
  }

  private func key(of row: Row?) throws(StoreError) -> [UInt8]? {
    guard let row, predicate.holds(for: row) else { return nil }
    return try encoder.key(row.values, key: row.id.key)
  }
}
