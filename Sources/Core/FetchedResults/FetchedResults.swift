// The umbrella: `import FetchedResults` gives an app the domain, the lists, and of the kit for authors of stores what an app
// names. A store is imported beside it; who writes a store imports `ResultsStoreKit` too.

@_exported public import ResultsDomain
@_exported public import ResultsPresentation
@_exported public import class ResultsStoreKit.DraftStore
@_exported public import struct ResultsStoreKit.DraftEdit
@_exported public import enum ResultsStoreKit.DraftError
@_exported public import enum ResultsStoreKit.DraftState
@_exported public import enum ResultsStoreKit.RelatedObjectError
@_exported public import protocol ResultsStoreKit.RelationshipPath
@_exported public import protocol ResultsStoreKit.Store
@_exported public import protocol ResultsStoreKit.StoreSnapshot
@_exported public import protocol ResultsStoreKit.StoreTransaction
@_exported public import class ResultsStoreKit.UnionStore
@_exported public import struct ResultsStoreKit.Committed
