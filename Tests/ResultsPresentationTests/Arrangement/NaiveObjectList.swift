import ResultsDomain
import ResultsStoreKit
import ResultsTesting

@testable import ResultsPresentation

/// A list in sections that are objects, worked out from all rows without any of the code that it is compared with.
struct NaiveObjectList {
  let definition: ResultsDefinition<Row>
  let sections: ObjectSections
  let authors: [Row]
  let books: [Row]

  var content: ResultsContent {
    let request = definition.request
    let matching = books.filter { request.predicate.evaluate($0) == true }
      .sorted { Self.precedes($0, $1, request.sortDescriptors) }
    func author(_ row: Row) -> Value { row["author"] }
    let objects = authors.filter { sections.predicate.evaluate($0) == true }
      .sorted { Self.precedes($0, $1, sections.order) }
    var found: [ResultsContent.Section] = []
    for object in objects {
      let id = object.id.key.parts[0]
      let rows = matching.filter { author($0) == id }
      guard !rows.isEmpty || sections.empty == .shown else { continue }
      found.append(section(id, object["name"].text ?? "", rows))
    }
    let keys = Set(authors.map { $0.id.key.parts[0] })
    var others = matching.filter { !keys.contains(author($0)) }
    let direction: SortDirection = sections.isReversed ? .descending : .ascending
    let terms = [FetchSortDescriptor(.attribute("author"), direction)] + request.sortDescriptors
    others.sort { Self.precedes($0, $1, terms) }
    guard !others.isEmpty else { return ResultsContent(sections: found) }
    switch sections.without {
    case .hidden: break
    case .first(let title): found.insert(section(.null, title, others), at: 0)
    case .last(let title): found.append(section(.null, title, others))
    }
    return ResultsContent(sections: found)
  }

  private func section(_ id: Value, _ title: String, _ rows: [Row]) -> ResultsContent.Section {
    let id = SectionID(id)
    let limit = definition.arrangement.limits[id]
    let pages = rows.compactMap { $0["pages"].integer }
    let aggregates = definition.aggregates.map { aggregate in
      let value = aggregate.name == "sum" ? pages.reduce(0, +) : pages.min() ?? 0
      return (
        name: aggregate.name,
        value: AggregateValue(pages.isEmpty ? .null : .integer(value), .integer64)
      )
    }
    let header = SectionHeader(
      id: id,
      title: title,
      aggregates: SectionAggregates(aggregates),
      matchingCount: limit == nil ? nil : rows.count
    )
    return .init(header: header, rows: rows.prefix(limit ?? rows.count).map(\.id))
  }

  private static func precedes(_ left: Row, _ right: Row, _ terms: [FetchSortDescriptor]) -> Bool {
    for term in terms {
      let (first, second) = (term.expression.evaluate(left), term.expression.evaluate(right))
      guard first != second else { continue }
      if first.isNull || second.isNull { return first.isNull == (term.nulls == .first) }
      return (Value.compare(first, second) == .ascending) == (term.direction == .ascending)
    }
    return (left.id.key.parts[0].integer ?? 0) < (right.id.key.parts[0].integer ?? 0)
  }
}
