import ResultsDomain
import ResultsPresentation

/// Writes what a list shows as lines of the wire form.
struct WireLines {
  let encoder: WireEncoder

  init(_ entity: EntityDescription) { encoder = WireEncoder(entity: entity) }

  /// The line of a whole list.
  /// - Throws: `ResultsError` for a row that cannot be read.
  func snapshot(_ results: FetchedResults<Row>) throws(ResultsError) -> String {
    var sections: [WireSection] = []
    for section in results.sections {
      var rows: [Row] = []
      rows.reserveCapacity(section.count)
      for fetched in section.objects { rows.append(try fetched.get()) }
      sections.append(WireSection(header: section.header, rows: rows))
    }
    return encoder.snapshot(generation: results.generation, sections: sections)
  }
}
