import OrderStatistics
public import ResultsDomain

/// One generation of a list: sections, positions and identities, which never change (R19).
///
/// It holds keys and section lengths only, or but the counts of keys that an index of the store holds (`ListKeys`). Whatever else
/// is asked of it is read off the keys, so a snapshot costs what differs from the generation before. Keys of an
/// index are read when asked for. Where a store cannot tell them any more (R19), what may be absent anyway is, and what throws says so:
/// `identity(atFlatPosition:)`, `content` and `ResultsList.object(at:)`.
public struct ResultsSnapshot: Sendable {
  /// The life of its controller's list, in which generations are counted.
  public internal(set) var life = ResultsLife.unknown
  /// Which generation of its controller it is, from 1.
  public internal(set) var generation: Int
  /// The version of the store it was taken from.
  public internal(set) var version: StoreVersion
  /// Counts taken from the same version, by name.
  public internal(set) var additionalCounts: [String: Int]
  var plan: ListPlan
  /// The layout of `keys`; a leading section number is added where sections are merged or split.
  var layout: KeyLayout
  var rule: SectionRule
  /// Keys of all rows that match, those outside the window included.
  var keys: ListKeys
  var window: Range<Int>
  var counts: SectionCounts
  /// Occurrence numbers of split sections, by section number; absent means 0.
  var occurrences: [Int64: Int]
  var identities: IdentityIndex
  /// The declared aggregates of the sections, or `nil` if there are none.
  var aggregates: AggregateTable?

  init(
    generation: Int,
    version: StoreVersion,
    additionalCounts: [String: Int],
    plan: ListPlan,
    keys: ListKeys,
    numbering: SectionNumbering?
  ) {
    self.generation = generation
    self.version = version
    self.additionalCounts = additionalCounts
    self.plan = plan
    self.keys = keys
    layout = numbering == nil ? plan.layout : SectionNumbering.layout(of: plan)
    rule = numbering == nil ? plan.rule : SectionNumbering.rule(of: plan)
    window = plan.window(of: keys.count)
    counts = .counting(keys, window, rule, layout)
    occurrences = numbering?.occurrences ?? [:]
    identities = IdentityIndex()
  }

  /// The entity whose objects are listed.
  public var entity: EntityDescription { plan.entity }
  /// The number of sections.
  public var sectionCount: Int { counts.count }
  /// The number of rows in the window.
  public var rowCount: Int { window.count }
  /// The number of rows that match, those outside the window included.
  public var matchingCount: Int { keys.count }
}

extension ResultsSnapshot {
  /// The number of rows in a section, or `nil` if there is no such section.
  /// - Complexity: O(1)
  public func rowCount(inSection section: Int) -> Int? {
    section >= 0 && section < counts.count ? counts[section] : nil
  }

  /// The identity and title of a section, or `nil` if there is no such section.
  /// - Complexity: O(log *n*), and the title's own cost.
  public func header(ofSection section: Int) -> SectionHeader? {
    guard section >= 0, section < counts.count else { return nil }
    let aggregates = aggregates?.results(ofSection: section) ?? .none
    guard counts[section] > 0 else {
      return SectionHeader(id: SectionID(.null), title: "", aggregates: aggregates)
    }
    let id = sectionID(at: window.lowerBound + counts.start(of: section))
    return SectionHeader(id: id, title: title(of: id), aggregates: aggregates)
  }

  /// The place of a row counted over all sections, or `nil` if there is no such row.
  /// - Complexity: O(log *n*)
  public func flatPosition(of path: RowPath) -> Int? {
    guard path.section >= 0, path.section < counts.count, path.row >= 0,
      path.row < counts[path.section]
    else { return nil }
    return counts.start(of: path.section) + path.row
  }

  /// The path of the row at a place counted over all sections, or `nil` if there is no such row.
  /// - Complexity: O(log *n*)
  public func path(ofFlatPosition position: Int) -> RowPath? {
    guard position >= 0, position < window.count,
      let (section, row) = counts.run(containing: position)
    else { return nil }
    return RowPath(section: section, row: row)
  }

  /// The identity of the row at a path, or `nil` if there is no such row, or the store cannot tell it any more.
  /// - Complexity: O(log *n*)
  public func objectID(at path: RowPath) -> ObjectID? {
    flatPosition(of: path).flatMap { objectID(atFlatPosition: $0) }
  }

  /// The identity of the row at a place counted over all sections, or `nil` if there is no such row, or the store cannot tell it any
  /// more.
  /// - Complexity: O(log *n*)
  public func objectID(atFlatPosition position: Int) -> ObjectID? {
    (try? identity(atFlatPosition: position)) ?? nil
  }

  /// The identity of the row at a place counted over all sections, or `nil` if there is no such row.
  /// - Throws: The store's error; `StoreError.historyLost` if it cannot tell any more what was shown there.
  /// - Complexity: O(log *n*)
  public func identity(atFlatPosition position: Int) throws(StoreError) -> ObjectID? {
    guard position >= 0, position < window.count else { return nil }
    return try keys.withKey(at: window.lowerBound + position) { objectID(of: $0) }
  }

  /// The identities of the rows at some places counted over all sections, in order, read at once.
  ///
  /// Places outside of the list are left out.
  /// - Throws: The store's error, also if its history no longer tells what the list showed.
  /// - Complexity: O(*k* + log *n*) for *k* places.
  public func objectIDs(atFlatPositions positions: Range<Int>) throws(StoreError) -> [ObjectID] {
    let places = positions.clamped(to: 0..<window.count)
    guard !places.isEmpty else { return [] }
    let first = window.lowerBound + places.lowerBound
    let page = try keys.page(at: first..<first + places.count)
    return try objectKeys(of: page).map { ObjectID(entity: entity.name, key: $0) }
  }

  /// The path of an object, or `nil` if it is not in the window, or the store cannot tell its place any more.
  /// - Complexity: O(log *n*); O(*n* log *n*) for the first search of a list.
  public func path(of id: ObjectID) -> RowPath? {
    guard Value.text(id.entity) == .text(entity.name), let position = position(of: id.key),
      window.contains(position)
    else { return nil }
    return path(ofFlatPosition: position - window.lowerBound)
  }

  /// The place of a section of some id, or `nil` if there is none.
  /// - Complexity: O(log *n*) for sections in the order of their ids, O(*s*) in the sections otherwise.
  public func section(of id: SectionID) -> Int? {
    if case .columns(count: 1, idColumn: 0) = rule {
      var writer = KeyWriter()
      guard id.occurrence == 0, writer.append(id.value, layout.order[0]) else { return nil }
      let positions = keys.positions(of: SectionExtent(prefix: writer.bytes)).clamped(to: window)
      guard !positions.isEmpty else { return nil }
      return counts.run(containing: positions.lowerBound - window.lowerBound)?.run
    }
    return (0..<counts.count).first { header(ofSection: $0)?.id == id }
  }
}

extension ResultsSnapshot {
  func objectID(of key: UnsafeRawBufferPointer) -> ObjectID? {
    layout.objectKey(in: key, of: entity.identity).map {
      ObjectID(entity: entity.name, key: $0)
    }
  }

  /// The position of an object, outside the window too; an index is asked in a version of the store of its own.
  private func position(of key: ObjectKey) -> Int? {
    switch keys {
    case .held(let held):
      guard let identity = layout.identityBytes(of: key) else { return nil }
      return identities.key(of: identity, in: held, layout).flatMap { held.position(of: $0) }
    case .indexed(let indexed): return (try? indexed.position(of: key)) ?? nil
    }
  }

  /// The id of the section that a position is in.
  private func sectionID(at position: Int) -> SectionID {
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
    guard let sectionKey = plan.sectionKey else { return "" }
    if let title = sectionKey.title { return title(id.value) }
    if case .transient(_, let grouping) = sectionKey.source { return grouping.title(of: id.value) }
    return switch id.value {
    case .null: ""
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text): text
    case .blob(let bytes): AttributeType.blob.machineText(of: .blob(bytes))
    }
  }
}
