import ResultsDomain
import ResultsStoreKit
import ResultsTesting

@testable import ResultsPresentation

/// The expected content of a definition with paths, by the naive model.
struct NaiveRelatedList {
  /// The rows of the list with what is observed of them, in order.
  let rows: [(id: ObjectID, section: Value, observed: [String: Value])]

  init(_ definition: ResultsDefinition<Row>, _ model: RelationModel) {
    let request = definition.request
    let entity = request.entity
    var terms = request.sortDescriptors
    var section: FetchExpression?
    if case .expression(let id, _, let direction, let nulls) = definition.sectionKey?.source {
      terms.insert(FetchSortDescriptor(id, direction, nulls: nulls), at: 0)
      section = id
    }
    let paths = terms.map(\.expression).flatMap(\.paths)
    let matching = model.rows(of: entity).filter {
      model.truth(request.predicate, of: $0, in: entity) == true
    }
    let keyed = matching.map { row in
      (row: row, values: terms.map { model.value($0.expression, of: row, in: entity) })
    }
    let sorted = keyed.sorted { left, right in
      for (term, (first, second)) in zip(terms, zip(left.values, right.values))
      where first != second {
        if first.isNull || second.isNull { return first.isNull == (term.nulls == .first) }
        return (Value.compare(first, second) == .ascending) == (term.direction == .ascending)
      }
      for (first, second) in zip(left.row.id.key.parts, right.row.id.key.parts)
      where first != second { return Value.compare(first, second) == .ascending }
      return false
    }
    let start = min(request.fetchOffset, sorted.count)
    let end = request.fetchLimit.map { min(start + $0, sorted.count) } ?? sorted.count
    rows = sorted[start..<end].map { entry in
      var observed: [String: Value] = [:]
      if let properties = request.propertiesToFetch {
        for name in properties {
          let path = (try? FetchExpression(path: name, in: entity)) ?? .attribute(name)
          observed[name] = model.value(path, of: entry.row, in: entity)
        }
        return (entry.row.id, section == nil ? .null : entry.values[0], observed)
      }
      for (attribute, value) in zip(entity.attributes, entry.row.values) {
        observed[attribute.name] = value
      }
      for path in paths {
        observed[path.description] = model.value(path, of: entry.row, in: entity)
      }
      return (entry.row.id, section == nil ? .null : entry.values[0], observed)
    }
    isSectioned = section != nil
    isKey = if case .transformed(let order, _) = section { order != .baseLetters } else { false }
  }

  private let isSectioned: Bool
  /// Whether the section's value is a key of an order, which ends with the text behind a separator.
  private let isKey: Bool

  var content: ResultsContent {
    guard isSectioned else {
      return ResultsContent(sections: [
        .init(header: SectionHeader(id: SectionID(.null), title: ""), rows: rows.map(\.id))
      ])
    }
    var sections: [ResultsContent.Section] = []
    for row in rows {
      let id = SectionID(row.section)
      if sections.last?.header.id == id {
        sections[sections.count - 1].rows.append(row.id)
      } else {
        var title = row.section.isNull ? "" : row.section.text ?? row.section.description
        if isKey,
          let text = title.unicodeScalars.split(
            separator: "\u{1}",
            omittingEmptySubsequences: false
          ).last
        {
          title = String(text)
        }
        sections.append(.init(header: SectionHeader(id: id, title: title), rows: [row.id]))
      }
    }
    return ResultsContent(sections: sections)
  }

  /// The names of what is observed and differs, for the rows that are in both lists.
  func changes(since old: NaiveRelatedList) -> [ObjectID: [String]] {
    let earlier = Dictionary(uniqueKeysWithValues: old.rows.map { ($0.id, $0.observed) })
    var changes: [ObjectID: [String]] = [:]
    for row in rows {
      guard let before = earlier[row.id] else { continue }
      let names = row.observed.filter { before[$0.key] != $0.value }.keys.sorted()
      if !names.isEmpty { changes[row.id] = names }
    }
    return changes
  }
}

extension FetchExpression {
  /// The paths in it.
  fileprivate var paths: [FetchExpression] {
    switch self {
    case .related, .relatedAggregate: [self]
    case .attribute, .objectKey, .literal: []
    case .prefix, .lowercased, .uppercased, .length, .bucket, .ifNull, .transformed:
      operands.flatMap(\.paths)
    }
  }
}
