package import ResultsDomain
package import ResultsPresentation

/// A column whose value at a row is that of the list's only aggregate over the rows up to that one, such as the balance after each
/// transaction (R285).
package struct RunningColumn: Sendable {
  /// The column's name.
  package let name: String
  /// The attribute along which the values run, from its least value on.
  package let attribute: String

  /// Creates a column.
  package init(_ name: String, along attribute: String) {
    (self.name, self.attribute) = (name, attribute)
  }

  /// The end of a list at which the values begin, or `nil` where they have no meaning: in another order, and without one sum.
  package func origin(in definition: ResultsDefinition<Row>) -> RunningOrigin? {
    switch definition.sectionKey?.source {
    case nil: break
    case .transient(let source, _) where source.hasSameBytes(as: attribute): break
    case .transient, .expression, .relationship: return nil
    }
    guard definition.aggregates.count == 1, definition.arrangement.fixed.isEmpty,
      definition.arrangement.others != .hidden,
      let first = definition.request.sortDescriptors.first,
      first.expression == .attribute(attribute)
    else { return nil }
    return first.direction == .descending ? .last : .first
  }

  /// The failure for a list in another order.
  package var otherOrder: CommandFailure {
    CommandFailure(
      .usage,
      "--columns: “\(name)” runs along \(attribute), and this list is in another order.",
      remedy: "Sort by \(attribute), or leave \(name) out."
    )
  }

  /// The failure for a list with several aggregates, such as sums of several currencies.
  package func failure(for aggregates: [SectionAggregate]) -> CommandFailure {
    CommandFailure(
      .usage,
      "--columns: “\(name)” would add what has several sums here: \(aggregates.map(\.name).joined(separator: ", ")).",
      remedy: "Choose the rows of one with --where, or leave \(name) out."
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
