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
