public import ArgumentParser
public import ResultsDomain
public import ResultsPresentation
import TerminalFrontEnd

/// What is listed.
public struct ListOptions: ParsableArguments {
  /// Which rows.
  @Option(
    name: .customLong("where"),
    parsing: .unconditional,
    help: """
      Only rows that match this condition, such as "title CONTAINS 'sea' AND year > 1990" (see 'help where').
      """
  )
  public var predicate: String?

  /// In which order.
  @Option(
    parsing: .unconditional,
    help: """
      Sort order: attribute names separated by commas; a leading minus sorts descending, as in -year,title.
      """
  )
  public var sort: String?

  /// By what the list is divided.
  @Option(help: "The attribute that divides the list into sections, or none.")
  public var sectionBy: String?

  /// How many rows at most.
  @Option(parsing: .unconditional, help: "Show at most this many rows.")
  public var limit: Int?

  /// How many rows are skipped first.
  @Option(parsing: .unconditional, help: "Skip this many rows first.")
  public var offset: Int?

  /// Makes the options with their defaults.
  public init() {}

  /// The definition that these options make of a program's own.
  /// - Throws: `CommandFailure`, `PredicateParseError` or `RequestError` for what is not understood.
  public func definition<Program: ListProgram>(
    of program: Program.Type,
    for settings: LocaleSettings,
    isFrozen: Bool = false
  ) throws -> ResultsDefinition<Row> {
    var definition = Program.definition(for: settings)
    definition.isFrozen = isFrozen
    // Only the program's own list is kept: one that options change would overwrite it.
    if isFrozen || changesList { definition.cacheName = nil }
    if let predicate {
      definition.request.predicate = try Condition.predicate(predicate, of: Program.self)
    }
    if let sectionBy { definition.sectionKey = try sectionKey(sectionBy, Program.self, settings) }
    if let sort {
      definition.request.sortDescriptors = try NameList.names(in: sort, of: "--sort").map {
        try descriptor($0, Program.self)
      }
    } else if let sectionBy, case .transient(let source, _) = definition.sectionKey?.source {
      definition.request.sortDescriptors = [.descending(source)]
      _ = sectionBy
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

  /// Whether any option makes another list of the program's own.
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
    } else if Program.entity.identity.columns == [name] || name.lowercased() == "self" {
      expression = .objectKey
    } else {
      throw CommandFailure.unknownAttribute(
        name,
        of: Program.entity.name,
        known: Program.entity.attributes.map(\.name) + ["self"],
        place: "--sort: "
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
    guard let attribute = Program.entity.attribute(named: name) else {
      throw CommandFailure.unknownAttribute(
        name,
        of: Program.entity.name,
        known: Program.entity.attributes.map(\.name) + ["none"],
        place: "--section-by: "
      )
    }
    var key = SectionKey.attribute(name)
    let printer = ValueFormatter(for: settings)
    key.title = { printer.text($0, of: attribute.type) }
    return key
  }
}

/// Names that a person gave with commas between them.
enum NameList {
  /// The names, each of which has to be there.
  static func names(in text: String, of option: String) throws(CommandFailure) -> [String] {
    guard !text.isEmpty else {
      throw CommandFailure(.usage, "\(option) is empty.", remedy: "Name at least one attribute.")
    }
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !$0.isEmpty }) else {
      throw CommandFailure(
        .usage,
        "\(option): in “\(text)” a name is missing beside a comma.",
        remedy: "Put one comma between two names."
      )
    }
    return names
  }
}

extension CommandFailure {
  /// A name that is not an attribute, with the nearest that is.
  static func unknownAttribute(
    _ name: String,
    of entity: String,
    known: [String],
    place: String = ""
  ) -> CommandFailure {
    let near = known.map { ($0, EditDistance.between($0, name)) }.min { $0.1 < $1.1 }
    let hint = near.flatMap { $0.1 <= 2 ? " Did you mean “\($0.0)”?" : nil } ?? ""
    return CommandFailure(
      .usage,
      "\(place)“\(name)” is not an attribute of \(entity).\(hint)",
      remedy: "The attributes are \(known.joined(separator: ", "))."
    )
  }
}

/// Reads the condition that a person gave with `--where`.
public enum Condition {
  /// The condition as a predicate; a pattern that is probably meant otherwise is remarked upon on standard error.
  /// - Throws: `PredicateParseError` for the first mistake.
  public static func predicate<Program: ListProgram>(
    _ text: String,
    of program: Program.Type
  ) throws(PredicateParseError) -> FetchPredicate {
    let predicate = try FetchPredicate(
      parsing: text,
      entity: Program.entity,
      transients: Program.transients.map(\.name)
    )
    if let remark = remark(on: predicate) {
      try? TerminalOutput.standardError.write(
        SafeText.oneLine("\(Program.name): --where: \(remark)") + "\n"
      )
    }
    return predicate
  }

  /// What is to be said of a `LIKE` that was probably written in SQL's way, if there is one.
  static func remark(on predicate: FetchPredicate) -> String? {
    switch predicate {
    case .text(_, .like, let pattern, _):
      guard pattern.contains("%"), !pattern.contains("*"), !pattern.contains("?") else {
        return nil
      }
      return "LIKE '\(pattern)' has no wildcard, and % is an ordinary character in it."
        + " The wildcards are * for any characters and ? for one."
    case .not(let inner): return remark(on: inner)
    case .and(let parts), .or(let parts): return parts.lazy.compactMap(remark).first
    case .all, .none, .comparison, .between, .membership, .identity, .text, .isNull: return nil
    }
  }
}
