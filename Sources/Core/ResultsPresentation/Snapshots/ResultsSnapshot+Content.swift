import OrderStatistics
import ResultsDomain

extension ResultsSnapshot {
  /// The list written out, as the laws speak of it.
  /// - Complexity: O(*n*) in time and memory.
  public var content: ResultsContent {
    ResultsContent(
      sections: (0..<sectionCount).map { section in
        let start = window.lowerBound + counts.start(of: section)
        var rows: [ObjectID] = []
        try? keys.forEachKey(in: start..<start + counts[section]) { _, key in
          if let id = objectID(of: key) { rows.append(id) }
        }
        return ResultsContent.Section(
          header: header(ofSection: section) ?? SectionHeader(id: SectionID(.null), title: ""),
          rows: rows
        )
      }
    )
  }
}
