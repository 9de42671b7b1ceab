import OrderStatistics
public import ResultsDomain
package import ResultsStoreKit

extension ResultsList {
  /// Returns the path that a row would have if these values were stored for it now, without storing anything (R122).
  ///
  /// It is the path in the list after such a commit: if the row is in the list already, it is taken out of its position first. A form can
  /// say where its row will land, and a list can jump to where a value would stand.
  /// - Parameter row: The row with all its values. A new row needs an id too: among rows that are equal in all terms of the order, the
  ///   key decides.
  /// - Returns: `nil` if the row would not be in the list: it does not match the predicate, or it lies outside the limit and offset. A
  ///   frozen list has no other rows than its own, which keep their paths.
  /// - Throws: `ResultsError.store` for a value of another storage class than its attribute, or for the store's own failure.
  /// - Complexity: O(log *n*) and at most a block of keys where an index has them; O(*n* log *n*) where sections are merged or split.
  ///   Values of related objects are read as they are now.
  public func landingPath(of row: Row) throws(ResultsError) -> RowPath? {
    try landing(of: row, as: row.id)?.path
  }

  /// Returns where a row would be shown, with the section that it would be in; a frozen list says no section, and a title is said of a
  /// section that is an object.
  /// - Parameters:
  ///   - row: The row with all its values.
  ///   - id: Its identity in the list, if it has another one in a draft.
  ///   - draft: A draft over the list's store, in which related objects are read.
  /// - Returns: `nil` if the row would not be in the list.
  /// - Throws: As `landingPath(of:)`.
  package func landing(
    of row: Row,
    as id: ObjectID,
    in draft: DraftStore? = nil
  ) throws(ResultsError) -> (path: RowPath, section: SectionID?, title: String?)? {
    try reading { () throws(StoreError) in
      if snapshot.plan.isFrozen { return snapshot.path(of: id).map { ($0, nil, nil) } }
      let drafted = try draft?.read { (draft) throws(StoreError) in
        let related = try snapshot.related(row, in: draft)
        return (related, try snapshot.createdSection(of: related, in: draft))
      }
      return try loader.store.rereading { (store) throws(StoreError) in
        let related = if let drafted { drafted.0 } else { try snapshot.related(row, in: store) }
        let listed = Row(entity: related.entity, id: id, values: related.values)
        // The rows of an object that can have no section are hidden.
        if case .hidden? = drafted?.1 { return nil }
        return try snapshot.landing(ofRelated: listed, creating: drafted?.1?.key, in: store)
      }
    }
  }
}

extension ResultsSnapshot {
  /// Returns a row with its related values, if the list has any.
  fileprivate func related(_ row: Row, in store: any StoreSnapshot) throws(StoreError) -> Row {
    try (plan.view(store) as? RelatedSnapshot)?.derived(row) ?? row
  }

  /// Returns what becomes of the object in whose section a row with its related values would be, if a draft has it and the store does
  /// not yet.
  fileprivate func createdSection(
    of row: Row,
    in draft: any StoreSnapshot
  ) throws(StoreError) -> CreatedSection? {
    guard let objects = arrangement?.objects else { return nil }
    let (own, plan) = (stored.plan, objects.plan)
    guard
      let value = try own.key(of: row)?.withUnsafeBytes({ own.rule.id(of: $0, own.layout) }),
      objects.destination(of: value) != .object,
      let key = ObjectKey(parts: [value], of: plan.entity.identity),
      let object = try draft.rows([key], of: plan.entity).first ?? nil
    else { return nil }
    let related = try objects.matching.related(object, in: draft)
    // A store assigns a key above all others.
    let isTemporary = if case .integer(let number) = key { number < 0 } else { false }
    let id = ObjectID(entity: plan.entity.name, key: isTemporary ? .integer(.max) : key)
    let listed = Row(entity: related.entity, id: id, values: related.values)
    return try plan.matching.key(of: listed).map { .shown($0) } ?? .hidden
  }

  /// Returns the path of a row in this generation changed by nothing but that row; `nil` if it would not be in it.
  func landingPath(of row: Row, in store: any StoreSnapshot) throws(StoreError) -> RowPath? {
    try landing(ofRelated: related(row, in: store), in: store)?.path
  }

  /// Returns the path of a row with its related values, its section, and the title of the object that this is.
  fileprivate func landing(
    ofRelated row: Row,
    creating created: [UInt8]? = nil,
    in store: any StoreSnapshot
  ) throws(StoreError) -> (path: RowPath, section: SectionID?, title: String?)? {
    guard let landing = try stored.storedLanding(of: row, in: store) else { return nil }
    guard let arrangement else { return (landing.path, landing.section, nil) }
    let leaving = landing.leaving.flatMap { storedCounts.run(containing: $0 - window.lowerBound) }
    let path = arrangement.landingPath(
      landing.path,
      inSection: landing.section,
      present: stored.storedSection(of: landing.section),
      leaving: leaving.map { RowPath(section: $0.run, row: $0.offset) },
      creating: created,
      in: self
    )
    let title = arrangement.objects.flatMap { objects in
      (created ?? objects.key(of: landing.section.value))?.withUnsafeBytes { key in
        plan.sectionKey?.title(of: objects.title(of: key))
      }
    }
    return path.map { ($0, landing.section, title) }
  }

  /// Where a row would be among the keys changed by nothing but that row.
  private struct StoredLanding {
    let path: RowPath
    let section: SectionID
    /// The position of the row that leaves the window: itself, or the one that makes room for it; `nil` for none.
    var leaving: Int?
  }

  private func storedLanding(
    of row: Row,
    in store: any StoreSnapshot
  ) throws(StoreError) -> StoredLanding? {
    let store = plan.view(store)
    guard let key = try plan.key(of: row) else { return nil }
    guard layout == plan.layout else { return try numberedPath(of: row.id.key, key) }
    let section = key.withUnsafeBytes { SectionID(plan.rule.id(of: $0, plan.layout)) }
    let (old, rank) = try positions(of: row.id.key, key, in: store)
    let landing = Landing(
      position: rank - (old.map { $0 < rank ? 1 : 0 } ?? 0),
      old: old,
      window: plan.window(of: keys.count + (old == nil ? 1 : 0))
    )
    guard landing.window.contains(landing.position) else { return nil }
    if case .single = rule {
      let path = RowPath(section: 0, row: landing.position - landing.window.lowerBound)
      return StoredLanding(path: path, section: section)
    }
    let path = try path(of: landing, key, in: store)
    return StoredLanding(path: path, section: section, leaving: landing.leaving(window))
  }

  /// The position of an object, if it is in the list, and the number of keys before another key.
  private func positions(
    of object: ObjectKey,
    _ key: [UInt8],
    in store: any StoreSnapshot
  ) throws(StoreError) -> (old: Int?, rank: Int) {
    switch keys {
    case .held(let held):
      let old = layout.identityBytes(of: object)
        .flatMap { identities.key(of: $0, in: held, layout) }
        .flatMap { held.position(of: $0) }
      return (old, held.rank(of: key))
    case .indexed(let indexed):
      let reading = try IndexedReading(indexed, in: store)
      var old: Int?
      if let present = try reading.key(of: object, in: store) {
        old = try reading.rank(of: present)
      }
      return (old, try reading.rank(of: key))
    }
  }

  /// Finds the section of a landing row, by the rows of the window that come before it.
  private func path(
    of landing: Landing,
    _ key: [UInt8],
    in store: any StoreSnapshot
  ) throws(StoreError) -> RowPath {
    guard let (first, last) = landing.rowsBefore,
      let firstRun = counts.run(containing: first - window.lowerBound)?.run,
      let lastRun = counts.run(containing: last - window.lowerBound)?.run
    else { return RowPath(section: 0, row: 0) }
    var sections = lastRun - firstRun + 1
    if let old = landing.old, first < old, old < last,
      let run = counts.run(containing: old - window.lowerBound)?.run,
      run != firstRun, run != lastRun, counts[run] == 1
    {
      sections -= 1
    }
    guard let neighbour = try keys.keys(at: last..<last + 1, in: store).first else {
      throw unnamedObject
    }
    guard isOneSection(neighbour, key) else { return RowPath(section: sections, row: 0) }
    let start = max(first, window.lowerBound + counts.start(of: lastRun))
    let isLeft = landing.old.map { start <= $0 && $0 <= last } ?? false
    return RowPath(section: sections - 1, row: last - start + (isLeft ? 0 : 1))
  }

  /// Whether a key belongs to the section of the key before it, as sections are counted.
  private func isOneSection(_ neighbour: [UInt8], _ key: [UInt8]) -> Bool {
    neighbour.withUnsafeBytes { neighbour in
      key.withUnsafeBytes { key in
        rule.extent(of: neighbour, layout)?.contains(key)
          ?? (rule.id(of: neighbour, layout) == rule.id(of: key, layout))
      }
    }
  }

  /// Finds the path in a list whose sections are merged or split, which are numbered again with the row.
  private func numberedPath(
    of object: ObjectKey,
    _ key: [UInt8]
  ) throws(StoreError) -> StoredLanding? {
    guard case .held(let held) = keys else { return nil }
    let identity = plan.layout.identityBytes(of: object)
    var plain: [[UInt8]] = [key]
    held.forEachKey(in: 0..<held.count) { _, numbered in
      let start = layout.prefixLength(columns: 1, in: numbered)
      guard layout.identityBytes(in: numbered) != identity else { return }
      plain.append(Array(numbered[start...]))
    }
    plain.sort { KeyOrder.compare($0, $1) < 0 }
    do {
      let keys = try SortedKeyList(sorted: plain)
      let numbering = try SectionNumbering(keys, plan)
      let next = ResultsSnapshot(
        generation: generation,
        version: version,
        additionalCounts: [:],
        plan: plan,
        keys: .held(numbering?.keys ?? keys),
        numbering: numbering
      )
      guard let path = next.path(of: ObjectID(entity: entity.name, key: object)),
        let header = next.storedHeader(ofSection: path.section)
      else { return nil }
      return StoredLanding(path: path, section: header.id)
    } catch let error as StoreError {
      throw error
    } catch {
      throw .unexpected(path: entity.name, detail: "\(error)")
    }
  }
}

extension KeyLayout {
  /// The bytes of a key that are its object's identity.
  fileprivate func identityBytes(in key: UnsafeRawBufferPointer) -> [UInt8] {
    Array(key[identityStart(in: key)...])
  }
}

/// An object that is stored with a row whose section it would be.
fileprivate enum CreatedSection {
  /// Its key in the order of the sections.
  case shown([UInt8])
  /// It does not match the sections' condition.
  case hidden

  var key: [UInt8]? { if case .shown(let key) = self { key } else { nil } }
}

/// The position that a row would take, and the one that it would leave, counted over all keys.
private struct Landing {
  /// The position in the list after.
  let position: Int
  /// The position in the list before, or `nil` for a new row.
  let old: Int?
  /// The window of the list after.
  let window: Range<Int>

  /// The position in the list before of the row that leaves the window: the landing row itself, or the one at the end from which it
  /// comes; `nil` if none does.
  func leaving(_ before: Range<Int>) -> Int? {
    guard let old else { return before.count == window.count ? before.last : nil }
    return before.contains(old) ? old : old < before.lowerBound ? before.first : before.last
  }

  /// The first and the last row of the window that come before the landing row, as positions in the list before; `nil` if none does.
  ///
  /// The row's own old position may lie between the two.
  var rowsBefore: (first: Int, last: Int)? {
    var (first, last) = (window.lowerBound, position - 1)
    guard let old else { return first <= last ? (first, last) : nil }
    if old <= first { first += 1 }
    if old <= last { last += 1 }
    return first <= last ? (first, last) : nil
  }
}
