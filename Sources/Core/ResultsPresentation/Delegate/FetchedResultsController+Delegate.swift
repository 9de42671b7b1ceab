import ResultsDomain

extension FetchedResultsController {
  /// Tells a delegate of every change, on the caller's actor, until the task is cancelled or the controller ends.
  ///
  /// ```swift
  /// let deliveries = Task { await results.deliver(to: self) }
  /// ```
  ///
  /// The delegate is kept for as long as the call lasts, and not by the controller. A change that comes while callbacks run is told
  /// after them, never inside them (R69).
  public func deliver(
    to delegate: some FetchedResultsControllerDelegate<Object>,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    for await event in changes {
      guard !Task.isCancelled else { return }
      switch event {
      case .change(let change): change.tell(delegate)
      case .reset(let reason, let results): delegate.controller(results, didResetFor: reason)
      case .snapshot, .failure: break
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

extension FetchedResults {
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
