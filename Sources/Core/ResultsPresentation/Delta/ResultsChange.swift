public import ResultsDomain

/// What a controller tells its subscribers.
public enum ResultsEvent<Object: FetchedObject>: Sendable {
  /// The present state, which every subscriber gets first (R74).
  case snapshot(ResultsList<Object>)
  /// A later generation, and what leads to it.
  indirect case change(ResultsChange<Object>)
  /// The whole list anew, and why no change leads to it (R43, R72); what was shown before is gone.
  case reset(ResultsResetReason, ResultsList<Object>)
  /// A failure; the last good state stays, and the next good commit continues from it (R71).
  case failure(StoreError)
}

/// One delivered change: what was shown, what leads on, and what is shown now.
public struct ResultsChange<Object: FetchedObject>: Sendable {
  /// What was shown.
  public let before: ResultsList<Object>
  /// What leads from the one to the other.
  public let delta: ResultsDelta
  /// What is shown now.
  public let after: ResultsList<Object>

  /// One delivered change.
  init(before: ResultsList<Object>, delta: ResultsDelta, after: ResultsList<Object>) {
    self.before = before
    self.delta = delta
    self.after = after
  }
}

// MARK: - Echoes

extension ResultsChange {
  /// Whether the change holds nothing but commits that this store object made under a name (R68).
  ///
  /// A view that has shown its own write already, such as a row that was dragged, names the write and passes over its echo:
  ///
  /// ```swift
  /// try await store.write(origin: CommitOrigin("drag")) { … }
  /// if change.isEcho(of: CommitOrigin("drag")) { … }
  /// ```
  ///
  /// It is `false` as soon as another writer, another name, or a change of the definition has been composed with it.
  public func isEcho(of origin: CommitOrigin) -> Bool {
    delta.cause == .own && !delta.hasOtherCauses && delta.repair == nil && delta.origins == [origin]
  }
}

// MARK: - Neighbours

/// A row that did not change but is shown by its neighbours, and those did (R41).
public struct NeighbourUpdate: Hashable, Sendable {
  /// The row's identity.
  public let id: ObjectID
  /// Where it was.
  public let from: OldPath
  /// Where it is.
  public let to: NewPath
}

extension ResultsChange {
  /// The rows to draw again because a neighbour came, went, moved or changed, though they did not change themselves.
  ///
  /// A chat that shows the date above the first message of a day depends on the row before: `offsets: [-1]`. Rows that the delta names
  /// already are not repeated, so a neighbour's update is never mistaken for a real one.
  /// - Parameter offsets: Where the neighbours stand from the row, within its section.
  /// - Returns: The rows in the order of their new places.
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
