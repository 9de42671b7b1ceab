import ResultsDomain
import ResultsPresentation

/// What changed lately, by row and by section, for the signs beside them.
///
/// A mark is shown for a while and then forgotten; where too much changed at once there are none.
struct ChangeMarks: Sendable {
  /// What happened to a row.
  enum Kind: Hashable, Sendable { case inserted, updated, moved }

  /// A mark of a row.
  struct Mark: Hashable, Sendable {
    /// What happened.
    var kind: Kind
    /// When it happened.
    var time: Duration
    /// The changed attributes, where they are known.
    var changed: AttributeSet?
    /// The title of the section that a moved row came from.
    var origin: String?
  }

  /// The number of rows in one change above which they are not marked one by one.
  static let mostRows = 200
  /// The time for which a mark is bright, of the time for which it is shown at all.
  static func brightTime(of span: Duration?) -> Duration {
    span.map { $0 / 2 } ?? .seconds(1_000_000)
  }

  /// The marks of rows.
  private(set) var rows: [ObjectID: Mark] = [:]
  /// By how much the counts of sections changed, and when.
  private(set) var counts: [SectionID: (change: Int, time: Duration)] = [:]

  /// Whether nothing is marked.
  var isEmpty: Bool { rows.isEmpty && counts.isEmpty }

  /// Adds the marks of a change.
  /// - Complexity: O(*c* log *s*) in the changes and the sections.
  mutating func add(
    _ delta: ResultsDelta,
    from before: ResultsList<Row>,
    to after: ResultsList<Row>,
    at time: Duration
  ) {
    guard delta.rows.count <= ChangeMarks.mostRows else { return rows = [:] }
    for row in delta.rows.updates {
      rows[row.id] = Mark(kind: .updated, time: time, changed: row.changed)
    }
    for row in delta.rows.moves {
      var mark = Mark(kind: .moved, time: time, changed: row.changed)
      let (old, new) = (
        before.snapshot.header(ofSection: row.from.section),
        after.snapshot.header(ofSection: row.to.section)
      )
      if before.isSectioned, old?.id != new?.id { mark.origin = old?.title }
      rows[row.id] = mark
    }
    for row in delta.rows.inserts { rows[row.id] = Mark(kind: .inserted, time: time) }
    guard after.isSectioned else { return }
    var changes: [SectionID: Int] = [:]
    for path in delta.rows.inserts.map(\.to) + delta.rows.moves.map(\.to) {
      if let id = after.snapshot.header(ofSection: path.section)?.id {
        changes[id, default: 0] += 1
      }
    }
    for path in delta.rows.deletes.map(\.from) + delta.rows.moves.map(\.from) {
      if let id = before.snapshot.header(ofSection: path.section)?.id {
        changes[id, default: 0] -= 1
      }
    }
    for (id, change) in changes where change != 0 { counts[id] = (change, time) }
  }

  /// Forgets what has been shown long enough.
  mutating func expire(at now: Duration, _ span: Duration) {
    rows = rows.filter { now - $0.value.time < span }
    counts = counts.filter { now - $0.value.time < span }
  }
}
