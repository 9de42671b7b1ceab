import OrderStatistics
public import ResultsDomain
import ResultsStoreKit

/// One generation of a list: sections, positions and identities, which never change (R19).
///
/// It holds keys and section lengths, or only the counts of keys that an index of the store has (`ListKeys`). Everything else is read
/// from the keys, so a snapshot costs what differs from the generation before. Keys of an index are read on demand. Where the store's
/// history does not reach back to them any more (R19), optional results are `nil`, and what can throw does:
/// `identity(atFlatPosition:)`, `content` and `ResultsList.object(at:)`.
public struct ResultsSnapshot: Sendable {
  /// What a generation consists of.
  struct Fields: Sendable {
    var life = ResultsLife.unknown
    var generation: Int
    var version: StoreVersion
    var additionalCounts: [String: Int]
    var plan: ListPlan
    /// The layout of `keys`; a leading section number is added where sections are merged or split.
    var layout: KeyLayout
    var rule: SectionRule
    /// The keys of all rows that match, including those outside the window.
    var keys: ListKeys
    var window: Range<Int>
    var counts: SectionCounts
    /// Occurrence numbers of split sections, by section number; absent means 0.
    var occurrences: [Int64: Int]
    var identities = IdentityIndex()
    /// The sections that the keys have in the window by their ids, where those do not come first in the keys.
    var sectionIdentities: SectionIdentities?
    /// The versions of the store in which the rows are known to be those of this generation.
    var span: ContentSpan
    /// The declared aggregates of the sections, or `nil` if there are none.
    var aggregates: AggregateTable?
    /// The sections as the list shows them, or `nil` where it shows those of the keys.
    var arrangement: ArrangedSections?
    /// The groups of the sections that the list shows, or `nil` if there are none.
    var groups: GroupTable?
  }

  /// The fields of one generation, which never change.
  ///
  /// A class, since a snapshot is passed on many times in every commit, and copying all fields counts fifteen references.
  private final class Storage: Sendable {
    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  private var storage: Storage

  /// The life of its controller's list, within which generations are counted.
  public var life: ResultsLife { storage.fields.life }
  /// The generation's number in its controller, from 1.
  public var generation: Int { storage.fields.generation }
  /// The version of the store it was taken from.
  public var version: StoreVersion { storage.fields.version }
  /// Counts taken from the same version, by name.
  public var additionalCounts: [String: Int] { storage.fields.additionalCounts }
  var plan: ListPlan { storage.fields.plan }
  var layout: KeyLayout { storage.fields.layout }
  var rule: SectionRule { storage.fields.rule }
  var keys: ListKeys { storage.fields.keys }
  var window: Range<Int> { storage.fields.window }
  var arrangement: ArrangedSections? { storage.fields.arrangement }
  /// The numbers of rows of the sections that the list shows.
  var counts: SectionCounts { arrangement?.counts ?? storage.fields.counts }
  /// The numbers of rows of the sections that the keys have in the window.
  var storedCounts: SectionCounts { storage.fields.counts }
  var occurrences: [Int64: Int] { storage.fields.occurrences }
  var identities: IdentityIndex { storage.fields.identities }
  var sectionIdentities: SectionIdentities? { storage.fields.sectionIdentities }
  var span: ContentSpan { storage.fields.span }
  var aggregates: AggregateTable? { storage.fields.aggregates }
  var groups: GroupTable? { storage.fields.groups }

  /// Changes some fields; every call copies all of them.
  mutating func update(_ change: (inout Fields) -> Void) {
    var fields = storage.fields
    change(&fields)
    storage = Storage(fields)
  }

  init(
    generation: Int,
    version: StoreVersion,
    additionalCounts: [String: Int],
    plan: ListPlan,
    keys: ListKeys,
    numbering: SectionNumbering?
  ) {
    let layout = numbering == nil ? plan.layout : SectionNumbering.layout(of: plan)
    let rule = numbering == nil ? plan.rule : SectionNumbering.rule(of: plan)
    let window = plan.window(of: keys.count)
    storage = Storage(
      Fields(
        generation: generation,
        version: version,
        additionalCounts: additionalCounts,
        plan: plan,
        layout: layout,
        rule: rule,
        keys: keys,
        window: window,
        counts: .counting(keys, window, rule, layout),
        occurrences: numbering?.occurrences ?? [:],
        span: ContentSpan(version)
      )
    )
  }

  /// The entity whose objects are listed.
  public var entity: EntityDescription { plan.entity }
  /// The names of the attributes whose changes the list reports; other values of a row can be out of date.
  package var observedAttributes: [String] { plan.observedAttributes.names(in: entity) }
  /// The number of sections.
  public var sectionCount: Int { counts.count }
  /// The number of rows that are shown: those in the window, without those beyond the limits of their sections.
  public var rowCount: Int { arrangement?.counts.total ?? window.count }
  /// The number of rows that match, including those outside the window and beyond the limits of their sections.
  public var matchingCount: Int { keys.count }
}

extension ResultsSnapshot {
  /// The number of rows in a section, or `nil` if there is no such section.
  /// - Complexity: O(1)
  public func rowCount(inSection section: Int) -> Int? {
    section >= 0 && section < counts.count ? counts[section] : nil
  }

  /// The number of rows in a section, including those beyond its limit (R107); `nil` if there is no such section.
  /// - Complexity: O(log *s*) in the sections.
  public func matchingCount(inSection section: Int) -> Int? {
    guard section >= 0, section < counts.count else { return nil }
    return arrangement.map { $0.matchingCount(ofShown: section, in: self) } ?? counts[section]
  }

  /// The identity and title of a section, or `nil` if there is no such section.
  /// - Complexity: O(log *n*), and the title's own cost.
  public func header(ofSection section: Int) -> SectionHeader? {
    guard let arrangement else { return storedHeader(ofSection: section) }
    guard section >= 0, section < counts.count else { return nil }
    let stored = arrangement.stored(ofShown: section, in: self)
    let own = arrangement.header(ofShown: section, by: plan.sectionKey)
    var header: SectionHeader
    if let own {
      let id = SectionID(own.id)
      let aggregates = aggregates?.results(ofSections: stored) ?? .none
      header = SectionHeader(id: id, title: own.title ?? title(of: id), aggregates: aggregates)
    } else {
      guard let found = stored.first.flatMap(storedHeader(ofSection:)) else { return nil }
      header = found
    }
    if arrangement.plan.limits[header.id] != nil {
      header.matchingCount = matchingCount(inSection: section)
    }
    return header
  }

  /// The header of a section that the keys have in the window, or `nil` if there is no such section.
  func storedHeader(ofSection section: Int) -> SectionHeader? {
    let counts = storedCounts
    guard section >= 0, section < counts.count else { return nil }
    let aggregates = aggregates?.results(ofSection: section) ?? .none
    guard counts[section] > 0 else {
      return SectionHeader(id: SectionID(.null), title: "", aggregates: aggregates)
    }
    let id = sectionID(at: window.lowerBound + counts.start(of: section))
    return SectionHeader(id: id, title: title(of: id), aggregates: aggregates)
  }

  /// The id of a section that the keys have in the window, or `nil` if there is no such section.
  func storedID(ofSection section: Int) -> SectionID? {
    guard section >= 0, section < storedCounts.count, storedCounts[section] > 0 else { return nil }
    return sectionID(at: window.lowerBound + storedCounts.start(of: section))
  }

  /// Calls a closure with the id's value and the number of rows of each section that the keys have in the window, in order.
  /// - Complexity: O(*s*) in the sections where an index has the keys and they begin with the ids; otherwise O(*s* log *n*).
  func forEachStoredSection(_ body: (_ id: Value, _ rows: Int) -> Void) {
    if case .indexed(let indexed) = keys, case .columns = rule {
      indexed.sections.forEachBlock { section, start in
        let rows = (start..<start + section.rows).clamped(to: window)
        guard !rows.isEmpty else { return }
        body(section.pivot.withUnsafeBytes { rule.id(of: $0, layout) }, rows.count)
      }
      return
    }
    var start = window.lowerBound
    for rows in storedCounts.lengths where rows > 0 {
      body(sectionID(at: start).value, rows)
      start += rows
    }
  }

  /// The flat position of a row, which is its index over all sections, or `nil` if there is no such row.
  /// - Complexity: O(log *n*)
  public func flatPosition(of path: RowPath) -> Int? {
    guard path.section >= 0, path.section < counts.count, path.row >= 0,
      path.row < counts[path.section]
    else { return nil }
    return counts.start(of: path.section) + path.row
  }

  /// The flat position at which a section begins, also one without rows; `nil` if there is no such section.
  /// - Complexity: O(log *n*)
  public func flatPosition(ofSection section: Int) -> Int? {
    section >= 0 && section < counts.count ? counts.start(of: section) : nil
  }

  /// The path of the row at a flat position, or `nil` if there is no such row.
  /// - Complexity: O(log *n*)
  public func path(ofFlatPosition position: Int) -> RowPath? {
    counts.run(containing: position).map { RowPath(section: $0.run, row: $0.offset) }
  }

  /// The identity of the row at a path, or `nil` if there is no such row or the store's history does not reach back to it.
  /// - Complexity: O(log *n*)
  public func objectID(at path: RowPath) -> ObjectID? {
    flatPosition(of: path).flatMap { objectID(atFlatPosition: $0) }
  }

  /// The identity of the row at a flat position, or `nil` if there is no such row or the store's history does not reach back to it.
  /// - Complexity: O(log *n*)
  public func objectID(atFlatPosition position: Int) -> ObjectID? {
    (try? identity(atFlatPosition: position)) ?? nil
  }

  /// The identity of the row at a flat position, or `nil` if there is no such row.
  /// - Throws: The store's error; `StoreError.historyLost` if the store's history does not reach back to the generation.
  /// - Complexity: O(log *n*)
  public func identity(atFlatPosition position: Int) throws(StoreError) -> ObjectID? {
    guard let position = keyPosition(ofFlat: position) else { return nil }
    return try keys.withKey(at: position) { objectID(of: $0) }
  }

  /// The identities of the rows at some flat positions, in order, read at once.
  ///
  /// Positions outside of the list are ignored.
  /// - Throws: The store's error; `StoreError.historyLost` if the store's history does not reach back to the generation.
  /// - Complexity: O(*k* + log *n*) for *k* positions.
  public func objectIDs(atFlatPositions positions: Range<Int>) throws(StoreError) -> [ObjectID] {
    let positions = positions.clamped(to: 0..<rowCount)
    guard !positions.isEmpty else { return [] }
    let (name, identity) = (entity.name, entity.identity)
    var ids: [ObjectID] = []
    ids.reserveCapacity(positions.count)
    for range in keyRanges(ofFlat: positions) {
      try keys.page(at: range).forEachKey { key in
        guard let key = layout.objectKey(in: key, of: identity) else { return }
        ids.append(ObjectID(entity: name, key: key))
      }
    }
    guard ids.count == positions.count else { throw unnamedObject }
    return ids
  }

  /// The path of an object, or `nil` if it is not in the window or the store's history does not reach back to the generation.
  /// - Complexity: O(log *n*); O(*n* log *n*) for the first search of a list.
  public func path(of id: ObjectID) -> RowPath? {
    guard Value.text(id.entity) == .text(entity.name), let position = position(of: id.key),
      window.contains(position),
      let (section, row) = storedCounts.run(containing: position - window.lowerBound)
    else { return nil }
    let path = RowPath(section: section, row: row)
    return arrangement.map { $0.path(ofStored: path, in: self) } ?? path
  }

  /// The index of the section with some id, or `nil` if there is none.
  /// - Complexity: O(log *n*); O(*s*) in the sections where they are computed, merged or split.
  public func section(of id: SectionID) -> Int? {
    guard let arrangement else { return storedSection(of: id) }
    return arrangement.shown(ofID: id, in: self)
  }

  /// The index among those that the keys have in the window of the section with some id, or `nil` if there is none.
  func storedSection(of id: SectionID) -> Int? {
    if case .columns(count: 1, idColumn: 0) = rule {
      var writer = KeyWriter()
      guard id.occurrence == 0, writer.append(id.value, layout.order[0]) else { return nil }
      return storedSection(SectionExtent(prefix: writer.bytes))
    }
    if let sectionIdentities {
      guard id.occurrence == 0, let lower = sectionIdentities.lower(ofID: id.value) else {
        return nil
      }
      return storedSection(SectionExtent(lower: lower))
    }
    return (0..<storedCounts.count).first { storedHeader(ofSection: $0)?.id == id }
  }

  /// The index of the section that the keys have at an extent in the window, or `nil` if there is none.
  func storedSection(_ extent: SectionExtent) -> Int? {
    let positions = keys.positions(of: extent).clamped(to: window)
    guard !positions.isEmpty else { return nil }
    return storedCounts.run(containing: positions.lowerBound - window.lowerBound)?.run
  }

  /// The extent of the section that a position is in, or `nil` if it is not known.
  /// - Throws: The store's error.
  func sectionExtent(at position: Int) throws(StoreError) -> SectionExtent? {
    if case .indexed(let indexed) = keys, rule.sectionColumns != nil {
      return indexed.sections.location(containing: position).map { SectionExtent(lower: $0.lower) }
    }
    return try keys.withKey(at: position) { rule.extent(of: $0, layout) }
  }
}

// MARK: - Positions of keys

extension ResultsSnapshot {
  /// The position among all keys of the row at a flat position, or `nil` if there is no such row.
  func keyPosition(ofFlat position: Int) -> Int? {
    guard position >= 0, position < rowCount else { return nil }
    guard arrangement != nil else { return window.lowerBound + position }
    return path(ofFlatPosition: position).flatMap {
      keyRanges(ofSection: $0.section, rows: $0.row..<$0.row + 1).first?.lowerBound
    }
  }

  /// The positions among all keys of a section's rows in the window, without an arrangement.
  func positions(ofStored section: Int) -> Range<Int> {
    let start = window.lowerBound + storedCounts.start(of: section)
    return start..<start + storedCounts[section]
  }

  /// The positions among all keys of some shown rows of a section, in their order.
  func keyRanges(ofSection section: Int, rows: Range<Int>) -> [Range<Int>] {
    guard !rows.isEmpty else { return [] }
    if let arrangement { return arrangement.positions(ofShown: section, rows: rows, in: self) }
    let start = window.lowerBound + counts.start(of: section)
    return [start + rows.lowerBound..<start + rows.upperBound]
  }

  /// The positions among all keys of the rows at some flat positions, in their order.
  /// - Complexity: O(*k* log *s*) for *k* sections.
  func keyRanges(ofFlat positions: Range<Int>) -> [Range<Int>] {
    guard arrangement != nil else {
      let first = window.lowerBound + positions.lowerBound
      return [first..<first + positions.count]
    }
    var ranges: [Range<Int>] = []
    var next = positions.lowerBound
    while next < positions.upperBound, let path = path(ofFlatPosition: next) {
      let end = min(counts[path.section], path.row + positions.upperBound - next)
      for range in keyRanges(ofSection: path.section, rows: path.row..<end) {
        // Sections that follow each other are read at once.
        if let last = ranges.last, last.upperBound == range.lowerBound {
          ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
          ranges.append(range)
        }
      }
      next += end - path.row
    }
    return ranges
  }

  /// The identities of some shown rows of a section, read in a given version of the store.
  /// - Throws: As `objectIDs(atKeys:in:)`.
  func objectIDs(
    ofSection section: Int,
    rows: Range<Int>,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [ObjectID] {
    var ids: [ObjectID] = []
    for range in keyRanges(ofSection: section, rows: rows) {
      ids += try objectIDs(atKeys: range, in: store)
    }
    return ids
  }

  /// The identities of the rows at some positions among all keys, read in a given version of the store.
  /// - Throws: The store's error; `StoreError.unexpected` for a key that belongs to no object.
  /// - Complexity: O(*k* + log *n*) for *k* positions.
  func objectIDs(
    atKeys positions: Range<Int>,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [ObjectID] {
    guard !positions.isEmpty else { return [] }
    var ids: [ObjectID] = []
    ids.reserveCapacity(positions.count)
    for key in try keys.keys(at: positions, in: store) {
      guard let id = key.withUnsafeBytes({ objectID(of: $0) }) else { throw unnamedObject }
      ids.append(id)
    }
    return ids
  }

  /// Calls a closure with the keys of all rows that are shown, in order.
  /// - Throws: As `ListKeys.forEachKey(in:_:)`.
  func forEachShownKey(_ body: (UnsafeRawBufferPointer) -> Void) throws(StoreError) {
    for range in keyRanges(ofFlat: 0..<rowCount) { try keys.forEachKey(in: range) { body($1) } }
  }
}

extension ResultsSnapshot {
  func objectID(of key: UnsafeRawBufferPointer) -> ObjectID? {
    layout.objectKey(in: key, of: entity.identity).map {
      ObjectID(entity: entity.name, key: $0)
    }
  }

  /// The position of an object, also outside the window; for an index it opens a snapshot of the store.
  private func position(of key: ObjectKey) -> Int? {
    switch keys {
    case .held(let held):
      guard let identity = layout.identityBytes(of: key) else { return nil }
      return identities.key(of: identity, in: held, layout).flatMap { held.position(of: $0) }
    case .indexed(let indexed): return (try? indexed.position(of: key)) ?? nil
    }
  }

  /// The id of the section that a position is in.
  func sectionID(at position: Int) -> SectionID {
    if case .indexed(let indexed) = keys, let id = indexed.sectionID(at: position) {
      return SectionID(id)
    }
    return (try? keys.withKey(at: position) { sectionID(of: $0) }) ?? SectionID(.null)
  }

  func sectionID(of key: UnsafeRawBufferPointer) -> SectionID {
    guard !occurrences.isEmpty, case .integer(let number) = layout.value(ofColumn: 0, in: key)
    else { return SectionID(rule.id(of: key, layout)) }
    return SectionID(rule.id(of: key, layout), occurrence: occurrences[number] ?? 0)
  }

  func title(of id: SectionID) -> String {
    plan.sectionKey?.title(of: id.value) ?? ""
  }
}

// MARK: - Content

extension ResultsSnapshot {
  /// The identities and headers of the whole list, as the laws of deltas use them.
  /// - Throws: The store's error, where an index has the keys; `StoreError.historyLost` if its history does not reach back to the
  ///   generation.
  /// - Complexity: O(*n*) in time and memory.
  public var content: ResultsContent {
    get throws(StoreError) {
      var sections: [ResultsContent.Section] = []
      sections.reserveCapacity(sectionCount)
      for section in 0..<sectionCount {
        var rows: [ObjectID] = []
        for range in keyRanges(ofSection: section, rows: 0..<counts[section]) {
          try keys.forEachKey(in: range) { _, key in
            if let id = objectID(of: key) { rows.append(id) }
          }
        }
        let header = header(ofSection: section) ?? SectionHeader(id: SectionID(.null), title: "")
        sections.append(ResultsContent.Section(header: header, rows: rows))
      }
      return ResultsContent(sections: sections, groups: groupHeaders)
    }
  }
}

extension ResultsSnapshot {
  /// The same generation with all its keys in memory.
  /// - Throws: The store's error; `StoreError.historyLost` if its history does not reach back to the generation.
  /// - Complexity: O(*n*) where an index has the keys.
  func holdingKeys(in store: any StoreSnapshot) throws(StoreError) -> ResultsSnapshot {
    guard case .indexed = keys else { return self }
    let keys = ListKeys.held(try keys.held(in: store))
    var held = self
    held.update { $0.keys = keys }
    return held
  }
}

// MARK: - Checking and counting sections

extension ResultsSnapshot {
  /// Identifies the sections of the keys, once they are counted.
  /// - Returns: The error that names two rows of one section that stand apart, if there are any (R04).
  /// - Throws: The store's error.
  /// - Complexity: O(*s* log *n*) in the sections; O(1) where ids come first in the keys, since such sections are always contiguous.
  mutating func identifySections() throws(StoreError) -> RequestError? {
    if case .grouping = rule { return try contiguityFailure() }
    let identities = try SectionIdentities(of: self)
    guard identities != nil || sectionIdentities != nil else { return nil }
    update { $0.sectionIdentities = identities }
    return identities?.areUnique ?? true ? nil : try contiguityFailure()
  }

  private func contiguityFailure() throws(StoreError) -> RequestError? {
    var seen: [SectionID: Int] = [:]
    var start = window.lowerBound
    for section in 0..<counts.count {
      let id = try keys.withKey(at: start) { sectionID(of: $0) }
      if let earlier = seen.updateValue(start, forKey: id),
        let first = try keys.withKey(at: earlier, objectID(of:)),
        let second = try keys.withKey(at: start, objectID(of:))
      {
        if case .transient(let source, _) = plan.sectionKey?.source {
          return .transientSectionNotFirst(
            source: source,
            first: plan.definition.terms.first?.expression.description,
            rows: [first, second]
          )
        }
        return .sectionNotContiguous(id: id.value, first: first, second: second)
      }
      start += counts[section]
    }
    return nil
  }
}

extension SectionCounts {
  /// Counts the sections of some keys in a window.
  /// - Complexity: O(*n*) in the keys, or O(*s*) in the sections of an index; no row is read.
  static func counting(
    _ keys: ListKeys,
    _ window: Range<Int>,
    _ rule: SectionRule,
    _ layout: KeyLayout
  ) -> SectionCounts {
    if case .single = rule { return SectionCounts([window.count]) }
    switch keys {
    case .held(let held): return counting(held, window, rule, layout)
    case .indexed(let indexed): return SectionCounts(indexed.sections, in: window)
    }
  }

  /// Counts the sections of some keys in one pass over them.
  /// - Complexity: O(*n*) in the keys; no row is read.
  private static func counting(
    _ keys: SortedKeyList,
    _ window: Range<Int>,
    _ rule: SectionRule,
    _ layout: KeyLayout
  ) -> SectionCounts {
    if case .single = rule { return SectionCounts([window.count]) }
    var lengths: [Int] = []
    var extent: SectionExtent?
    var lastID: Value?
    keys.forEachKey(in: window) { _, key in
      if let current = extent, current.contains(key) {
        lengths[lengths.count - 1] += 1
        return
      }
      extent = rule.extent(of: key, layout)
      let id: Value? = extent == nil ? rule.id(of: key, layout) : nil
      if let id, id == lastID {
        lengths[lengths.count - 1] += 1
      } else {
        lengths.append(1)
      }
      lastID = id
    }
    return SectionCounts(lengths)
  }
}
