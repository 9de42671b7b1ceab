package import ArgumentParser
package import ProgramFrontEnd
package import ResultsDomain
package import ResultsPresentation
import ResultsStoreKit
import TerminalFrontEnd

/// The options that choose the rows of a list, their order and their sections.
package struct ListOptions: ParsableArguments {
  /// The condition that rows match.
  @Option(
    name: .customLong("where"),
    parsing: .unconditional,
    help: "Only rows that match this condition (see 'help where')."
  )
  package var predicate: String?

  /// The name of a saved list.
  @Option(
    name: .customLong("list"),
    help: ArgumentHelp("Use the options of a saved list (see 'saved').", valueName: "name"),
    completion: CompletedNames.saved
  )
  package var savedName: String?

  /// The sort order.
  @Option(
    parsing: .unconditional,
    help: "Sort order: attribute names separated by commas; a leading minus sorts descending.",
    completion: CompletedNames.sort
  )
  package var sort: String?

  /// The attribute or key that divides the list into sections.
  @Option(
    help:
      "The attribute or key that divides the list into sections, a date as day(x), month(x), year(x), recent(x) or due(x), or none.",
    completion: CompletedNames.sections
  )
  package var sectionBy: String?

  /// What gathers the sections into groups.
  @Option(
    help: ArgumentHelp(
      "Gather the sections into groups: month or year of dates, initial of titles, an attribute, or none.",
      discussion:
        "An attribute orders the list before the sections, and all rows of one agree in it."
    ),
    completion: CompletedNames.groups
  )
  package var groupBy: String?

  /// Whether the list is in the opposite order.
  @Flag(help: "Show the rows and sections in the opposite order, the last ones first.")
  package var reversed = false

  /// The sections that are shown in an order of their own, also while they are empty.
  @Option(
    help: ArgumentHelp(
      "Show these sections first, in this order, also while they are empty.",
      discussion:
        "The values of the section's attribute, separated by commas; (none) is that of rows without one.",
      valueName: "values"
    )
  )
  package var sections: String?

  /// What becomes of the sections that are not named.
  @Option(
    help: "What becomes of other sections than those of --sections: before, after or hidden."
  )
  package var otherSections: String?

  /// The maximum number of rows of each section.
  @Option(
    parsing: .unconditional,
    help: "Show at most this many rows of each section; 0 shows headers alone.",
    transform: WholeNumber.parse
  )
  package var sectionLimit: Int?

  /// The sections that show no row.
  @Option(
    help: ArgumentHelp(
      "Show no row of these sections, but their headers.",
      discussion: "The values of the section's attribute, separated by commas.",
      valueName: "values"
    )
  )
  package var collapse: String?

  /// The maximum number of rows.
  @Option(
    parsing: .unconditional,
    help: "Show at most this many rows.",
    transform: WholeNumber.parse
  )
  package var limit: Int?

  /// The number of rows to skip.
  @Option(
    parsing: .unconditional,
    help: "Skip this many rows first.",
    transform: WholeNumber.parse
  )
  package var offset: Int?

  /// Creates the options with their defaults.
  package init() {}

  /// Returns the definition of a program's list, changed by these options.
  /// - Parameters:
  ///   - program: The program.
  ///   - settings: The locale.
  ///   - times: The options that choose the rows of a time, if the verb has them.
  ///   - isFrozen: Whether the rows of the list stay those that it is fetched with.
  /// - Returns: The definition.
  /// - Throws: `CommandFailure`, `PredicateParseError` or `RequestError` for invalid options.
  package func definition<Program: ListProgram>(
    of program: Program.Type,
    for settings: LocaleSettings,
    within times: TimeOptions<Program>? = nil,
    isFrozen: Bool = false
  ) throws -> ResultsDefinition<Row> {
    try choice(of: program, for: settings, within: times).definition(
      of: Program.self,
      for: settings,
      isFrozen: isFrozen
    )
  }

  /// Returns the choice that these options make.
  /// - Throws: `CommandFailure` or `PredicateParseError` for a condition that is not valid.
  func choice<Program: ListProgram>(
    of program: Program.Type,
    for settings: LocaleSettings,
    within times: TimeOptions<Program>? = nil
  ) throws -> ListChoice {
    var choice = ListChoice()
    choice.period = try times?.condition(for: settings)
    choice.predicate = try predicate.map {
      try Condition.predicate($0, of: Program.self, for: settings)
    }
    (choice.sort, choice.sectionBy, choice.groupBy) = (sort, sectionBy, groupBy)
    (choice.isReversed, choice.limit, choice.offset) = (reversed, limit, offset)
    choice.arrangement = ArrangementChoice(
      sections: sections,
      others: otherSections,
      sectionLimit: sectionLimit,
      collapsed: collapse
    )
    return choice
  }
}

/// A parser for the whole numbers that options take.
package enum WholeNumber {
  /// Returns the number of a text; its range is checked by the option.
  /// - Throws: `ValidationError`, which the argument parser puts after the value and the option.
  package static func parse(_ text: String) throws -> Int {
    guard let number = Int(text) else {
      throw ValidationError("Give a whole number such as 20.")
    }
    return number
  }
}

/// A parser for the condition of `--where`.
package enum Condition {
  /// Returns the condition as a predicate, and prints a warning if a pattern looks like one of SQL.
  /// - Throws: `PredicateParseError` for the first error, `CommandFailure` for an empty text.
  package static func predicate<Program: ListProgram>(
    _ text: String,
    of program: Program.Type,
    for settings: LocaleSettings
  ) throws -> FetchPredicate {
    guard !text.allSatisfy(\.isWhitespace) else {
      throw CommandFailure(
        .usage,
        "--where is empty.",
        remedy:
          "Leave it out to select all, or give a condition such as \"\(Program.examples.condition)\"."
      )
    }
    let predicate = try FetchPredicate(
      parsing: text,
      entity: Program.entity,
      transients: Program.transients.map(\.name),
      days: settings.days
    )
    if let warning = predicate.patternWarning {
      try? TerminalOutput.standardError.write(
        SafeText.oneLine("\(Program.name): --where: \(warning)") + "\n"
      )
    }
    return predicate
  }
}
