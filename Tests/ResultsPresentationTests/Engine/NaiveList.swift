import ResultsDomain
import ResultsStoreKit

@testable import ResultsPresentation

/// The expected content of a definition, computed naively: filter, sort, cut, group.
///
/// It shares no code with the engine.
struct NaiveList {
  let definition: ResultsDefinition<Row>
  let rows: [Row]

  var content: ResultsContent { arranged(all) }

  /// The sections of the arrangement, each searched for among all of them.
  private func arranged(_ content: ResultsContent) -> ResultsContent {
    let arrangement = definition.arrangement
    var fixed: [ResultsContent.Section] = []
    for section in arrangement.fixed {
      let id = SectionID(section.id)
      let present = content.sections.first { $0.header.id == id }
      guard present != nil || section.isShownWhenEmpty else { continue }
      let header = SectionHeader(id: id, title: section.title ?? title(section.id))
      fixed.append(.init(header: header, rows: present?.rows ?? []))
    }
    let others = content.sections.filter { other in
      !arrangement.fixed.contains { SectionID($0.id) == other.header.id }
    }
    let sections =
      switch arrangement.others {
      case .before: others + fixed
      case .after: fixed + others
      case .hidden: fixed
      }
    return ResultsContent(
      sections: sections.map { section in
        let id = section.header.id
        guard let limit = arrangement.limits.overrides[id] ?? arrangement.limits.all else {
          return section
        }
        let header = SectionHeader(
          id: id,
          title: section.header.title,
          matchingCount: section.rows.count
        )
        return .init(header: header, rows: Array(section.rows.prefix(limit)))
      }
    )
  }

  private var all: ResultsContent {
    let request = definition.request
    var matching = rows.filter { request.predicate.evaluate($0) == true }
    var terms = request.sortDescriptors
    switch definition.sectionKey?.source {
    case .expression(let id, let order, let direction, let nulls):
      terms.insert(FetchSortDescriptor(id, direction, nulls: nulls), at: 0)
      if let order { terms.insert(FetchSortDescriptor(order, direction, nulls: nulls), at: 0) }
    case .transient, .relationship, nil: break
    }
    if let group = groupExpression {
      terms.insert(
        FetchSortDescriptor(group.expression, group.direction, nulls: group.nulls),
        at: 0
      )
    }
    matching.sort { precedes($0, $1, terms) }
    matching = merged(matching)
    let start = min(request.fetchOffset, matching.count)
    let end = request.fetchLimit.map { min(start + $0, matching.count) } ?? matching.count
    let numbered = Array(zip(matching, occurrences(matching)))[start..<end]
    guard definition.sectionKey != nil else {
      return ResultsContent(sections: [
        .init(header: SectionHeader(id: SectionID(.null), title: ""), rows: numbered.map(\.0.id))
      ])
    }
    var sections: [ResultsContent.Section] = []
    var lastGroup: Value?
    for (row, occurrence) in numbered {
      let id = SectionID(sectionID(row), occurrence: occurrence)
      let group = groupExpression?.expression.evaluate(row)
      defer { lastGroup = group }
      if sections.last?.header.id == id, group == lastGroup {
        sections[sections.count - 1].rows.append(row.id)
      } else {
        sections.append(
          .init(header: SectionHeader(id: id, title: title(id.value)), rows: [row.id])
        )
      }
    }
    return ResultsContent(sections: sections)
  }

  private func precedes(_ left: Row, _ right: Row, _ terms: [FetchSortDescriptor]) -> Bool {
    for term in terms {
      let (first, second) = (term.expression.evaluate(left), term.expression.evaluate(right))
      guard first != second else { continue }
      if first.isNull || second.isNull { return first.isNull == (term.nulls == .first) }
      return (Value.compare(first, second) == .ascending) == (term.direction == .ascending)
    }
    guard case .integer(let first) = left.id.key, case .integer(let second) = right.id.key else {
      return false
    }
    return first < second
  }

  private func sectionID(_ row: Row) -> Value {
    switch definition.sectionKey?.source {
    case .expression(let id, _, _, _): id.evaluate(row)
    case .transient(let source, let grouping): grouping.group(of: row[source]).id
    case .relationship, nil: .null
    }
  }

  /// Moves the rows of a merged section to its first row.
  private func merged(_ rows: [Row]) -> [Row] {
    guard definition.sectionKey?.contiguity == .merge else { return rows }
    var order: [Value] = []
    for row in rows where !order.contains(sectionID(row)) { order.append(sectionID(row)) }
    return order.flatMap { id in rows.filter { sectionID($0) == id } }
  }

  /// The number of runs of the row's section before its own.
  private func occurrences(_ rows: [Row]) -> [Int] {
    guard definition.sectionKey?.contiguity == .split else { return rows.map { _ in 0 } }
    var runs: [Value: Int] = [:]
    var last: [Value]?
    return rows.map { row in
      let id = sectionID(row)
      let run = [id] + (groupExpression.map { [$0.expression.evaluate(row)] } ?? [])
      if run != last { runs[id, default: -1] += 1 }
      last = run
      return runs[id] ?? 0
    }
  }

  private func title(_ id: Value) -> String {
    if case .transient(_, let grouping) = definition.sectionKey?.source {
      return grouping.title(of: id)
    }
    switch id {
    case .text(let text): return text
    case .integer(let number): return String(number)
    default: return ""
    }
  }
}

// MARK: - Groups

extension NaiveList {
  /// The headers of the groups, found by going through all sections with all their rows; `nil` if one would come apart.
  func groups(_ aggregates: NaiveAggregates) throws -> [GroupHeader]? {
    guard let rule = definition.groups else { return [] }
    var unlimited = definition
    unlimited.arrangement.limits = SectionLimits()
    let whole = NaiveList(definition: unlimited, rows: rows).content
    let byID = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var runs: [(id: Value, sections: [ResultsContent.Section])] = []
    for section in whole.sections {
      let id: Value =
        switch rule.source {
        case .ids(let grouping): grouping.group(of: section.header.id.value).id
        case .titles(let grouping): grouping.group(of: .text(section.header.title)).id
        case .expression(let expression, _, _):
          section.rows.first.flatMap { byID[$0] }.map(expression.evaluate) ?? .null
        }
      if runs.last?.id == id {
        runs[runs.count - 1].sections.append(section)
      } else {
        runs.append((id, [section]))
      }
    }
    guard Set(runs.map(\.id)).count == runs.count else { return nil }
    return try runs.map { id, sections in
      let rows = sections.flatMap(\.rows)
      return GroupHeader(
        id: id,
        title: rule.title(of: id),
        sectionCount: sections.count,
        rowCount: rows.count,
        aggregates: try aggregates.values(rows)
      )
    }
  }

  /// Whether two sections have the same id.
  var hasSectionsApart: Bool {
    let ids = all.sections.map(\.header.id)
    return Set(ids).count < ids.count
  }

  fileprivate var groupExpression:
    (expression: FetchExpression, direction: SortDirection, nulls: NullPlacement?)?
  {
    guard case .expression(let expression, let direction, let nulls) = definition.groups?.source
    else { return nil }
    return (expression, direction, nulls)
  }
}
