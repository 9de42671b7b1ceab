public import ResultsDomain

/// What a draft does to a row.
public enum DraftState: Hashable, Sendable {
  /// The row is new.
  case inserted
  /// Some attributes of the row have other values, named in the entity's order.
  case edited([String])
  /// The row is to be deleted.
  case deleted
  /// The base changed what the draft changed too, or deleted the row; `nil` stands for a deleted row.
  ///
  /// Lists over the draft show mine. `DraftStore.keepMine(_:)` and `DraftStore.takeTheirs(_:)` decide.
  case conflict(mine: Row?, theirs: Row?)
}

/// A row that a draft changes.
public struct DraftEdit: Hashable, Sendable {
  /// The row's identity in the draft.
  public let id: ObjectID
  /// What the draft does to it.
  public let state: DraftState
  /// The row that the edit is based on, with what the base has changed since and the draft has not; `nil` for a new row.
  public let ancestor: Row?
  /// The row as the draft has it, or `nil` if the draft deletes it.
  public let row: Row?
}

/// Why a draft was not committed.
public enum DraftError: Error, Sendable {
  /// The base changed rows that the draft changed too; nothing was written.
  case conflicts([ObjectID])
  /// The base refused the transaction; nothing was written, unless the error says that this is not known.
  case store(StoreError)
}

extension DraftError: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .conflicts(let ids):
      "\(ids.prefix(3).map(\.description).joined(separator: ", "))"
        + (ids.count > 3 ? " and \(ids.count - 3) more" : "")
        + (ids.count == 1 ? " was" : " were")
        + " changed by someone else as well as here. Nothing was written."
        + " Keep your values or take theirs for each of them, and commit again."
    case .store(let error): error.description
    }
  }
}

// MARK: - One row

/// One row of a draft, in three versions.
///
/// The base's row equals the ancestor, except in a conflict: what the base changed and the draft did not is merged at once, into the
/// ancestor and into mine.
struct DraftEntry: Sendable {
  /// The row that the edit is based on, or `nil` if there was none.
  private(set) var ancestor: Row?
  /// The row as the draft has it, or `nil` if the draft deletes it.
  private(set) var mine: Row?
  /// The row as the base has it, or `nil` if there is none.
  private(set) var base: Row?
  /// Whether the key is only the draft's, and the base is to assign another one.
  private(set) var isTemporary: Bool
  /// The position among all edits, by the time of the first change.
  let number: Int

  /// Begins the edit of a row.
  init(editing row: Row?, to mine: Row?, number: Int, isTemporary: Bool = false) {
    ancestor = row
    base = row
    self.mine = mine
    self.number = number
    self.isTemporary = isTemporary
  }

  /// Whether the base and the draft disagree.
  var isConflict: Bool { ancestor != base }

  /// Whether the draft shows what the base has, or has nothing of its own any more.
  var isUnnecessary: Bool { mine == base || mine == nil && ancestor == nil }

  /// What the draft does to the row.
  var state: DraftState {
    guard !isConflict else { return .conflict(mine: mine, theirs: base) }
    guard let ancestor else { return .inserted }
    guard let mine else { return .deleted }
    return .edited(mine.changes(from: ancestor).names(in: mine.entity))
  }

  /// The entry after another edit; where that is what the base has, there is no conflict any more.
  func edited(to mine: Row?) -> DraftEntry {
    var entry = self
    entry.mine = mine
    if var newAncestor = ancestor, let mine, let base {
      for index in base.values.indices where mine.values[index] == base.values[index] {
        newAncestor.values[index] = base.values[index]
      }
      entry.ancestor = newAncestor
    }
    return entry
  }

  /// The entry after a change of the base's row, or `nil` if the base has what the draft wants.
  ///
  /// - Complexity: O(*n*) in the bytes of the values.
  func rebased(onto theirs: Row?) -> DraftEntry? {
    guard mine != theirs else { return nil }
    var entry = self
    entry.base = theirs
    // Another row has the key by now, so the base cannot give this one another without a decision.
    if theirs != nil { entry.isTemporary = false }
    guard var newAncestor = ancestor, var merged = mine, let theirs else { return entry }
    for index in theirs.values.indices {
      let (old, their) = (newAncestor.values[index], theirs.values[index])
      guard their != old else { continue }
      let isUndecided = base.map { $0.values[index] != old } ?? false
      if merged.values[index] == old, !isUndecided {
        merged.values[index] = their
        newAncestor.values[index] = their
      } else if merged.values[index] == their {
        newAncestor.values[index] = their
      }
    }
    (entry.ancestor, entry.mine) = (newAncestor, merged)
    return entry.isUnnecessary ? nil : entry
  }

  /// The entry as an edit of a row that was read before: what the base has changed since in attributes that the draft changes too is in
  /// conflict.
  func based(on read: Row) -> DraftEntry {
    guard ancestor != nil, let base else { return self }
    var entry = self
    var newAncestor = read
    for index in base.values.indices
    where mine.map({ $0.values[index] == base.values[index] }) ?? false {
      newAncestor.values[index] = base.values[index]
    }
    entry.ancestor = newAncestor
    return entry
  }

  /// The entry without a conflict, with the draft's values.
  func keepingMine() -> DraftEntry? {
    var entry = self
    entry.ancestor = base
    return entry.isUnnecessary ? nil : entry
  }

  /// The entry without a conflict, with the base's values where both changed an attribute; `nil` if nothing of the draft is left.
  func takingTheirs() -> DraftEntry? {
    guard let ancestor, var mine, let base else { return nil }
    for index in base.values.indices where ancestor.values[index] != base.values[index] {
      mine.values[index] = base.values[index]
    }
    var entry = self
    (entry.ancestor, entry.mine) = (base, mine)
    return entry.isUnnecessary ? nil : entry
  }
}
