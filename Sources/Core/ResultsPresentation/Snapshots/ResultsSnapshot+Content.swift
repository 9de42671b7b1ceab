import OrderStatistics
import ResultsDomain

extension ResultsSnapshot {
  /// The list written out, as the laws speak of it.
  /// - Throws: The store's error, where an index has the keys; `StoreError.historyLost` if what was shown cannot be told any more.
  /// - Complexity: O(*n*) in time and memory.
  public var content: ResultsContent {
    get throws(StoreError) {
      var sections: [ResultsContent.Section] = []
      sections.reserveCapacity(sectionCount)
      for section in 0..<sectionCount {
        let start = window.lowerBound + counts.start(of: section)
        var rows: [ObjectID] = []
        try keys.forEachKey(in: start..<start + counts[section]) { _, key in
          if let id = objectID(of: key) { rows.append(id) }
        }
        let header = header(ofSection: section) ?? SectionHeader(id: SectionID(.null), title: "")
        sections.append(ResultsContent.Section(header: header, rows: rows))
      }
      return ResultsContent(sections: sections)
    }
  }
}
