import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// A digest of the observed content of every row of a list, by identity.
///
/// It replaces the history where other writers leave none: comparing the tables of two versions finds the rows whose content differs.
struct DigestTable: Sendable {
  /// Identity bytes followed by eight bytes of digest, ascending.
  private var entries = SortedKeyList()
  private let observed: AttributeSet

  /// Reads the digests of a list from a store.
  init(of definition: OrderDefinition, _ observed: AttributeSet, in snapshot: any StoreSnapshot)
    throws(StoreError)
  {
    self.observed = observed
    var entries = SortedKeyList(limits: .packed)
    var identities = DistinctIdentities(definition)
    try snapshot.digests(of: definition, attributes: observed) { (batch) throws(StoreError) in
      try identities.check(batch)
      try entries.appendEntries(batch, of: definition)
      return true
    }
    self.entries = entries
  }

  /// Applies one commit of this store, whose rows have their values.
  mutating func apply(_ rows: [AffectedRow], _ changes: [CommittedChange], _ layout: KeyLayout) {
    let members = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for change in changes {
      // A row that is not affected has the same digest as before, or none.
      guard let member = members[change.id],
        let identity = layout.identityBytes(of: change.id.key)
      else { continue }
      if let position = entries.firstPosition(withPrefix: identity) { entries.remove(at: position) }
      guard let after = change.after, member.newKey != nil else { continue }
      _ = entries.insert(identity + digest(of: after))
    }
  }

  /// The identities of rows that are in both tables with different content.
  /// - Complexity: O(*n*)
  func changedIdentities(since old: DigestTable) -> [[UInt8]] {
    let difference = SortedKeyList.difference(from: old.entries, to: entries)
    var identities: [[UInt8]] = []
    for position in difference.insertions {
      let identity = Array(entries.key(at: position).dropLast(8))
      if old.entries.firstPosition(withPrefix: identity) != nil { identities.append(identity) }
    }
    return identities
  }

  /// Whether a row of the list had other content than now.
  /// - Complexity: O(log *n*), and O(*b*) for the *b* bytes of the row.
  func differs(from row: Row, _ layout: KeyLayout) -> Bool {
    guard let identity = layout.identityBytes(of: row.id.key),
      let position = entries.firstPosition(withPrefix: identity)
    else { return false }
    return !entries.key(at: position).suffix(8).elementsEqual(digest(of: row))
  }

  private func digest(of row: Row) -> [UInt8] {
    var digest = RowDigest()
    for index in observed.indexes { digest.add(row.values[index]) }
    return withUnsafeBytes(of: digest.value.bigEndian) { Array($0) }
  }
}

/// Checks that the rows of a list have identities of their own (R188): in a view, or without a key that is declared, two rows can share one.
private struct DistinctIdentities {
  private let definition: OrderDefinition
  private var last: [UInt8] = []
  private var count = 0

  init(_ definition: OrderDefinition) { self.definition = definition }

  /// Checks the next identities, each of which is followed by a digest of eight bytes.
  /// - Throws: `StoreError.request` with the identity that occurs twice.
  mutating func check(_ batch: EntryBatch) throws(StoreError) {
    let repeated = batch.bytes.withUnsafeBytes { bytes in
      last.withUnsafeBytes { last -> Int? in
        var (before, start) = (last, 0)
        for (index, end) in batch.ends.enumerated() {
          let identity = UnsafeRawBufferPointer(rebasing: bytes[start..<max(start, end - 8)])
          guard index + count == 0 || !identity.elementsEqual(before) else { return index }
          (before, start) = (identity, end)
        }
        return nil
      }
    }
    if let repeated {
      let (layout, entity) = (definition.layout, definition.entity)
      let key = batch.key(at: repeated).withUnsafeBytes {
        layout.objectKey(identity: $0, of: entity.identity)
      }
      let id = ObjectID(entity: entity.name, key: key ?? .compound([]))
      let position = count + repeated
      throw .request(.duplicateIdentity(id, first: position - 1, second: position))
    }
    count += batch.count
    if batch.count > 0 { last = Array(batch.key(at: batch.count - 1).dropLast(8)) }
  }
}

extension SortedKeyList {
  /// Appends a batch read from a store.
  /// - Throws: `StoreError.request` with the identity that occurs twice, or `StoreError.unexpected` for an order
  ///   that is not ascending.
  mutating func appendEntries(
    _ batch: EntryBatch,
    of definition: OrderDefinition
  ) throws(StoreError) {
    do {
      try append(bytes: batch.bytes, ends: batch.ends)
    } catch {
      if case SortedKeyListError.duplicate(let index, let position) = error,
        let key = batch.key(at: index).withUnsafeBytes({
          definition.layout.objectKey(in: $0, of: definition.entity.identity)
        })
      {
        let id = ObjectID(entity: definition.entity.name, key: key)
        throw .request(.duplicateIdentity(id, first: position - 1, second: position))
      }
      throw .unexpected(
        path: definition.entity.name,
        detail: "the store returned keys out of order: \(error)"
      )
    }
  }
}
