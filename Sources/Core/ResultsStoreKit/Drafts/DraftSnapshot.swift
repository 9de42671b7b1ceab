import ResultsDomain

/// A snapshot of one version of a draft, valid inside a closure.
final class DraftSnapshot: OverlaidSnapshot {
  let version: StoreVersion
  private let core: DraftCore
  private var reading: OverlaidReading?

  init(_ base: any StoreSnapshot, _ view: DraftContent.View, of core: DraftCore) {
    self.core = core
    version = view.version
    reading = OverlaidReading(base: base, overlay: view.overlay, entities: core.entities)
  }

  /// Releases the version; later calls throw.
  func end() { reading = nil }

  func current() throws(StoreError) -> OverlaidReading {
    guard let reading else { throw core.usedAfterEnd("snapshot") }
    return reading
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    core.history(after: version, through: self.version, of: entity)
  }
}

// MARK: - Transactions

/// A transaction of a draft, on a copy of its rows.
final class DraftTransaction: OverlaidSnapshot, StoreTransaction {
  /// The rows of a transaction.
  struct Outcome: Sendable {
    /// What it began with.
    let view: DraftContent.View
    let overlay: DraftOverlay
    /// The rows that it wrote, in the order of their first changes.
    let touched: [(table: Int, key: ObjectKey)]
  }

  let version: StoreVersion
  private let core: DraftCore
  private let view: DraftContent.View
  private var base: (any StoreSnapshot)?
  private var overlay: DraftOverlay
  private var touched: [(table: Int, key: ObjectKey)] = []
  private var touchedKeys: [Set<ObjectKey>]

  init(_ base: any StoreSnapshot, _ view: DraftContent.View, of core: DraftCore) {
    self.core = core
    self.view = view
    self.base = base
    version = view.version
    overlay = view.overlay
    touchedKeys = Array(repeating: [], count: core.entities.count)
  }

  /// Ends the transaction and returns its rows; later calls throw.
  func end() -> Outcome {
    base = nil
    return Outcome(view: view, overlay: overlay, touched: touched)
  }

  func current() throws(StoreError) -> OverlaidReading {
    guard let base else { throw core.usedAfterEnd("transaction") }
    return OverlaidReading(base: base, overlay: overlay, entities: core.entities)
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    core.history(after: version, through: self.version, of: entity)
  }

  private func table(of entity: EntityDescription) throws(StoreError) -> Int {
    guard base != nil else { throw core.usedAfterEnd("transaction") }
    guard let table = core.entities.index(matching: entity) else {
      throw .unknownEntity(entity.name, known: core.entities.map(\.name))
    }
    return table
  }

  private func shown(_ key: ObjectKey, inTable table: Int) throws(StoreError) -> Row? {
    try rows([key], of: core.entities[table]).first.flatMap(\.self)
  }

  private func set(
    _ row: Row?,
    inTable table: Int,
    _ key: ObjectKey,
    replacing shown: Row?,
    isTemporary: Bool = false
  ) {
    if touchedKeys[table].insert(key).inserted { touched.append((table, key)) }
    overlay.set(row, inTable: table, key, replacing: shown, isTemporary: isTemporary)
  }
}

extension DraftTransaction {
  func insert(
    _ values: [Value],
    key: ObjectKey?,
    into entity: EntityDescription
  ) throws(StoreError) -> ObjectID {
    let table = try table(of: entity)
    let values = core.entities[table].completed(entity.storedValues(values))
    let entity = core.entities[table]
    try core.validate(values, key, of: entity)
    let given = try entity.key(for: values, given: key)
    let newKey = if let given { given } else { try temporaryKey(inTable: table) }
    let id = ObjectID(entity: entity.name, key: newKey)
    guard try shown(newKey, inTable: table) == nil else { throw .alreadyExists(id) }
    let row = Row(entity: core.entities[table], id: id, values: values)
    set(row, inTable: table, newKey, replacing: nil, isTemporary: given == nil)
    return id
  }

  /// A negative key that no row has.
  private func temporaryKey(inTable table: Int) throws(StoreError) -> ObjectKey {
    while true {
      let key = overlay.nextTemporaryKey(inTable: table)
      if try shown(key, inTable: table) == nil { return key }
    }
  }

  func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription,
    ifUnchangedFrom expected: Row?
  ) throws(StoreError) {
    let table = try table(of: entity)
    var values = entity.storedValues(values)
    let entity = core.entities[table]
    guard id.entity.hasSameBytes(as: entity.name), let stored = try shown(id.key, inTable: table)
    else { throw .notFound(id) }
    values = entity.completed(values, from: stored)
    try core.validate(values, nil, of: entity)
    if let expected, entity.completed(expected, from: stored) != stored {
      throw .conflict(id, expected: expected, stored: stored)
    }
    let isCompound = !entity.keyAttributeIndexes.isEmpty
    let key =
      isCompound ? ObjectKey.compound(entity.keyAttributeIndexes.map { values[$0] }) : id.key
    let newID = ObjectID(entity: entity.name, key: key)
    let row = Row(entity: core.entities[table], id: newID, values: values)
    guard key != id.key else {
      set(row, inTable: table, key, replacing: stored)
      return
    }
    guard try shown(key, inTable: table) == nil else { throw .alreadyExists(newID) }
    set(nil, inTable: table, id.key, replacing: stored)
    set(row, inTable: table, key, replacing: nil)
  }

  func delete(_ id: ObjectID, of entity: EntityDescription) throws(StoreError) -> Bool {
    let table = try table(of: entity)
    guard id.entity.hasSameBytes(as: entity.name), try shown(id.key, inTable: table) != nil else {
      return false
    }
    let consequences = try consequences(
      ofDeleting: id,
      of: core.entities[table],
      among: core.entities
    )
    for row in consequences.updates {
      try update(row.id, to: row.values, of: row.entity, ifUnchangedFrom: nil)
    }
    for id in consequences.deletes {
      guard let table = core.entities.firstIndex(where: { $0.name.hasSameBytes(as: id.entity) }),
        let stored = try shown(id.key, inTable: table)
      else { continue }
      set(nil, inTable: table, id.key, replacing: stored)
    }
    return true
  }
}
