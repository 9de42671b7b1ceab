import OrderStatistics
import ResultsDomain

extension ResultsSnapshot {
  /// Names two rows of one section that stand apart, if there are any (R04).
  ///
  /// Sections by a column that the order begins with cannot come apart, so only others are looked at.
  /// - Throws: The store's error.
  /// - Complexity: O(*s* log *n*) in the sections.
  func contiguityFailure() throws(StoreError) -> RequestError? {
    switch rule {
    case .single, .numbered: return nil
    case .columns(let count, _): if count == 1 { return nil }
    case .grouping: break
    }
    var seen: [SectionID: Int] = [:]
    var start = window.lowerBound
    for section in 0..<counts.count {
      let id = try keys.withKey(at: start) { sectionID(of: $0) }
      if let earlier = seen.updateValue(start, forKey: id),
        let first = try keys.withKey(at: earlier, objectID(of:)),
        let second = try keys.withKey(at: start, objectID(of:))
      {
        if case .transient(let source, _) = plan.sectionKey?.source {
          return .transientSectionNotFirst(
            source: source,
            first: plan.definition.terms.first?.expression.description,
            rows: [first, second]
          )
        }
        return .sectionNotContiguous(id: id.value, first: first, second: second)
      }
      start += counts[section]
    }
    return nil
  }
}
