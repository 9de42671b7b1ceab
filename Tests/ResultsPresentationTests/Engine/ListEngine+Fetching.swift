import ResultsDomain

@testable import ResultsPresentation

extension ListEngine {
  /// Fetches a list from the present version of a store.
  init(_ plan: ListPlan, in store: any Store, indexing: IndexingPolicy?) throws(StoreError) {
    self = try store.read { (snapshot) throws(StoreError) in
      try ListEngine(
        plan,
        from: snapshot,
        generation: 1,
        maintainsDigests: false,
        indexing: indexing
      )
    }
  }
}
