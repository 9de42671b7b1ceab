public import ResultsDomain

/// What happened to a section, in the classic words.
public enum SectionChangeType: Hashable, Sendable {
  /// The section is new.
  case insert
  /// The section is gone.
  case delete
  /// The section changed its place.
  case move(to: Int)
  /// The section's title or its aggregates changed.
  case update
}

/// What happened to an object, in the classic words.
public enum ObjectChangeType: Hashable, Sendable {
  /// The object is new in the list; only a new path is given.
  case insert
  /// The object left the list; only an old path is given.
  case delete
  /// The object changed its place; both paths are given, and its content may have changed too.
  case move
  /// The object's content changed; both paths are given.
  case update
}

/// The five classic callbacks, all optional, in the classic order: will change, sections, objects, did change; one for resets, and one
/// for failures.
///
/// They run on the actor that called `FetchedResultsController.deliver(to:from:isolation:)`, and read the results they are handed, never a
/// state ahead of them. Old paths count before the change, new paths after it, so rows are deleted and moved from old paths first.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
  /// The kind of result.
  associatedtype Object: FetchedObject

  /// The list is about to change; `results` are still the old ones.
  func controllerWillChangeContent(_ results: ResultsList<Object>)

  /// A section changed; the place is an old one for deletes, moves and updates, a new one for inserts.
  func controller(
    _ results: ResultsList<Object>,
    didChange section: SectionHeader,
    atSectionIndex index: Int,
    for type: SectionChangeType
  )

  /// An object changed.
  func controller(
    _ results: ResultsList<Object>,
    didChange id: ObjectID,
    at oldPath: OldPath?,
    for type: ObjectChangeType,
    newPath: NewPath?
  )

  /// The list has changed; `results` are the new ones.
  func controllerDidChangeContent(_ results: ResultsList<Object>)

  /// The list is another one, to which no callbacks lead; `results` are the new ones.
  func controller(_ results: ResultsList<Object>, didResetFor reason: ResultsResetReason)

  /// The last attempt to follow the store failed; `results` are those shown, which stay, and the next good commit continues from them.
  func controller(_ results: ResultsList<Object>, didFailWith error: StoreError)

  /// What stands for a section in an index of the list.
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

  /// Says that the content has changed, which is enough for a delegate that shows everything anew then.
  public func controller(
    _ results: ResultsList<Object>,
    didResetFor reason: ResultsResetReason
  ) {
    controllerDidChangeContent(results)
  }

  /// Does nothing: `FetchedResultsController.state` has the failure too.
  public func controller(_ results: ResultsList<Object>, didFailWith error: StoreError) {}

  /// Leaves it to the section key.
  public func controller(
    _ results: ResultsList<Object>,
    sectionIndexTitleForSectionName name: String
  ) -> String? { nil }
}

// MARK: - Delivery

extension FetchedResultsController {
  /// Tells a delegate of every change since what it has drawn, on the caller's actor, until the task is cancelled or the controller ends.
  ///
  /// ```swift
  /// let drawn = try results.results()
  /// draw(drawn)
  /// let deliveries = Task { await results.deliver(to: self, from: drawn) }
  /// ```
  ///
  /// What is committed between the drawing and the first step of the task is delivered too: as one change if the journal reaches back
  /// (`ResultsOptions.journalCapacity`), and as a reset otherwise. The delegate is retained for as long as the call lasts, and not by the
  /// controller. A change that comes while callbacks run is told after them, never inside them (R69). A task that is cancelled while it
  /// waits ends at once.
  /// - Parameters:
  ///   - delegate: Who is told.
  ///   - drawn: What the delegate shows already.
  ///   - isolation: The actor that the callbacks run on: the caller's.
  public func deliver(
    to delegate: some FetchedResultsControllerDelegate<Object>,
    from drawn: ResultsList<Object>,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    var shown = drawn
    for await event in changes(from: drawn) {
      guard !Task.isCancelled else { return }
      switch event {
      case .change(let change):
        change.tell(delegate)
        shown = change.after
      case .reset(let reason, let results):
        delegate.controller(results, didResetFor: reason)
        shown = results
      case .snapshot(let results):
        // Changes that cannot be composed into one: no callbacks lead there.
        delegate.controller(results, didResetFor: .beyondJournal)
        shown = results
      case .failure(let error): delegate.controller(shown, didFailWith: error)
      }
    }
  }
}

extension ResultsChange {
  /// Calls a delegate's callbacks for this change, in the classic order.
  public func tell(_ delegate: some FetchedResultsControllerDelegate<Object>) {
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
  /// The index titles of the sections, as a delegate names them; where it names none, the section key's or the standard one.
  ///
  /// - Complexity: O(*s* log *n*) in the sections, and their titles' own cost.
  public func sectionIndexTitles(
    asking delegate: some FetchedResultsControllerDelegate<Object>
  ) -> SectionIndexTitles {
    SectionIndexTitles(
      of: sections.map { section in
        delegate.controller(self, sectionIndexTitleForSectionName: section.title)
          ?? section.indexTitle
      }
    )
  }
}
