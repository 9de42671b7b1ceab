package import ResultsDomain
package import ResultsPresentation

/// A column whose value at a row is an aggregate over the rows up to that one, such as the balance after each transaction (R285).
package struct RunningColumn: Sendable {
  /// The column's name.
  package let name: String
  /// The aggregate.
  package let aggregate: SectionAggregate
  /// The attribute along which the values run, from its least value on.
  package let attribute: String

  /// Creates a column.
  package init(_ name: String, of aggregate: SectionAggregate, along attribute: String) {
    (self.name, self.aggregate, self.attribute) = (name, aggregate, attribute)
  }

  /// The end of a list at which the values begin, or `nil` if the list is in another order, where they have no meaning.
  package func origin(in definition: ResultsDefinition<Row>) -> RunningOrigin? {
    switch definition.sectionKey?.source {
    case nil: break
    case .transient(let source, _) where source.hasSameBytes(as: attribute): break
    case .transient, .expression, .relationship: return nil
    }
    guard definition.arrangement.fixed.isEmpty, definition.arrangement.others != .hidden,
      let first = definition.request.sortDescriptors.first,
      first.expression == .attribute(attribute)
    else { return nil }
    return first.direction == .descending ? .last : .first
  }

  /// Returns a definition whose lists have the values.
  package func adding(to definition: ResultsDefinition<Row>) -> ResultsDefinition<Row> {
    guard !definition.aggregates.contains(where: { $0.name.hasSameBytes(as: aggregate.name) })
    else { return definition }
    var definition = definition
    definition.aggregates.append(aggregate)
    // The cache of a list has its aggregates.
    definition.cacheName = definition.cacheName.map { "\($0)WithAggregates" }
    return definition
  }

  /// The failure for a list in another order.
  package var otherOrder: CommandFailure {
    CommandFailure(
      .usage,
      "--columns: “\(name)” runs along \(attribute), and this list is in another order.",
      remedy: "Sort by \(attribute), or leave \(name) out."
    )
  }

  /// The failure of a verb that prints each row once and not again after changes of other rows.
  package func refusal(by verb: String) -> CommandFailure {
    CommandFailure(
      .usage,
      "--columns: “\(name)” depends on all rows before, and \(verb) has the values of a row alone.",
      remedy: "Use list or browse, or leave \(name) out."
    )
  }
}

extension [ListColumn] {
  /// The column of running values, if one is among them.
  package var running: RunningColumn? {
    lazy.compactMap { column in
      if case .running(let running, _) = column { running } else { nil }
    }.first
  }
}
