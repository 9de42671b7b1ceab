import ResultsDomain

extension ListEngine {
  /// Who made some commits, oldest first, without repeats.
  static func origins(of records: [CommitRecord]) -> [CommitOrigin] {
    var origins: [CommitOrigin] = []
    for record in records where !origins.contains(record.origin) { origins.append(record.origin) }
    return origins
  }

  /// Several commits as one, with the first image before and the last after of every row.
  static func folded(_ records: [CommitRecord]) -> [CommitRecord] {
    guard let last = records.last, records.count > 1 else { return records }
    var order: [ObjectID] = []
    var changes: [ObjectID: CommittedChange] = [:]
    for change in records.flatMap(\.changes) {
      if let first = changes[change.id] {
        changes[change.id] = CommittedChange(
          id: change.id,
          before: first.before,
          after: change.after
        )
      } else {
        order.append(change.id)
        changes[change.id] = change
      }
    }
    let net = order.compactMap { changes[$0] }.filter { $0.before != $0.after }
    return [
      CommitRecord(
        version: last.version,
        origin: last.origin,
        isOwn: records.allSatisfy(\.isOwn),
        changes: net
      )
    ]
  }
}
