import ResultsDomain

/// What one version of a store tells of its past; each question is put to the store once, however many lists ask.
final class SnapshotHistory {
  private struct Question: Hashable {
    let version: StoreVersion
    /// The entity's name, compared by its bytes.
    let entity: Value
  }

  /// The version, and what was asked of it.
  let snapshot: CountingSnapshot
  private var answers: [Question: [(entity: EntityDescription, history: StoreHistory)]] = [:]

  init(_ snapshot: any StoreSnapshot) { self.snapshot = CountingSnapshot(snapshot) }

  /// What happened to an entity between an earlier version and this one.
  func since(
    _ version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    let question = Question(version: version, entity: .text(entity.name))
    if let known = answers[question]?.first(where: { $0.entity == entity }) {
      return known.history
    }
    let history = try snapshot.history(since: version, of: entity)
    answers[question, default: []].append((entity, history))
    return history
  }
}
