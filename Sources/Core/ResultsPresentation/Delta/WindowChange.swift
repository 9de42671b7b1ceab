public import ResultsDomain
import ResultsStoreKit

/// What a change of a list does to a window of it, for a view in another process that holds no more than the window's rows.
///
/// A window is a range of positions counted over all sections. It follows the content: rows inserted or deleted above it shift it.
/// Applied in this order, it makes the window's rows before the change those after it:
/// 1. the rows at `removed` are taken out;
/// 2. `arrived` puts rows in at their positions of `newRows`;
/// 3. the rows that stayed take the free positions, in their order; what is left over has left the window;
/// 4. the rows at `updated` are replaced.
///
/// As changes compose (R28), one window change takes a view from any earlier generation to the present one (R238).
public struct WindowChange: Hashable, Sendable {
  /// A row that leaves its position in the window.
  public struct Removal: Hashable, Sendable {
    /// The position before, counted over all sections.
    public var position: Int
    /// The row's identity.
    public var id: ObjectID
  }

  /// The reason why a row comes into the window.
  public enum ArrivalKind: String, Hashable, Sendable {
    /// The row is new in the list.
    case insert
    /// The row moved, within the window or into it.
    case move
    /// Nothing happened to the row; others made room for it.
    case fill
  }

  /// A row that comes into the window.
  public struct Arrival: Hashable, Sendable {
    /// The position after, counted over all sections.
    public var position: Int
    /// The reason why it comes.
    public var kind: ArrivalKind
  }

  /// The window before; it ends where the list before ends.
  public var oldRows: Range<Int>
  /// The window after; it ends where the list after ends.
  public var newRows: Range<Int>
  /// Deleted rows, and rows that moved, by ascending position.
  public var removed: [Removal]
  /// Rows that come into the window, by ascending position.
  public var arrived: [Arrival]
  /// The positions after of rows that stayed and whose content changed, or may have, ascending.
  public var updated: [Int]
  /// The changes above the window.
  public var above: UnobservedChanges.Counts
  /// The changes below the window.
  public var below: UnobservedChanges.Counts

  init(
    oldRows: Range<Int>,
    newRows: Range<Int>,
    removed: [Removal],
    arrived: [Arrival],
    updated: [Int],
    above: UnobservedChanges.Counts,
    below: UnobservedChanges.Counts
  ) {
    (self.oldRows, self.newRows, self.removed) = (oldRows, newRows, removed)
    (self.arrived, self.updated) = (arrived, updated)
    (self.above, self.below) = (above, below)
  }

  /// Describes what a change does to a window.
  ///
  /// It is `nil` for a change that moves sections, or names only observed rows: the window is then to be read again.
  /// - Parameters:
  ///   - change: The change, which names all rows.
  ///   - window: The window in `change.before`; it may extend beyond the end of the list.
  /// - Complexity: O(*w* + *c* log *s*) for a window of *w* rows, *c* changes and *s* sections.
  public init?(_ change: ResultsChange<some FetchedObject>, in window: Range<Int>) {
    guard change.delta.sections.moves.isEmpty, change.delta.unobserved == nil else { return nil }
    let (before, after) = (change.before.snapshot, change.after.snapshot)
    let observed = change.delta.observing(ObservedRows(range: window), from: before, to: after)
      .delta
    guard let counts = observed.unobserved else { return nil }
    let newRows = counts.newRows.clamped(to: 0..<max(after.rowCount, 0))
    self.newRows = newRows
    oldRows = window.clamped(to: 0..<before.rowCount)
    (above, below) = (counts.above, counts.below)
    let oldRows = self.oldRows
    let leaving =
      observed.rows.deletes.map { (id: $0.id, from: $0.from) }
      + observed.rows.moves.map { (id: $0.id, from: $0.from) }
    removed = leaving.compactMap { row in
      before.flatPosition(of: row.from.path)
        .flatMap { oldRows.contains($0) ? Removal(position: $0, id: row.id) : nil }
    }
    .sorted { $0.position < $1.position }
    let placed =
      observed.rows.inserts.map { (path: $0.to, kind: ArrivalKind.insert) }
      + observed.rows.moves.map { (path: $0.to, kind: ArrivalKind.move) }
    var arrived = placed.compactMap { row in
      after.flatPosition(of: row.path.path)
        .flatMap { newRows.contains($0) ? Arrival(position: $0, kind: row.kind) : nil }
    }
    // The rows that stayed come first among the free positions: what has come in without a change has come from below.
    let taken = Set(arrived.map(\.position))
    let stayed = oldRows.count - removed.count
    let free = newRows.count - taken.count
    if stayed < free {
      var missing = free - stayed
      for position in newRows.reversed() where !taken.contains(position) {
        guard missing > 0 else { break }
        arrived.append(Arrival(position: position, kind: .fill))
        missing -= 1
      }
    }
    let positions = Set(arrived.map(\.position))
    self.arrived = arrived.sorted { $0.position < $1.position }
    updated = observed.rows.updates.compactMap { after.flatPosition(of: $0.to.path) }
      .filter { newRows.contains($0) && !positions.contains($0) }
      .sorted()
  }

  /// The positions after whose rows a view does not have as they are now, ascending.
  public var positionsToRead: [Int] { (arrived.map(\.position) + updated).sorted() }

  /// Whether nothing happened to the window's rows; its place in the list may have changed.
  public var keepsRows: Bool { removed.isEmpty && arrived.isEmpty && updated.isEmpty }
}

extension WindowChange {
  /// Returns the rows of the window after the change.
  /// - Parameters:
  ///   - rows: The rows of the window before it.
  ///   - identity: Returns the identity of a row.
  ///   - read: Returns the row at a position after the change: one of `positionsToRead`.
  /// - Returns: `nil` for rows that are not those of the window before, which are then to be read again.
  /// - Complexity: O(*w*) for a window of *w* rows.
  public func apply<Element>(
    to rows: [Element],
    identity: (Element) -> ObjectID,
    read: (Int) -> Element
  ) -> [Element]? {
    guard rows.count == oldRows.count else { return nil }
    var stayed: [Element] = []
    stayed.reserveCapacity(rows.count)
    var removals = removed[...]
    for (position, row) in zip(oldRows, rows) {
      guard removals.first?.position == position else {
        stayed.append(row)
        continue
      }
      guard removals.removeFirst().id == identity(row) else { return nil }
    }
    guard removals.isEmpty else { return nil }
    let arriving = Set(arrived.map(\.position))
    let replaced = Set(updated)
    var result: [Element] = []
    result.reserveCapacity(newRows.count)
    var next = stayed[...]
    for position in newRows {
      if arriving.contains(position) {
        result.append(read(position))
      } else {
        guard let row = next.popFirst() else { return nil }
        result.append(replaced.contains(position) ? read(position) : row)
      }
    }
    return result
  }
}
