extension ResultsSection {
  /// What the declared aggregates came to over the section's rows (R78); no row is read.
  public var aggregates: SectionAggregates { header.aggregates }
}

extension ResultsList {
  /// What the declared aggregates came to over all rows of the list; no row is read.
  /// - Complexity: O(*s*) in the sections.
  public var aggregates: SectionAggregates { snapshot.aggregates?.total ?? .none }
}
