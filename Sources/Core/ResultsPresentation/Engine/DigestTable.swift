import OrderStatistics
import ResultsDomain

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
    try snapshot.digests(of: definition, attributes: observed) { (batch) throws(StoreError) in
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
