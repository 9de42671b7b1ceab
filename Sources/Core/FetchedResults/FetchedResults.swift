// The umbrella: `import FetchedResults` gives an app the domain and the lists. A store is imported beside it.

@_exported public import ResultsDomain
@_exported public import ResultsPresentation
