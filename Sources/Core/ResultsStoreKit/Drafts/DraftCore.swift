import ResultsDomain
import Synchronization

/// What a draft and its observation of the base share.
///
/// Two locks: `writer` is held for a whole transaction or commit of the draft, and locked first; `content` is held while the draft's
/// rows change or are looked up. While `content` is held, only the history and rows of the base's snapshot are read, never while a
/// closure of a caller runs, while the base is written, or while anybody is notified.
final class DraftCore: Sendable {
  let base: any Store
  let entities: [EntityDescription]
  let identity: StoreIdentity
  /// Locked for the duration of a transaction or a commit; readers never lock it.
  let writer = Mutex<Void>(())
  /// The observers of what the draft shows.
  let broadcaster = CommitBroadcaster()
  /// The observers of edits and their states.
  let editBroadcaster = CommitBroadcaster()
  private let content: Mutex<DraftContent>

  init(_ base: any Store, epoch: UInt64, historyCapacity: Int) {
    self.base = base
    entities = base.entities
    identity = StoreIdentity(
      name: "the draft over " + base.identity.name,
      uniqueName: base.identity.uniqueName + "-draft-" + String(epoch, radix: 16)
    )
    content = Mutex(
      DraftContent(entities: base.entities, epoch: epoch, historyCapacity: historyCapacity)
    )
  }

  /// How often a version is sought that has not been overtaken.
  private static let attempts = 16

  /// Changes the content, and notifies the observers of edits if any of them changed.
  func withContent<Result: Sendable>(
    _ body: (inout DraftContent) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let (result, isChanged) = try content.withLock { (content) throws(StoreError) in
      let before = content.editChanges
      return (try body(&content), content.editChanges != before)
    }
    if isChanged { editBroadcaster.notify() }
    return result
  }

  /// Changes the content without reading the base, and notifies the observers of edits if any of them changed.
  func updateContent<Result: Sendable>(_ body: (inout DraftContent) -> Result) -> Result {
    let (result, isChanged) = content.withLock { content in
      let before = content.editChanges
      return (body(&content), content.editChanges != before)
    }
    if isChanged { editBroadcaster.notify() }
    return result
  }

  /// The draft's rows, as they are now.
  var overlay: DraftOverlay { content.withLock { $0.overlay } }

  /// Whether nothing is known of the base after a view, and no commit of the draft.
  func isLatest(_ view: DraftContent.View) -> Bool {
    content.withLock { $0.base == view.base && $0.landed?.version == nil }
  }

  func history(
    after old: StoreVersion,
    through new: StoreVersion,
    of entity: EntityDescription
  ) -> StoreHistory {
    content.withLock { content in
      guard let table = content.entities.index(matching: entity) else { return .commits([]) }
      return content.history.history(after: old, through: new, ofTable: table)
    }
  }

  func usedAfterEnd(_ what: String) -> StoreError {
    .unexpected(path: identity.name, detail: "a \(what) was used after its closure had returned")
  }

  func checkOpen() throws(StoreError) {
    guard !broadcaster.isClosed else { throw .closed(path: identity.name) }
  }

  /// Checks the values and the key of a row as the base would.
  func validate(
    _ values: [Value],
    _ key: ObjectKey?,
    of entity: EntityDescription
  ) throws(StoreError) {
    try entity.validate(values)
    guard !base.capabilities.keepsZeroCharacters else { return }
    let keyParts = entity.keyAttributeIndexes.isEmpty ? key?.parts ?? [] : []
    let named =
      Array(zip(entity.attributes.map(\.name), values))
      + Array(zip(entity.identity.columns, keyParts))
    let failures = named.compactMap { name, value -> ValidationFailure? in
      guard case .text(let text) = value, text.utf8.contains(0) else { return nil }
      return .notStorable(
        entity: entity.name,
        attribute: name,
        detail: "the base's texts cannot contain the character NUL"
      )
    }
    guard failures.isEmpty else { throw .invalid(failures) }
  }

  /// Runs a closure with a snapshot of the base and the draft's rows over its version.
  func read<Result: Sendable>(
    _ body: (any StoreSnapshot, DraftContent.View) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    for _ in 0..<DraftCore.attempts {
      try checkOpen()
      let result: Result? = try base.read { (snapshot) throws(StoreError) -> Result? in
        let view = try withContent { (content) throws(StoreError) in
          try content.view(in: snapshot)
        }
        guard let view else { return nil }
        return try body(snapshot, view)
      }
      if let result { return result }
    }
    throw .writeConflict(path: identity.name)
  }

  /// Publishes the rows of a transaction.
  /// - Returns: The draft's version with them.
  func publish(
    _ made: DraftTransaction.Outcome,
    _ origin: CommitOrigin
  ) throws(StoreError) -> StoreVersion {
    let path = identity.name
    try checkOpen()
    let version = try withContent { (content) throws(StoreError) in
      try content.publish(made, origin, path: path)
    }
    if let version { return version }
    for _ in 0..<DraftCore.attempts {
      // The base was followed to a later version while the transaction ran.
      let version = try base.read { (snapshot) throws(StoreError) in
        try withContent { (content) throws(StoreError) -> StoreVersion? in
          guard try content.advance(to: snapshot) else { return nil }
          return try content.publish(made, origin, path: path, in: snapshot)
        }
      }
      if let version { return version }
    }
    throw .writeConflict(path: path)
  }

  /// Advances to the base's version, and notifies the observers.
  func followBase() {
    if !overlay.isEmpty { _ = try? read { (_, _) throws(StoreError) in } }
    broadcaster.notify()
  }
}
