import ResultsDomain
import ResultsPresentation

/// Writes what a list shows as lines of the wire form.
struct WireLines {
  let encoder: WireEncoder

  init(_ entity: EntityDescription) { encoder = WireEncoder(entity: entity) }

  /// The line of a whole list.
  /// - Throws: `ResultsError` for a row that cannot be read.
  func snapshot(_ results: FetchedResults<Row>) throws(ResultsError) -> String {
    encoder.snapshot(generation: results.generation, sections: try sections(of: results))
  }

  /// The line of a whole list to which no change leads.
  /// - Throws: `ResultsError` for a row that cannot be read.
  func reset(
    _ results: FetchedResults<Row>,
    because reason: ResultsResetReason
  ) throws(ResultsError) -> String {
    encoder.reset(
      because: reason,
      generation: results.generation,
      sections: try sections(of: results)
    )
  }

  private func sections(of results: FetchedResults<Row>) throws(ResultsError) -> [WireSection] {
    var sections: [WireSection] = []
    for section in results.sections {
      var rows: [Row] = []
      rows.reserveCapacity(section.count)
      for fetched in section.objects { rows.append(try fetched.get()) }
      sections.append(WireSection(header: section.header, rows: rows))
    }
    return sections
  }
}
