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
  private typealias Answer = (entity: EntityDescription, history: StoreHistory)
  private var answers: [Question: [Answer]] = [:]
  /// What was answered first: nearly always there is one question, put again and again.
  private var first: (version: StoreVersion, answer: Answer)?

  init(_ snapshot: any StoreSnapshot) { self.snapshot = CountingSnapshot(snapshot) }

  /// What happened to an entity between an earlier version and this one.
  func since(
    _ version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    if let first, first.version == version, first.answer.entity == entity {
      return first.answer.history
    }
    guard first != nil else {
      let history = try snapshot.history(since: version, of: entity)
      first = (version, (entity, history))
      return history
    }
    let question = Question(version: version, entity: .text(entity.name))
    if let known = answers[question]?.first(where: { $0.entity == entity }) {
      return known.history
    }
    let history = try snapshot.history(since: version, of: entity)
    answers[question, default: []].append((entity, history))
    return history
  }
}
