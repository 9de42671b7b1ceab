import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Sections that are objects, compiled: the foreign key that divides the rows, and the lists of the objects.
final class ObjectSectionsPlan: Sendable {
  let sections: ObjectSections
  /// The entity of the objects.
  let entity: EntityDescription
  /// The value of a row that names its object.
  let foreignKey: FetchExpression
  /// The objects that can have a section, in the order of the sections.
  let matching: ListPlan
  /// All objects, where some have no section and their rows differ from those without an object; `nil` otherwise.
  let existing: ListPlan?
  /// The column of the title among those of the objects' keys.
  let titleColumn: Int

  /// Whether an object without rows has a section.
  var showsEmpty: Bool { sections.empty == .shown }
  /// Whether the section of rows without an object is the first one.
  var hasWithoutFirst: Bool { if case .first = sections.without { true } else { false } }

  /// Compiles sections by the objects of a path from an entity.
  /// - Throws: `RequestError` for a path that does not reach one object, or an order or condition that is not valid;
  ///   `.sectionsOfCompoundKey`.
  init(
    _ sections: ObjectSections,
    of base: EntityDescription,
    _ answersPaths: Bool
  ) throws(RequestError) {
    self.sections = sections
    let name = sections.path.joined(separator: ".")
    let path = try base.relationships(along: sections.path, endsToMany: false, in: name)
    let last = path[path.count - 1]
    let entity = last.destination
    self.entity = entity
    guard case .toOne(let columns) = last.kind, columns.count == 1 else {
      throw .sectionsOfCompoundKey(name, entity: entity.name)
    }
    let steps = Array(sections.path.dropLast())
    let owner = path.count > 1 ? path[path.count - 2].destination : base
    let column = owner.expression(ofColumn: columns[0]) ?? .attribute(columns[0])
    foreignKey = steps.isEmpty ? column : .related(steps, column)
    func plan(
      where predicate: FetchPredicate,
      _ order: [FetchSortDescriptor]
    ) throws(RequestError) -> ListPlan {
      let request = FetchRequest<Row>(entity: entity, where: predicate, sortedBy: order)
      return try ListPlan(
        ResultsDefinition(request),
        carriesRows: false,
        answersPaths: answersPaths,
        namesChangedKeys: true
      )
    }
    let title = sections.title
    let matching = try plan(where: sections.predicate, sections.order)
    self.matching = matching
    titleColumn = matching.storeDefinition.terms.firstIndex { $0.expression == title } ?? 0
    let hidesRows = sections.predicate != .all && sections.without != .hidden
    existing = hidesRows ? try plan(where: .all, [FetchSortDescriptor(.objectKey)]) : nil
  }

  /// The entities whose objects decide which sections there are.
  var entities: [EntityDescription] { matching.relations?.entities ?? [entity] }
}

/// The objects that can be sections of a list, in one version of the store.
struct SectionObjects: Sendable {
  let plan: ObjectSectionsPlan
  /// Those that can have a section, in the order of the sections.
  fileprivate(set) var matching: ResultsSnapshot
  /// All objects, where that makes a difference.
  fileprivate(set) var existing: ResultsSnapshot?

  /// Where rows with some foreign key stand.
  enum Destination: Equatable {
    /// In the section of an object.
    case object
    /// In the section of the rows without an object.
    case without
    /// Nowhere.
    case hidden
  }

  /// The keys of the objects that can have a section, in the order of the sections.
  var keys: SortedKeyList {
    guard case .held(let keys) = matching.keys else { return SortedKeyList() }
    return keys
  }

  /// The key in the order of the sections of the object that a foreign key names, or `nil` if it has no section.
  /// - Complexity: O(log *n*)
  func key(of value: Value) -> [UInt8]? { key(of: value, in: matching) }

  /// The number of the object that a foreign key names among those that can have a section, or `nil` if it has none.
  /// - Complexity: O(log *n*)
  func position(of value: Value) -> Int? { located(value, in: matching)?.position }

  private func key(of value: Value, in list: ResultsSnapshot) -> [UInt8]? {
    located(value, in: list)?.key
  }

  private func located(
    _ value: Value,
    in list: ResultsSnapshot
  ) -> (key: [UInt8], position: Int)? {
    guard case .held(let keys) = list.keys,
      let object = ObjectKey(parts: [value], of: plan.entity.identity),
      let identity = list.layout.identityBytes(of: object),
      let key = list.identities.key(of: identity, in: keys, list.layout),
      let position = keys.position(of: key)
    else { return nil }
    return (key, position)
  }

  /// Where rows with a foreign key stand.
  /// - Complexity: O(log *n*)
  func destination(of value: Value) -> Destination {
    if key(of: value) != nil { return .object }
    guard plan.sections.without != .hidden else { return .hidden }
    guard let existing else { return .without }
    return key(of: value, in: existing) == nil ? .without : .hidden
  }

  /// The value by which rows name the object with a key.
  func value(of key: UnsafeRawBufferPointer) -> Value {
    matching.layout.objectKey(in: key, of: plan.entity.identity)?.parts.first ?? .null
  }

  /// The title's value of the object with a key.
  func title(of key: UnsafeRawBufferPointer) -> Value {
    matching.layout.value(ofColumn: plan.titleColumn, in: key)
  }
}

/// A change of the objects that are the sections of a list.
struct SectionObjectsChange: Sendable {
  /// The objects after the change.
  var objects: SectionObjects
  /// The values by which rows name the objects whose keys changed.
  var changed: Set<Value>
  /// The version after the change, and what made it.
  var version: StoreVersion
  var cause: DeltaCause
  var origins: [CommitOrigin]

  /// Two consecutive changes as one.
  func followed(by next: SectionObjectsChange) -> SectionObjectsChange {
    var both = next
    both.changed.formUnion(changed)
    both.cause = cause.joined(with: next.cause)
    return both
  }
}

extension [SectionObjectsChange] {
  /// All changes as one, or `nil` for none.
  var composed: SectionObjectsChange? {
    guard let first else { return nil }
    return dropFirst().reduce(first) { $0.followed(by: $1) }
  }
}

/// The live lists of the objects that are the sections of another list.
struct SectionObjectLists: Sendable {
  /// The outcome of an advance.
  enum Progress {
    /// The changes, oldest first, and why the objects were read again, if they were.
    case moved([SectionObjectsChange], repair: GapReason?)
    /// Nothing is known of what changed.
    case reset(ResultsResetReason)
  }

  /// The objects as they are now.
  private(set) var objects: SectionObjects
  /// The objects that can have a section, and where that makes a difference all objects.
  private var lists: [ListEngine]

  /// Reads the objects.
  /// - Throws: The store's error.
  /// - Complexity: O(*n*) in the objects; of them only keys are read.
  init(_ plan: ObjectSectionsPlan, from store: any StoreSnapshot) throws(StoreError) {
    lists = []
    for plan in [plan.matching, plan.existing].compactMap(\.self) {
      lists.append(try ListEngine(plan, from: store, generation: 1, maintainsDigests: false))
    }
    objects = SectionObjects(plan: plan, matching: lists[0].snapshot)
    if lists.count > 1 { objects.existing = lists[1].snapshot }
  }

  /// Whether the lists can be advanced to a version by a few searches.
  func canAdvancePromptly(in history: SnapshotHistory) -> Bool {
    lists.allSatisfy { $0.canAdvancePromptly(in: history) }
  }

  /// Advances the objects to a later version of the store.
  /// - Throws: The store's error; the lists must not be used afterwards.
  mutating func advance(
    in history: SnapshotHistory,
    folding isFolding: Bool
  ) throws(StoreError) -> Progress {
    var moves: [(list: Int, step: ListEngine.Step)] = []
    var repair: GapReason?
    for index in lists.indices {
      switch try lists[index].advance(in: history, folding: isFolding) {
      case .unchanged: break
      case .reset(let reason): return .reset(reason)
      case .moved(let steps):
        repair = repair ?? steps.lazy.compactMap(\.delta.repair).first
        moves += steps.map { (index, $0) }
      }
    }
    moves.sort {
      ($0.step.snapshot.version.sequence, $0.list) < ($1.step.snapshot.version.sequence, $1.list)
    }
    var changes: [SectionObjectsChange] = []
    for (list, step) in moves {
      if list == 0 { objects.matching = step.snapshot } else { objects.existing = step.snapshot }
      var change = SectionObjectsChange(
        objects: objects,
        changed: [],
        version: step.snapshot.version,
        cause: step.delta.cause,
        origins: step.delta.origins
      )
      for id in step.delta.rows.ids {
        if let value = id.key.parts.first { change.changed.insert(value) }
      }
      if let last = changes.last, last.version == change.version {
        changes[changes.count - 1] = last.followed(by: change)
      } else {
        changes.append(change)
      }
    }
    objects.matching = lists[0].snapshot
    if lists.count > 1 { objects.existing = lists[1].snapshot }
    return .moved(changes, repair: repair)
  }
}
