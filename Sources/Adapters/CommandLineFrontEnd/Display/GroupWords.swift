import ProgramFrontEnd
import ResultsDomain
import ResultsPresentation

extension ResultsList {
  /// The group that begins with a section, or `nil` for a section amid one, and in a list without groups.
  func group(beginningAt section: Int) -> ResultsGroup<Object>? {
    guard let index = snapshot.group(ofSection: section),
      snapshot.sections(ofGroup: index)?.lowerBound == section
    else { return nil }
    return group(at: index)
  }
}

extension ValueFormatter {
  /// The values of aggregates; with their names if there are several.
  ///
  /// A number of rows has its name behind it, and none is not shown; nor is a sum over no rows beside others.
  func text(of aggregates: SectionAggregates) -> String {
    aggregates.compactMap { (name, aggregate) -> String? in
      guard aggregates.count == 1 || aggregate.isOverflow || !aggregate.value.isNull else {
        return nil
      }
      switch AverageAggregates.part(name, aggregate, among: aggregates) {
      case .none: break
      case .count: return nil
      case .sum(let attribute, let average):
        return average.map { "avg \(attribute) \(self.text($0, of: AverageAggregates.Part.type))" }
      }
      let text = aggregate.isOverflow ? "overflow" : text(aggregate.value, of: aggregate.type)
      guard aggregate.type != .integer64 else {
        return aggregate.value == .integer(0) ? nil : "\(text) \(name)"
      }
      return aggregates.count == 1 ? text : "\(name) \(text)"
    }.joined(separator: ", ")
  }

  /// What stands beside the title of a group: its number of rows and sections, and its sums.
  func detail(of header: GroupHeader) -> String {
    let noun = header.sectionCount == 1 ? "section" : "sections"
    let sums = text(of: header.aggregates)
    return "(\(header.rowCount) in \(header.sectionCount) \(noun))"
      + (sums.isEmpty ? "" : "  " + sums)
  }
}
