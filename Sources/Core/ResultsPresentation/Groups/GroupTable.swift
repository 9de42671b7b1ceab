import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// The groups of one generation as runs of the sections that it shows (R11).
///
/// Only their lengths and ids are held. Numbers of rows and aggregates are those of their sections, and computed when a header is asked for.
struct GroupTable: Sendable {
  /// The number of sections of each group.
  var counts: SectionCounts
  /// The ids of the groups, each once.
  var ids: [Value]

  init(counts: SectionCounts, ids: [Value]) { (self.counts, self.ids) = (counts, ids) }

  /// Finds the groups of a generation.
  /// - Throws: `RequestError.groupNotContiguous` if the sections of one group are not adjacent.
  /// - Complexity: O(*s* log *n*) in the sections.
  init(counting snapshot: ResultsSnapshot) throws(RequestError) {
    var (lengths, ids): ([Int], [Value]) = ([], [])
    var ends: [Value: Int] = [:]
    for section in 0..<snapshot.sectionCount {
      let id = snapshot.groupID(ofSection: section)
      if ids.last == id {
        lengths[lengths.count - 1] += 1
      } else {
        if let last = ends[id] {
          throw snapshot.groupsApart(id, last, section)
        }
        ids.append(id)
        lengths.append(1)
      }
      ends[id] = section
    }
    self.init(counts: SectionCounts(lengths), ids: ids)
  }

  /// The sections of a group, or `nil` if there is no such group.
  /// - Complexity: O(log *g*)
  func sections(of group: Int) -> Range<Int>? {
    guard group >= 0, group < counts.count else { return nil }
    let start = counts.start(of: group)
    return start..<start + counts[group]
  }
}

// MARK: - The groups of a generation

extension ResultsSnapshot {
  /// The number of groups; 0 in a list without them (R11).
  public var groupCount: Int { groups?.counts.count ?? 0 }

  /// The sections of a group, or `nil` if there is no such group.
  /// - Complexity: O(log *g*)
  public func sections(ofGroup group: Int) -> Range<Int>? { groups?.sections(of: group) }

  /// The group that a section is in, or `nil` if there is no such section, or the list has no groups.
  /// - Complexity: O(log *g*)
  public func group(ofSection section: Int) -> Int? {
    groups?.counts.run(containing: section)?.run
  }

  /// The identity, title, numbers and aggregates of a group, or `nil` if there is no such group.
  /// - Complexity: O(log *s*), and the title's own cost; O(*k*) for *k* sections of the group where the list has aggregates, fixed sections,
  ///   or objects as sections.
  public func header(ofGroup group: Int) -> GroupHeader? {
    guard let groups, let sections = groups.sections(of: group) else { return nil }
    let id = groups.ids[group]
    return GroupHeader(
      id: id,
      title: plan.groups?.title(of: id) ?? "",
      sectionCount: sections.count,
      rowCount: matchingCount(inSections: sections),
      aggregates: aggregates(ofSections: sections)
    )
  }

  /// The number of rows in some sections, those beyond their limits included.
  private func matchingCount(inSections sections: Range<Int>) -> Int {
    guard arrangement?.keepsSections ?? true else {
      return sections.reduce(0) { $0 + (matchingCount(inSection: $1) ?? 0) }
    }
    return storedCounts.start(of: sections.upperBound) - storedCounts.start(of: sections.lowerBound)
  }

  private func aggregates(ofSections sections: Range<Int>) -> SectionAggregates {
    guard let aggregates else { return .none }
    guard let arrangement, !arrangement.keepsSections else {
      return aggregates.results(ofSections: sections)
    }
    let stored = sections.flatMap { arrangement.stored(ofShown: $0, in: self) }
    return aggregates.results(ofSections: stored)
  }

  /// The id of the group of a section that is shown.
  func groupID(ofSection section: Int) -> Value {
    switch plan.groups?.source {
    case nil: return .null
    case .ids(let grouping): return grouping.group(of: shownID(ofSection: section)).id
    case .titles(let grouping):
      return grouping.group(of: .text(header(ofSection: section)?.title ?? "")).id
    case .expression:
      let stored = arrangement?.stored(ofShown: section, in: self).first ?? section
      guard stored < storedCounts.count else { return .null }
      let first = positions(ofStored: stored).lowerBound
      guard plan.numbersSections else {
        let extent = (try? sectionExtent(at: first)) ?? nil
        return extent.map { $0.lower.withUnsafeBytes { layout.value(ofColumn: 0, in: $0) } }
          ?? .null
      }
      // Sections that are numbered have their number in front of the order.
      return (try? keys.withKey(at: first) { layout.value(ofColumn: 1, in: $0) }) ?? .null
    }
  }

  /// The id of a section that is shown, without its title.
  private func shownID(ofSection section: Int) -> Value {
    guard let arrangement else { return storedID(ofSection: section)?.value ?? .null }
    if let own = arrangement.header(ofShown: section, by: plan.sectionKey) { return own.id }
    let stored = arrangement.stored(ofShown: section, in: self).first
    return stored.flatMap(storedID(ofSection:))?.value ?? .null
  }

  /// The error that two sections of one group are not adjacent.
  func groupsApart(_ id: Value, _ first: Int, _ second: Int) -> RequestError {
    func name(_ section: Int) -> String {
      header(ofSection: section).map { $0.title.isEmpty ? $0.id.description : $0.title } ?? ""
    }
    return .groupNotContiguous(id: id, first: name(first), second: name(second))
  }

  /// The headers of all groups.
  var groupHeaders: [GroupHeader] { (0..<groupCount).compactMap(header(ofGroup:)) }
}
