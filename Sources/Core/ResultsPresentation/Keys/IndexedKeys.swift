import OrderStatistics
import ResultsDomain

/// The keys of a list that are not held: an index of the store has them, and only how many lie where is known.
///
/// `blocks` counts the keys between one pivot and the next, so the place of a key is a sum of counts and one count in the store.
/// `sections` counts those of each section, so sections, their lengths and which of them a place is in need
/// no reading at all; its first block is an empty one before all sections.
struct IndexedKeys: Sendable {
  var blocks: PivotTree
  var sections: PivotTree
  let era: KeyEra
  let index: StoreIndex

  /// The number of keys.
  var count: Int { blocks.rowCount }
  /// What the list takes in memory, about.
  var byteCount: Int { blocks.byteCount + sections.byteCount }

  /// The positions of a section's keys, empty where they would be if there are none; nothing is read.
  /// - Complexity: O(log *s*) in the sections.
  func positions(of extent: SectionExtent) -> Range<Int> {
    let place = sections.location(of: extent.lower)
    guard place.index > 0, place.lower == extent.lower else {
      // There is no such section: it would stand behind the one its keys fall into.
      let end = place.start + place.rows
      return end..<end
    }
    return place.start..<place.start + place.rows
  }

  /// The bytes that the section at a position begins with, or `nil` if there is no such position.
  func sectionStart(at position: Int) -> [UInt8]? {
    sections.location(containing: position)?.lower
  }
}

/// The index of a store that has the keys of a list, and how to read it outside of any piece of work.
final class StoreIndex: Sendable {
  let store: any Store
  let plan: ListPlan
  /// A block has at most twice as many keys.
  let stride: Int
  /// How the places of many keys are found.
  let placing: KeyPlacing
  /// Ids of sections that cannot be read off the bytes their keys begin with.
  let ids: SectionIdentities

  init(store: any Store, plan: ListPlan, stride: Int, placing: KeyPlacing) {
    self.store = store
    self.plan = plan
    self.stride = stride
    self.placing = placing
    ids = SectionIdentities()
  }

  var definition: OrderDefinition { plan.definition }
  var rule: SectionRule { plan.rule }
  var layout: KeyLayout { definition.layout }
  var entity: EntityDescription { definition.entity }

  /// The index in one version of the store, or all keys of that version where the index is gone.
  /// - Throws: The store's error.
  /// - Complexity: O(1); O(*n* log *n*) without the index, until the list is fetched anew with the next commit.
  func source(in snapshot: any StoreSnapshot) throws(StoreError) -> any OrderedSource {
    if let source = try snapshot.orderedSource(of: definition) { return source }
    return try SortedSource(definition, in: snapshot)
  }
}
