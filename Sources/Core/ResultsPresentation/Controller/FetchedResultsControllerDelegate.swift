public import ResultsDomain
import ResultsStoreKit

/// The kind of a section's change, in the classic terms.
public enum SectionChangeType: Hashable, Sendable {
  /// The section is new.
  case insert
  /// The section was deleted.
  case delete
  /// The section moved among the others.
  case move(to: Int)
  /// The section's title or its aggregates changed.
  case update
}

/// The kind of an object's change, in the classic terms.
public enum ObjectChangeType: Hashable, Sendable {
  /// The object is new in the list; only the new path is given.
  case insert
  /// The object left the list; only the old path is given.
  case delete
  /// The object moved; both paths are given, and its content may have changed too.
  case move
  /// The object's content changed; both paths are given.
  case update
}

/// A delegate with the five classic callbacks, in the classic order, one for resets and one for failures; all are optional.
///
/// They run on the actor that called `FetchedResultsController.deliver(to:from:isolation:)`. They read the results they receive, never a
/// state ahead of them. Old paths count before the change, new paths after it; rows are deleted and moved from old paths first.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
  /// The kind of result.
  associatedtype Object: FetchedObject

  /// Called before the list changes; `results` are still the old ones.
  func controllerWillChangeContent(_ results: ResultsList<Object>)

  /// Called for each changed section; the index is an old one for deletes, moves and updates, a new one for inserts.
  func controller(
    _ results: ResultsList<Object>,
    didChange section: SectionHeader,
    atSectionIndex index: Int,
    for type: SectionChangeType
  )

  /// Called for each changed object.
  func controller(
    _ results: ResultsList<Object>,
    didChange id: ObjectID,
    at oldPath: OldPath?,
    for type: ObjectChangeType,
    newPath: NewPath?
  )

  /// Called after the list has changed; `results` are the new ones.
  func controllerDidChangeContent(_ results: ResultsList<Object>)

  /// Called when the list was replaced and no callbacks describe the difference; `results` are the new ones.
  func controller(_ results: ResultsList<Object>, didResetFor reason: ResultsResetReason)

  /// Called when the last attempt to follow the store failed; `results` are shown and stay, and the next successful attempt continues
  /// from them.
  func controller(_ results: ResultsList<Object>, didFailWith error: StoreError)

  /// Returns the title of a section in an index of the list.
  func controller(
    _ results: ResultsList<Object>,
    sectionIndexTitleForSectionName name: String
  ) -> String?
}

extension FetchedResultsControllerDelegate {
  /// Does nothing.
  public func controllerWillChangeContent(_ results: ResultsList<Object>) {}

  /// Does nothing.
  public func controller(
    _ results: ResultsList<Object>,
    didChange section: SectionHeader,
    atSectionIndex index: Int,
    for type: SectionChangeType
  ) {}

  /// Does nothing.
  public func controller(
    _ results: ResultsList<Object>,
    didChange id: ObjectID,
    at oldPath: OldPath?,
    for type: ObjectChangeType,
    newPath: NewPath?
  ) {}

  /// Does nothing.
  public func controllerDidChangeContent(_ results: ResultsList<Object>) {}

  /// Calls `controllerDidChangeContent(_:)`, which is enough for a delegate that redraws everything there.
  public func controller(
    _ results: ResultsList<Object>,
    didResetFor reason: ResultsResetReason
  ) {
    controllerDidChangeContent(results)
  }

  /// Does nothing: `FetchedResultsController.state` has the failure too.
  public func controller(_ results: ResultsList<Object>, didFailWith error: StoreError) {}

  /// Returns `nil`, which leaves the title to the section key.
  public func controller(
    _ results: ResultsList<Object>,
    sectionIndexTitleForSectionName name: String
  ) -> String? { nil }
}

// MARK: - Delivery

extension ResultsChange {
  /// Calls a delegate's callbacks for this change, in the classic order.
  public func deliver(to delegate: some FetchedResultsControllerDelegate<Object>) {
    delegate.controllerWillChangeContent(before)
    for change in delta.sections.deletes {
      delegate.controller(after, didChange: change.old, atSectionIndex: change.from, for: .delete)
    }
    for change in delta.sections.moves {
      delegate.controller(
        after,
        didChange: change.new,
        atSectionIndex: change.from,
        for: .move(to: change.to)
      )
    }
    for change in delta.sections.inserts {
      delegate.controller(after, didChange: change.new, atSectionIndex: change.to, for: .insert)
    }
    for change in delta.sections.updates {
      delegate.controller(after, didChange: change.new, atSectionIndex: change.from, for: .update)
    }
    for change in delta.rows.deletes {
      delegate.controller(
        after,
        didChange: change.id,
        at: change.from,
        for: .delete,
        newPath: nil
      )
    }
    for change in delta.rows.moves {
      delegate.controller(
        after,
        didChange: change.id,
        at: change.from,
        for: .move,
        newPath: change.to
      )
    }
    for change in delta.rows.inserts {
      delegate.controller(after, didChange: change.id, at: nil, for: .insert, newPath: change.to)
    }
    for change in delta.rows.updates {
      delegate.controller(
        after,
        didChange: change.id,
        at: change.from,
        for: .update,
        newPath: change.to
      )
    }
    delegate.controllerDidChangeContent(after)
  }
}

extension ResultsList {
  /// Returns the index titles of the sections from a delegate; where it returns none, the section key's or the standard one.
  ///
  /// - Complexity: O(*s* log *n*) in the sections, and their titles' own cost.
  public func sectionIndexTitles(
    from delegate: some FetchedResultsControllerDelegate<Object>
  ) -> SectionIndexTitles {
    SectionIndexTitles(
      of: sections.map { section in
        delegate.controller(self, sectionIndexTitleForSectionName: section.title)
          ?? section.indexTitle
      }
    )
  }
}
