public import ResultsDomain
public import ResultsPresentation

/// Makes the snapshots of a diffable data source, so that applying one shows exactly the list (R113).
///
/// The snapshot's type is the caller's; the bridge knows only how to append to it. Sections are identified by `SectionID` and items by
/// `ObjectID`:
///
/// ```swift
/// let bridge = DiffableBridge(
///   empty: NSDiffableDataSourceSnapshot<SectionID, ObjectID>(),
///   appendSections: { $0.appendSections($1) },
///   appendItems: { $0.appendItems($1, toSection: $2) },
///   reconfigureItems: { $0.reconfigureItems($1) },
///   reloadSections: { $0.reloadSections($1) })
/// ```
///
/// It costs as much as the list is long, as a diffable data source itself does. For long lists use `TableViewBatch`, whose cost is
/// that of what changed.
public struct DiffableBridge<Snapshot> {
  private let empty: () -> Snapshot
  private let appendSections: (inout Snapshot, [SectionID]) -> Void
  private let appendItems: (inout Snapshot, [ObjectID], SectionID) -> Void
  private let reconfigureItems: (inout Snapshot, [ObjectID]) -> Void
  private let reloadSections: (inout Snapshot, [SectionID]) -> Void

  /// Creates a bridge for a type of snapshot.
  /// - Parameters:
  ///   - empty: A snapshot without sections, evaluated for each snapshot that is made.
  ///   - appendSections: Appends sections, in order.
  ///   - appendItems: Appends items, in order, to a section that has been appended.
  ///   - reconfigureItems: Marks items of the snapshot whose content changed; they were in the list before too.
  ///   - reloadSections: Marks sections of the snapshot whose title or aggregates changed; they were in the list before too.
  public init(
    empty: @escaping @autoclosure () -> Snapshot,
    appendSections: @escaping (inout Snapshot, [SectionID]) -> Void,
    appendItems: @escaping (inout Snapshot, [ObjectID], SectionID) -> Void,
    reconfigureItems: @escaping (inout Snapshot, [ObjectID]) -> Void,
    reloadSections: @escaping (inout Snapshot, [SectionID]) -> Void = { _, _ in }
  ) {
    self.empty = empty
    self.appendSections = appendSections
    self.appendItems = appendItems
    self.reconfigureItems = reconfigureItems
    self.reloadSections = reloadSections
  }

  /// Returns a snapshot of a list; no object is read.
  ///
  /// After a reset it is not known which rows have other content, so the data source must reload them all
  /// (`applySnapshotUsingReloadData`).
  /// - Throws: `ResultsError.store` if the identities of the list's rows can no longer be read.
  /// - Complexity: O(*n*) in the rows, in time and memory.
  public func snapshot<Object>(of results: ResultsList<Object>) throws(ResultsError) -> Snapshot {
    var snapshot = empty()
    let sections = results.sections
    appendSections(&snapshot, sections.map(\.id))
    for section in sections {
      appendItems(&snapshot, try section.rows.objectIDs(at: 0..<section.count), section.id)
    }
    return snapshot
  }

  /// Returns a snapshot of the list after a change, with the items and sections marked that must be drawn again.
  ///
  /// A change that names observed rows only marks those; the others are drawn when they come into view.
  /// - Throws: As `snapshot(of:)`.
  /// - Complexity: O(*n*) in the rows, in time and memory.
  public func snapshot<Object>(
    after change: ResultsChange<Object>
  ) throws(ResultsError) -> Snapshot {
    var snapshot = try snapshot(of: change.after)
    let moved = change.delta.rows.moves.filter(\.contentChanged)
    let items = (change.delta.rows.updates + moved).map(\.id)
    if !items.isEmpty { reconfigureItems(&snapshot, items) }
    let retitled = change.delta.sections.moves.filter { $0.old != $0.new }
    let sections = (change.delta.sections.updates + retitled).map(\.new.id)
    if !sections.isEmpty { reloadSections(&snapshot, sections) }
    return snapshot
  }
}
