import ResultsDomain
import ResultsPresentation
import WireFormat

/// Writes what a list shows as lines of the wire form.
struct WireLines {
  let encoder: WireEncoder

  init(_ entity: EntityDescription) { encoder = WireEncoder(entity: entity) }

  /// The line of a whole list that changes follow.
  /// - Throws: `ResultsError` for a row that cannot be read.
  func snapshot(_ list: ListContent) throws -> String {
    encoder.snapshot(at: list.results.position, sections: try sections(of: list))
  }

  /// The line of a whole list that nothing follows: it names no life, so that equal lists are equal bytes.
  /// - Throws: `ResultsError` for a row that cannot be read.
  func finalSnapshot(_ list: ListContent) throws -> String {
    let position = ResultsPosition(life: .unknown, generation: list.results.generation)
    return encoder.snapshot(at: position, sections: try sections(of: list))
  }

  /// The line of a whole list to which no change leads.
  /// - Throws: `ResultsError` for a row that cannot be read.
  func reset(_ list: ListContent, because reason: ResultsResetReason) throws -> String {
    encoder.reset(
      because: reason,
      at: list.results.position,
      sections: try sections(of: list)
    )
  }

  private func sections(of list: ListContent) throws -> [WireSection] {
    var sections: [WireSection] = []
    try list.forEach { section in
      sections.append(WireSection(header: section.header, rows: []))
    } row: { _, row in
      sections[sections.count - 1].rows.append(row)
    }
    return sections
  }
}
