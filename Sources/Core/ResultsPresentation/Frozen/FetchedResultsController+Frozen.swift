public import ResultsDomain

extension FetchedResultsController {
  /// A controller over a fixed set of objects: `SELF IN ids`, with membership, order and sections as first fetched.
  ///
  /// Attributes stay live, and a deleted object leaves. The set may have a million members; none of them is materialised.
  public static func frozen(
    _ identities: IdentitySet,
    _ request: FetchRequest<Object>,
    sectionedBy sectionKey: SectionKey? = nil,
    in store: any Store
  ) -> FetchedResultsController<Object> {
    var request = request
    request.predicate = .identity(identities)
    return FetchedResultsController(
      ResultsDefinition(request, sectionedBy: sectionKey, isFrozen: true),
      in: store
    )
  }
}
