public import ResultsDomain
import ResultsStoreKit

/// An event that a controller publishes to its subscribers.
public enum ResultsEvent<Object: FetchedObject>: Sendable {
  /// The present list, which every subscriber receives first (R74).
  case snapshot(ResultsList<Object>)
  /// A later generation, with the difference.
  indirect case change(ResultsChange<Object>)
  /// A whole list in place of what was shown, with the reason why there is no change (R43, R72).
  case reset(ResultsResetReason, ResultsList<Object>)
  /// A failure; the last good list stays, and the next successful attempt continues from it (R71).
  case failure(StoreError)
}

/// One delivered change: the list before, the delta, and the list after.
public struct ResultsChange<Object: FetchedObject>: Sendable {
  /// The list before.
  public let before: ResultsList<Object>
  /// The difference between the two.
  public let delta: ResultsDelta
  /// The list after.
  public let after: ResultsList<Object>

  init(before: ResultsList<Object>, delta: ResultsDelta, after: ResultsList<Object>) {
    self.before = before
    self.delta = delta
    self.after = after
  }
}

// MARK: - Composing

extension ResultsChange {
  /// Creates the change between two lists of one controller, such as the composition of several deltas.
  /// - Parameters:
  ///   - before: The list before.
  ///   - delta: The difference between the two.
  ///   - after: The list after.
  /// - Throws: `DeltaError.otherLife` if the three do not belong to one list, `DeltaError.outOfSync` if the delta does not join the two
  ///   generations, `DeltaError.sectionCount` if a list has another number of sections. Rows are not compared:
  ///   `ResultsDelta.verify(from:to:)` does that.
  /// - Complexity: O(1)
  public init(
    from before: ResultsList<Object>,
    by delta: ResultsDelta,
    to after: ResultsList<Object>
  ) throws(DeltaError) {
    for list in [before, after] where list.snapshot.life != delta.life {
      throw .otherLife(expected: list.snapshot.life, found: delta.life)
    }
    guard delta.from == before.generation else {
      throw .outOfSync(expected: before.generation, found: delta.from)
    }
    guard delta.to == after.generation else {
      throw .outOfSync(expected: after.generation, found: delta.to)
    }
    guard delta.oldSectionCount == before.snapshot.sectionCount else {
      throw .sectionCount(
        .before,
        expected: before.snapshot.sectionCount,
        found: delta.oldSectionCount
      )
    }
    guard delta.newSectionCount == after.snapshot.sectionCount else {
      throw .sectionCount(
        .after,
        expected: after.snapshot.sectionCount,
        found: delta.newSectionCount
      )
    }
    self.init(before: before, delta: delta, after: after)
  }

  /// Composes this change and the next one: a view that is held shows `before` and applies everything since as one change (R28).
  ///
  /// The delta of the result has only the net effects, and is empty if they cancel each other out; such a change need not be shown.
  ///
  /// ```swift
  /// let both = try change.then(next)
  /// if !both.delta.isEmpty { draw(both.delta) }
  /// ```
  /// - Throws: `DeltaError.outOfSync` if the next change does not start where this one ends, `DeltaError.otherLife` if it belongs to
  ///   another list, `DeltaError.partial` if one of them names only observed rows.
  /// - Complexity: O(*c* log *c*) in the changes of both, whatever the length of the list.
  public func then(_ next: ResultsChange<Object>) throws(DeltaError) -> ResultsChange<Object> {
    ResultsChange(before: before, delta: try delta.then(next.delta), after: next.after)
  }
}

// MARK: - Echoes

extension ResultsChange {
  /// Whether the change holds nothing but commits that this store object made under a name (R68).
  ///
  /// A view that has shown its own write already, such as a row that was dragged, names the write and passes over its echo:
  ///
  /// ```swift
  /// try await store.write(origin: CommitOrigin("drag")) { try $0.update(book) }
  /// if change.isEcho(of: CommitOrigin("drag")) { draw("nothing to do") }
  /// ```
  ///
  /// It is `false` as soon as another writer, another name, or a change of the definition has been composed with it.
  public func isEcho(of origin: CommitOrigin) -> Bool {
    delta.cause == .own && !delta.hasOtherCauses && delta.repair == nil && delta.origins == [origin]
  }
}

// MARK: - Neighbours

/// A row that did not change itself, but must be redrawn because a neighbour changed (R41).
public struct NeighbourUpdate: Hashable, Sendable {
  /// The row's identity.
  public let id: ObjectID
  /// The row's path before.
  public let from: OldPath
  /// The row's path after.
  public let to: NewPath
}

extension ResultsChange {
  /// Returns the rows to redraw because a neighbour was inserted, deleted, moved or changed, though they did not change themselves.
  ///
  /// A chat that shows the date above the first message of a day depends on the row before: `offsets: [-1]`. Rows that the
  /// delta names are not repeated, so a neighbour update is never mistaken for a real one.
  ///
  /// ```swift
  /// for update in change.neighbourUpdates(offsets: [-1]) { draw(update.to.path) }
  /// ```
  /// - Parameter offsets: The offsets of the neighbours from the row, within its section.
  /// - Returns: The rows in the order of their new paths.
  /// - Complexity: O(*c* *k* log *n*) for *c* changes and neighbours up to *k* rows away.
  public func neighbourUpdates(offsets: Set<Int>) -> [NeighbourUpdate] {
    let mapping = PathMapping(delta)
    let placed = delta.rows.inserts.map(\.to) + delta.rows.moves.map(\.to)
    let named = Set(placed + delta.rows.updates.map(\.to))
    let updated = Set(delta.rows.updates.map(\.id) + delta.rows.moves.map(\.id))
    // No neighbour is further away than the longer list is long.
    let longest = UInt(max(before.count, after.count))
    let reach = Int(min(offsets.map(\.magnitude).max() ?? 0, longest))
    guard reach > 0 else { return [] }
    var candidates: Set<NewPath> = []
    for path in named {
      for row in path.row - reach...path.row + reach {
        candidates.insert(NewPath(section: path.section, row: row))
      }
    }
    for path in delta.rows.deletes.map(\.from) + delta.rows.moves.map(\.from) {
      for row in max(0, path.row - reach)...path.row + reach {
        let old = OldPath(section: path.section, row: row)
        guard before.objectID(at: old.path) != nil, let new = mapping.newPath(for: old) else {
          continue
        }
        candidates.insert(new)
      }
    }
    return candidates.subtracting(named).sorted().compactMap { path in
      guard let id = after.objectID(at: path.path), let old = mapping.oldPath(for: path) else {
        return nil
      }
      let depends = offsets.contains { offset in
        let now = after.neighbour(of: path.path, offset)
        return now != before.neighbour(of: old.path, offset) || now.map(updated.contains) ?? false
      }
      return depends ? NeighbourUpdate(id: id, from: old, to: path) : nil
    }
  }
}

extension ResultsList {
  fileprivate func neighbour(of path: RowPath, _ offset: Int) -> ObjectID? {
    let (row, overflow) = path.row.addingReportingOverflow(offset)
    return overflow ? nil : objectID(at: RowPath(section: path.section, row: row))
  }
}
