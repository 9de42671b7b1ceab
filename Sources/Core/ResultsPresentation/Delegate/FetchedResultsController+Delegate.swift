import ResultsDomain

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
