public import ArgumentParser
public import ResultsDomain
public import ResultsPresentation
import TerminalFrontEnd

/// The options that choose the rows of a list, their order and their sections.
public struct ListOptions: ParsableArguments {
  /// The condition that rows match.
  @Option(
    name: .customLong("where"),
    parsing: .unconditional,
    help: "Only rows that match this condition (see 'help where')."
  )
  public var predicate: String?

  /// The sort order.
  @Option(
    parsing: .unconditional,
    help: "Sort order: attribute names separated by commas; a leading minus sorts descending."
  )
  public var sort: String?

  /// The attribute or key that divides the list into sections.
  @Option(help: "The attribute or key that divides the list into sections, or none.")
  public var sectionBy: String?

  /// The maximum number of rows.
  @Option(
    parsing: .unconditional,
    help: "Show at most this many rows.",
    transform: WholeNumber.parse
  )
  public var limit: Int?

  /// The number of rows to skip.
  @Option(
    parsing: .unconditional,
    help: "Skip this many rows first.",
    transform: WholeNumber.parse
  )
  public var offset: Int?

  /// Creates the options with their defaults.
  public init() {}

  /// Returns the definition of a program's list, changed by these options.
  /// - Throws: `CommandFailure`, `PredicateParseError` or `RequestError` for invalid options.
  public func definition<Program: ListProgram>(
    of program: Program.Type,
    for settings: LocaleSettings,
    isFrozen: Bool = false
  ) throws -> ResultsDefinition<Row> {
    var definition = Program.definition(for: settings)
    definition.isFrozen = isFrozen
    // Only the program's default list is cached: a list changed by options would overwrite its cache.
    if isFrozen || changesList { definition.cacheName = nil }
    if let predicate {
      definition.request.predicate = try Condition.predicate(predicate, of: Program.self)
    }
    if let sectionBy { definition.sectionKey = try sectionKey(sectionBy, Program.self, settings) }
    if let sort {
      definition.request.sortDescriptors = try NameList.names(in: sort, of: "--sort").map {
        try descriptor($0, Program.self)
      }
    } else if sectionBy != nil, case .transient(let source, _) = definition.sectionKey?.source {
      definition.request.sortDescriptors = [.descending(source)]
    }
    if let limit { definition.request.fetchLimit = try ListOptions.count(limit, "--limit") }
    if let offset { definition.request.fetchOffset = try ListOptions.count(offset, "--offset") }
    return definition
  }

  private static func count(_ number: Int, _ option: String) throws(CommandFailure) -> Int {
    guard number >= 0 else {
      throw CommandFailure(.usage, "\(option) must be 0 or more, not \(number).")
    }
    return number
  }

  /// Whether any option changes the program's default list.
  private var changesList: Bool {
    predicate != nil || sort != nil || sectionBy != nil || limit != nil || offset != nil
  }

  private func descriptor<Program: ListProgram>(
    _ text: String,
    _ program: Program.Type
  ) throws -> FetchSortDescriptor {
    let name = text.hasPrefix("-") || text.hasPrefix("+") ? String(text.dropFirst()) : text
    let expression: FetchExpression
    if Program.entity.index(of: name) != nil {
      expression = .attribute(name)
    } else if Program.entity.identity.columns == [name]
      || ["id", "self"].contains(name.lowercased())
    {
      expression = .objectKey
    } else if let path = try RelatedName.expression(name, of: Program.self, option: "--sort") {
      expression = path
    } else {
      throw CommandFailure.unknownAttribute(
        name,
        of: Program.entity.name,
        known: ["id"] + Program.entity.attributes.map(\.name),
        option: "--sort"
      )
    }
    return FetchSortDescriptor(expression, text.hasPrefix("-") ? .descending : .ascending)
  }

  private func sectionKey<Program: ListProgram>(
    _ name: String,
    _ program: Program.Type,
    _ settings: LocaleSettings
  ) throws -> SectionKey? {
    if name.lowercased() == "none" { return nil }
    if let key = Program.sectionKey(named: name, for: settings) { return key }
    let attribute: AttributeDescription
    var key: SectionKey
    if let known = Program.entity.attribute(named: name) {
      attribute = known
      key = .attribute(name)
    } else if let path = try RelatedName.expression(name, of: Program.self, option: "--section-by")
    {
      attribute = RelatedName.attribute(path, of: Program.entity)
      key = .expression(path)
    } else {
      throw CommandFailure.unknownAttribute(
        name,
        of: Program.entity.name,
        known: Program.entity.attributes.map(\.name) + Program.sectionKeyNames + ["none"],
        option: "--section-by"
      )
    }
    let formatter = ValueFormatter(for: settings)
    key.title = { formatter.text($0, of: attribute) }
    return key
  }
}

/// A parser for the whole numbers that options take.
public enum WholeNumber {
  /// Returns the number of a text; its range is checked by the option.
  /// - Throws: `ValidationError`, which the argument parser puts after the value and the option.
  public static func parse(_ text: String) throws -> Int {
    guard let number = Int(text) else {
      throw ValidationError("Give a whole number such as 20.")
    }
    return number
  }
}

/// The names of values of related objects, such as `author.name` or `tags.@count`.
enum RelatedName {
  /// Returns the value of a dotted name, or `nil` for a name without a dot.
  /// - Throws: `CommandFailure` for a path that is not valid.
  static func expression<Program: ListProgram>(
    _ name: String,
    of program: Program.Type,
    option: String
  ) throws(CommandFailure) -> FetchExpression? {
    guard name.contains("."), !Program.entity.relationships.isEmpty else { return nil }
    do {
      let expression = try FetchExpression(
        path: name,
        in: Program.entity,
        transients: Program.transients.map(\.name)
      )
      _ = try expression.storage(in: Program.entity)
      return expression
    } catch let error as PredicateParseError {
      throw CommandFailure(
        .usage,
        "\(option): “\(name)”: \(error.message)",
        remedy: error.remedy ?? ""
      )
    } catch {
      throw CommandFailure(.usage, "\(option): “\(name)”: \(error)")
    }
  }

  /// Returns the attribute that a row of the list has for a value of related objects.
  static func attribute(
    _ expression: FetchExpression,
    of entity: EntityDescription
  ) -> AttributeDescription {
    AttributeDescription(
      expression.description,
      expression.type(in: entity) ?? .text,
      isOptional: true
    )
  }
}

/// A list of names separated by commas.
enum NameList {
  /// Returns the names.
  /// - Throws: `CommandFailure` for an empty list or an empty name.
  static func names(in text: String, of option: String) throws(CommandFailure) -> [String] {
    guard !text.isEmpty else {
      throw CommandFailure(.usage, "\(option) is empty.", remedy: "Name at least one attribute.")
    }
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !$0.isEmpty }) else {
      throw CommandFailure(
        .usage,
        "\(option): a name is missing beside a comma in “\(text)”.",
        remedy: "Put one comma between two names."
      )
    }
    return names
  }
}

/// A parser for the condition of `--where`.
public enum Condition {
  /// Returns the condition as a predicate, and prints a warning if a pattern looks like one of SQL.
  /// - Throws: `PredicateParseError` for the first error, `CommandFailure` for an empty text.
  public static func predicate<Program: ListProgram>(
    _ text: String,
    of program: Program.Type
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
      transients: Program.transients.map(\.name)
    )
    if let warning = warning(about: predicate) {
      try? TerminalOutput.standardError.write(
        SafeText.oneLine("\(Program.name): --where: \(warning)") + "\n"
      )
    }
    return predicate
  }

  /// Returns a warning about a `LIKE` that looks like one of SQL, if there is one.
  static func warning(about predicate: FetchPredicate) -> String? {
    switch predicate {
    case .text(_, .like, let pattern, _):
      guard pattern.contains("%"), !pattern.contains("*"), !pattern.contains("?") else {
        return nil
      }
      return "LIKE '\(pattern)' has no wildcard, and % is an ordinary character in it."
        + " The wildcards are * for any characters and ? for one."
    case .not(let inner), .quantified(_, _, let inner): return warning(about: inner)
    case .and(let parts), .or(let parts): return parts.lazy.compactMap(warning).first
    case .all, .none, .comparison, .between, .membership, .identity, .text, .isNull: return nil
    }
  }
}
