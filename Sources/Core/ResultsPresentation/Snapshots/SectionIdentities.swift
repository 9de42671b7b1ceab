import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// The sections of a generation by their ids, where an order of their own or a group stands before the ids.
///
/// The keys of such a section begin with more than its id, so an id cannot be sought among them, and two sections can have one id.
/// This holds, in order, each id followed by the lower bound of its section's keys. A generation shares all but the changed entries with
/// the one before, so a section that comes, leaves or moves is identified without a look at the others.
struct SectionIdentities: Sendable {
  private var entries: SortedKeyList
  /// The column of the keys that is the id.
  private let idColumn: Int
  private let layout: KeyLayout

  /// Collects the sections that the keys of a generation have in the window.
  /// - Returns: `nil` if the ids come first in the keys, or not at all.
  /// - Throws: The store's error.
  /// - Complexity: O(*s* log *s*) in the sections; of those in an index no key is read.
  init?(of snapshot: ResultsSnapshot) throws(StoreError) {
    guard case .columns(let count, let idColumn) = snapshot.rule, count > 1 else { return nil }
    (self.idColumn, layout) = (idColumn, snapshot.layout)
    entries = SortedKeyList()
    var sections: [[UInt8]] = []
    sections.reserveCapacity(snapshot.storedCounts.count)
    var start = snapshot.window.lowerBound
    for length in snapshot.storedCounts.lengths where length > 0 {
      if let extent = try snapshot.sectionExtent(at: start) {
        let lower = extent.lower
        sections.append(id(ofSectionFrom: lower) + lower)
      }
      start += length
    }
    sections.sort { KeyOrder.compare($0, $1) < 0 }
    do {
      entries = try SortedKeyList(sorted: sections)
    } catch {
      throw .unexpected(path: snapshot.entity.name, detail: "two sections have one key: \(error)")
    }
  }

  /// The bytes of a section's id, by the lower bound of its keys.
  func id(ofSectionFrom lower: [UInt8]) -> [UInt8] {
    lower.withUnsafeBytes { lower in
      let start = layout.prefixLength(columns: idColumn, in: lower)
      return Array(lower[start..<layout.end(of: layout.order[idColumn], in: lower, from: start)])
    }
  }

  /// Adds a section that came.
  mutating func insert(_ lower: [UInt8]) { _ = entries.insert(id(ofSectionFrom: lower) + lower) }

  /// Removes a section that left.
  mutating func remove(_ lower: [UInt8]) { _ = entries.remove(id(ofSectionFrom: lower) + lower) }

  /// Whether no other section has the id of one (R04).
  /// - Complexity: O(log *s*)
  func isUnique(_ lower: [UInt8]) -> Bool {
    SectionExtent(prefix: id(ofSectionFrom: lower)).positions(in: entries).count <= 1
  }

  /// Whether no two sections have one id (R04).
  /// - Complexity: O(*s*)
  var areUnique: Bool {
    var last: [UInt8]?
    var areUnique = true
    entries.forEachKey(in: 0..<entries.count) { _, entry in
      let length = layout.end(of: layout.order[idColumn], in: entry, from: 0)
      let id = entry[..<length]
      if let last, last.elementsEqual(id) { areUnique = false }
      last = Array(id)
    }
    return areUnique
  }

  /// The lower bound of the keys of the section with an id, or `nil` if there is none.
  /// - Complexity: O(log *s*)
  func lower(ofID id: Value) -> [UInt8]? {
    var writer = KeyWriter()
    guard writer.append(id, layout.order[idColumn]) else { return nil }
    let bytes = writer.bytes
    guard let first = SectionExtent(prefix: bytes).positions(in: entries).first else { return nil }
    return Array(entries.key(at: first).dropFirst(bytes.count))
  }
}
