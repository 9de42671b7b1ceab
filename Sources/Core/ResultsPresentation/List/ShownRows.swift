public import ResultsDomain
import ResultsStoreKit

/// The rows of a part of a list that a front end holds, beside the positions of which the list itself knows only identities.
///
/// A view of a long list holds a page of rows. When the list changes, the rows that stay keep their contents at their new positions,
/// and what must be read is named: rows that are new to the page, and rows whose content changed.
///
/// ```swift
/// shown.follow(change)
/// if let missing = shown.missing {
///   let ids = try change.after.objectIDs(at: missing)
///   let books = try change.after.objects(at: missing)
///   shown.fill(zip(ids, books).map { ($0, $1) }, from: missing.lowerBound)
/// }
/// ```
///
/// It satisfies a law: after any changes, when what is missing has been filled from the list after, every row is that of the list at
/// its position (R90).
public struct ShownRows<Content: Sendable>: Sendable {
  /// A row that is held.
  public struct Entry: Sendable {
    /// The row's identity.
    public let id: ObjectID
    /// What the front end holds of the row.
    public var content: Content
  }

  /// The positions to hold, counted over all sections of the list; they follow the list's changes.
  public private(set) var positions = RangeSet<Int>()
  private var entries: [Int: Entry] = [:]

  /// Creates a page without positions.
  public init() {}

  /// The row at a position, or `nil` if it has to be read.
  public subscript(position: Int) -> Entry? { entries[position] }

  /// The rows that are held, with their positions, in no order.
  public var all: some Sequence<(key: Int, value: Entry)> { entries }

  /// The first positions in one row that have to be read, or `nil` if every row is held.
  ///
  /// They may include rows that are held: one read of a page costs less than several of its parts.
  /// - Complexity: O(*k*) in the positions.
  public var missing: Range<Int>? {
    for range in positions.ranges {
      guard let first = range.first(where: { entries[$0] == nil }) else { continue }
      let last = range.last { entries[$0] == nil } ?? first
      return first..<last + 1
    }
    return nil
  }

  /// Chooses the positions to hold; the rows at others are dropped.
  /// - Complexity: O(*k* log *r*) in the rows held and the ranges of positions.
  public mutating func show(_ positions: RangeSet<Int>) {
    guard positions != self.positions else { return }
    self.positions = positions
    entries = entries.filter { positions.contains($0.key) }
  }

  /// Chooses the positions to hold; the rows at others are dropped.
  public mutating func show(_ positions: Range<Int>) { show(RangeSet(positions)) }

  /// Takes rows that were read, in the order of their positions; those outside the page are left out.
  public mutating func fill(
    _ rows: some Sequence<(id: ObjectID, content: Content)>,
    from start: Int
  ) {
    for (position, row) in zip(start..., rows) where positions.contains(position) {
      entries[position] = Entry(id: row.id, content: row.content)
    }
  }

  /// Drops all rows, so that they are read again.
  public mutating func invalidate() { entries = [:] }
}

// MARK: - Changes

extension ShownRows {
  /// Follows a change: rows that stay keep their contents, and those that changed, left or came have to be read.
  ///
  /// Changes of observed rows only are followed exactly where they name rows; what they do not name is read again.
  /// - Complexity: O((*c* + *k*) log *c*) for *c* changes and *k* rows held.
  public mutating func follow<Object>(_ change: ResultsChange<Object>) {
    follow(change.delta, from: change.before, to: change.after)
  }

  /// Follows the difference between two lists.
  public mutating func follow<Object>(
    _ delta: ResultsDelta,
    from before: ResultsList<Object>,
    to after: ResultsList<Object>
  ) {
    let changed = Set(
      (delta.rows.moves + delta.rows.updates).filter(\.contentChanged).map(\.id)
    )
    let shift: any PositionShift
    if delta.sections.moves.isEmpty {
      shift = FlatShift(delta, before.snapshot, after.snapshot)
    } else if delta.unobserved == nil {
      shift = PathShift(delta, before.snapshot, after.snapshot)
    } else {
      // Where unnamed rows went with their sections is not known.
      return invalidate()
    }
    var next: [Int: Entry] = [:]
    for (position, entry) in entries where !changed.contains(entry.id) {
      if let position = shift.newPosition(of: position) { next[position] = entry }
    }
    positions = RangeSet(
      positions.ranges.map { range in
        let start = min(max(shift.start(of: range.lowerBound), 0), after.count)
        return start..<min(start + range.count, after.count)
      }
    )
    entries = next.filter { positions.contains($0.key) }
  }
}

/// Where rows are after a change, by positions counted over all sections.
private protocol PositionShift {
  /// Returns the new position of a row, or `nil` if it was deleted or its position is not known.
  func newPosition(of position: Int) -> Int?
  /// Returns the position at which the rows from a position on begin after the change.
  func start(of position: Int) -> Int
}

/// Sections kept their order, so rows that were not named kept theirs over all sections.
private struct FlatShift: PositionShift {
  private var shift = IndexShift()
  private var moves: [Int: Int] = [:]
  private var known: (old: Range<Int>, new: Range<Int>)?

  init(_ delta: ResultsDelta, _ before: ResultsSnapshot, _ after: ResultsSnapshot) {
    func old(_ path: OldPath) -> Int { before.flatPosition(of: path.path) ?? 0 }
    func new(_ path: NewPath) -> Int { after.flatPosition(of: path.path) ?? 0 }
    known = delta.unobserved.map { ($0.oldRows, $0.newRows) }
    let (oldStart, newStart) = (known?.old.lowerBound ?? 0, known?.new.lowerBound ?? 0)
    for move in delta.rows.moves { moves[old(move.from)] = new(move.to) }
    let removed = delta.rows.deletes.map { old($0.from) } + moves.keys
    let inserted = delta.rows.inserts.map { new($0.to) } + moves.values
    shift.removed = removed.filter { known?.old.contains($0) ?? true }.map { $0 - oldStart }
      .sorted()
    shift.inserted = inserted.filter { known?.new.contains($0) ?? true }.map { $0 - newStart }
      .sorted()
  }

  func newPosition(of position: Int) -> Int? {
    if let moved = moves[position] { return moved }
    guard let known else { return shift.newIndex(ofOld: position) }
    guard known.old.contains(position),
      let index = shift.newIndex(ofOld: position - known.old.lowerBound)
    else { return nil }
    let new = known.new.lowerBound + index
    return known.new.contains(new) ? new : nil
  }

  func start(of position: Int) -> Int {
    guard let known else { return shift.newIndex(ofRank: shift.rank(ofOld: position)) }
    return position + known.new.lowerBound - known.old.lowerBound
  }
}

/// Sections moved, and their rows with them.
private struct PathShift: PositionShift {
  private let mapping: PathMapping
  private let before: ResultsSnapshot
  private let after: ResultsSnapshot

  init(_ delta: ResultsDelta, _ before: ResultsSnapshot, _ after: ResultsSnapshot) {
    mapping = PathMapping(delta)
    self.before = before
    self.after = after
  }

  func newPosition(of position: Int) -> Int? {
    before.path(ofFlatPosition: position)
      .flatMap { mapping.newPath(for: OldPath($0)) }
      .flatMap { after.flatPosition(of: $0.path) }
  }

  func start(of position: Int) -> Int { newPosition(of: position) ?? position }
}
