import FoundationAttributes
import ResultsDomain
import ResultsPresentation

/// The choice of what gathers sections into groups, in the words of `--group-by`: `month` and `year` of dates, `initial` of titles, or an
/// attribute.
enum GroupChoice {
  /// Gathers the sections of a definition into groups, whose headers add up what the program shows of each section.
  /// - Throws: `CommandFailure` for a list without sections, and a name that fits none of its sections.
  static func apply<Program: ListProgram>(
    _ name: String,
    to definition: inout ResultsDefinition<Row>,
    _ program: Program.Type,
    _ settings: LocaleSettings
  ) throws {
    guard name.lowercased() != "none" else {
      definition.groups = nil
      return
    }
    guard let key = definition.sectionKey else {
      throw CommandFailure(
        .usage,
        "The list has no sections to gather into groups.",
        remedy: "Name what divides it with --section-by."
      )
    }
    definition.groups = try groups(name, of: key, Program.self, settings)
    if definition.aggregates.isEmpty { definition.aggregates = Program.headerAggregates }
  }

  private static func groups<Program: ListProgram>(
    _ name: String,
    of key: SectionKey,
    _ program: Program.Type,
    _ settings: LocaleSettings
  ) throws -> SectionGroups {
    if let attribute = Program.entity.attribute(named: name) {
      return try groups(by: .attribute(name), attribute, key, settings)
    }
    let word = name.lowercased()
    if word == "initial" { return .titles(by: PrefixGrouping(length: 1, inOrderOf: key.order)) }
    if let unit = CalendarGrouping.Unit(rawValue: word) {
      guard key.dateUnits.contains(unit) else {
        throw CommandFailure(
          .usage,
          "--group-by \(word) gathers sections by dates within a \(word), and these are none.",
          remedy: "Divide the list with --section-by, such as --section-by day."
        )
      }
      return .calendar(
        unit,
        in: settings.calendar,
        locale: unit == .year ? nil : settings.locale
      )
    }
    if let path = try RelatedName.expression(name, of: Program.self, option: "--group-by") {
      return try groups(by: path, RelatedName.attribute(path, of: Program.entity), key, settings)
    }
    throw RelatedName.failure(
      for: name,
      of: Program.entity,
      known: Program.fields.form.attributes.map(\.name) + ["month", "year", "initial", "none"],
      option: "--group-by"
    )
  }

  private static func groups(
    by expression: FetchExpression,
    _ attribute: AttributeDescription,
    _ key: SectionKey,
    _ settings: LocaleSettings
  ) throws(CommandFailure) -> SectionGroups {
    guard case .expression = key.source, key.contiguity != .merge else {
      throw CommandFailure(
        .usage,
        "Groups by \(expression) cannot come before sections that are computed, or objects with an order of their own.",
        remedy: "Divide the list by an attribute with --section-by, or use month, year or initial."
      )
    }
    var groups = SectionGroups.expression(expression)
    let formatter = ValueFormatter(for: settings)
    groups.title = { formatter.text($0, of: attribute) }
    return groups
  }
}

extension SectionKey {
  /// The order of texts that the sections are in, unless it is that of their bytes.
  fileprivate var order: TextTransform? {
    if case .expression(.transformed(let order, _), _, _, _) = source, order != .baseLetters {
      order
    } else {
      nil
    }
  }

  /// The spans of dates that consist of whole sections.
  fileprivate var dateUnits: [CalendarGrouping.Unit] {
    switch source {
    case .transient(_, let grouping as CalendarGrouping):
      switch grouping.unit {
      case .day, .month: [.month, .year]
      case .week, .year: [.year]
      }
    case .expression(.prefix(_, length: 10), nil, _, _),
      .expression(.prefix(_, length: 7), nil, _, _):
      [.month, .year]
    default: []
    }
  }
}
