import ResultsDomain
import ResultsPresentation
import ResultsTesting

/// Random lists over the table, and the indexes that have their keys.
extension IndexedTable {
  /// A list, and the columns and condition of an index that serves it.
  struct List {
    var definition: ResultsDefinition<Row>
    var columns: [String]
    var condition: String
    /// What the store is asked for if the order has computed columns.
    var computed: OrderDefinition?
  }

  func list(_ generator: inout SeededGenerator) throws -> List {
    var names = ["n", "t", "r", "b", "f", "k1", "k2"].shuffled(using: &generator)
    names = Array(names.prefix(generator.number(in: 1...3)))
    var terms = names.map { name in
      if generator.happens(percent: 25), let computed = IndexedTable.computed(name, &generator) {
        return FetchSortDescriptor(computed, generator.choice(.ascending, .descending))
      }
      let nulls: NullPlacement? = name.hasPrefix("k") ? generator.choice(.first, .last) : nil
      return FetchSortDescriptor(
        .attribute(name),
        generator.choice(.ascending, .descending),
        nulls: nulls
      )
    }
    if keys.count == 1, generator.happens(percent: 25) {
      terms.append(FetchSortDescriptor(.objectKey, generator.choice(.ascending, .descending)))
    }
    var section: SectionKey?
    var led = terms
    switch generator.number(in: 0...4) {
    case 0...1:
      let name = generator.choice("n", "t", "k1", "r", "f")
      let direction = generator.choice(SortDirection.ascending, .descending)
      var expression = FetchExpression.attribute(name)
      if generator.happens(percent: 40) {
        expression = IndexedTable.computed(name, &generator) ?? expression
      }
      section = .expression(expression, direction)
      led.insert(FetchSortDescriptor(expression, direction), at: 0)
    case 2...3:
      let direction = generator.choice(SortDirection.ascending, .descending)
      terms.insert(FetchSortDescriptor(.attribute("n"), direction), at: 0)
      led = terms
      section = .transient(source: "n", grouping: Groups(width: generator.choice(3, 1, 100)))
    default: break
    }
    let (predicate, condition, fixed) = predicate(&generator)
    let aggregates = [
      SectionAggregate("sum", FetchAggregate(.sum, of: .attribute("n"))),
      SectionAggregate("least", FetchAggregate(.minimum, of: .attribute("r"))),
      SectionAggregate("greatest", FetchAggregate(.maximum, of: .attribute("t"))),
      SectionAggregate("number", FetchAggregate(.count, of: .attribute("b"))),
    ]
    let isComputed = led.contains { term in
      switch term.expression {
      case .attribute, .objectKey: false
      default: true
      }
    }
    let order = try OrderDefinition(entity: entity, predicate: predicate, sortDescriptors: led)
    return List(
      definition: ResultsDefinition(
        FetchRequest<Row>(
          entity: entity,
          where: predicate,
          sortedBy: terms,
          fetchLimit: generator.choice(nil, nil, nil, 5, 20),
          fetchOffset: generator.choice(0, 0, 0, 2, 15),
          fetchBatchSize: generator.choice(7, 50)
        ),
        sectionedBy: section,
        aggregates: generator.happens(percent: 40) ? aggregates : []
      ),
      columns: columns(fixed, led, &generator),
      condition: condition,
      computed: isComputed ? order : nil
    )
  }

  /// An expression over an attribute, or `nil` where there is none.
  private static func computed(
    _ name: String,
    _ generator: inout SeededGenerator
  ) -> FetchExpression? {
    let attribute = FetchExpression.attribute(name)
    switch name {
    case "t", "k1":
      return generator.choice(
        .prefix(attribute, length: 1),
        .lowercased(attribute),
        .uppercased(.prefix(attribute, length: 2)),
        .length(attribute),
        .ifNull(attribute, "it's")
      )
    case "n", "k2", "f":
      return generator.choice(.bucket(attribute, width: 3), .ifNull(attribute, 1))
    case "r": return .ifNull(attribute, 2.0)
    default: return nil
    }
  }

  /// A predicate that an index can answer, the index' condition, and the columns that must lead it.
  private func predicate(
    _ generator: inout SeededGenerator
  ) -> (FetchPredicate, String, [String]) {
    let fixed = FetchPredicate.comparison(.attribute("f"), .equal, .literal(.integer(1)))
    switch generator.number(in: 0...8) {
    case 0: return (fixed, "", ["f"])
    case 1: return (.isNull(.attribute("f")), "", ["f"])
    case 2:
      let text = FetchPredicate.comparison(.attribute("k1"), .equal, .literal(.text("a")))
      return (.and([text, fixed]), "", generator.choice(["f", "k1"], ["k1", "f"]))
    case 3: return (fixed, " WHERE f = 1", [])
    case 4: return (.not(.isNull(.attribute("f"))), " WHERE f IS NOT NULL", [])
    default: return (.all, "", [])
    }
  }

  private func columns(
    _ fixed: [String],
    _ terms: [FetchSortDescriptor],
    _ generator: inout SeededGenerator
  ) -> [String] {
    var columns = fixed.map { (name: $0, isDescending: false) }
    for term in terms {
      var name = keys[0]
      if case .attribute(let attribute) = term.expression { name = attribute }
      guard !columns.contains(where: { $0.name == name }) else { continue }
      columns.append((name, term.direction == .descending))
    }
    for key in keys where !columns.contains(where: { $0.name == key }) {
      columns.append((key, false))
    }
    // Read from its end, an index of the opposite directions has the same order.
    let isMirrored = generator.happens(percent: 30)
    return columns.map { $0.name + ($0.isDescending != isMirrored ? " DESC" : "") }
  }
}

/// Groups of so many integers, with known extents.
struct Groups: SectionGrouping {
  let width: Int64

  func group(of value: Value) -> SectionGroup {
    guard case .integer(let number) = value else { return SectionGroup(id: .null) }
    let first = number - ((number % width) + width) % width
    return SectionGroup(
      id: .integer(first),
      first: .integer(first),
      next: .integer(first + width)
    )
  }

  func title(of id: Value) -> String { "from \(id)" }
  var groupingIdentity: String { "groups of \(width)" }
  var titleIdentity: String { "en" }
}
