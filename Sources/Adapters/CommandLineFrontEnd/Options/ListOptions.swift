public import ArgumentParser
public import ResultsDomain
public import ResultsPresentation

/// What is listed.
public struct ListOptions: ParsableArguments {
  /// Which rows.
  @Option(
    name: .customLong("where"),
    help: "Which rows, such as \"title CONTAINS 'sea' AND year > 1990\"."
  )
  public var predicate: String?

  /// In which order.
  @Option(
    parsing: .unconditional,
    help: "The order: attributes with commas, a minus for larger first, such as -year,title."
  )
  public var sort: String?

  /// By what the list is divided.
  @Option(help: "The attribute that divides the list into sections, or none.")
  public var sectionBy: String?

  /// At most so many rows.
  @Option(parsing: .unconditional, help: "At most so many rows.")
  public var limit: Int?

  /// So many rows are passed over first.
  @Option(parsing: .unconditional, help: "Pass over so many rows first.")
  public var offset: Int?

  /// Makes the options with their defaults.
  public init() {}

  /// The definition that these options make of a program's own.
  /// - Throws: `CommandFailure`, `PredicateParseError` or `RequestError` for what is not understood.
  public func definition<Program: ListProgram>(
    of program: Program.Type,
    for reader: ReaderSettings,
    isFrozen: Bool = false
  ) throws -> ResultsDefinition<Row> {
    var definition = Program.definition(for: reader)
    definition.isFrozen = isFrozen
    // Only the program's own list is kept: one that options change would overwrite it.
    if isFrozen || changesList { definition.cacheName = nil }
    if let predicate {
      definition.request.predicate = try FetchPredicate(
        parsing: predicate,
        entity: Program.entity,
        transients: Program.transients.map(\.name)
      )
    }
    if let sectionBy { definition.sectionKey = try sectionKey(sectionBy, Program.self, reader) }
    if let sort {
      definition.request.sortDescriptors = try sort.split(separator: ",").map {
        try descriptor(String($0), Program.self)
      }
    } else if let sectionBy, case .transient(let source, _) = definition.sectionKey?.source {
      definition.request.sortDescriptors = [.descending(source)]
      _ = sectionBy
    }
    if let limit { definition.request.fetchLimit = limit }
    if let offset { definition.request.fetchOffset = offset }
    return definition
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
      throw CommandFailure.unknownAttribute(name, Program.self, option: "--sort")
    }
    return FetchSortDescriptor(expression, text.hasPrefix("-") ? .descending : .ascending)
  }

  private func sectionKey<Program: ListProgram>(
    _ name: String,
    _ program: Program.Type,
    _ reader: ReaderSettings
  ) throws -> SectionKey? {
    if name.lowercased() == "none" { return nil }
    if let key = Program.sectionKey(named: name, for: reader) { return key }
    guard let attribute = Program.entity.attribute(named: name) else {
      throw CommandFailure.unknownAttribute(name, Program.self, option: "--section-by")
    }
    var key = SectionKey.attribute(name)
    let printer = ValuePrinter(for: reader)
    key.title = { printer.text($0, of: attribute.type) }
    return key
  }
}

extension CommandFailure {
  /// A name that is no attribute, with the nearest that is.
  static func unknownAttribute<Program: ListProgram>(
    _ name: String,
    _ program: Program.Type,
    option: String
  ) -> CommandFailure {
    let known = Program.entity.attributes.map(\.name) + Program.transients.map(\.name)
    return unknownAttribute(name, of: Program.entity.name, known: known, place: "\(option): ")
  }

  /// A name that is no attribute, with the nearest that is.
  static func unknownAttribute(
    _ name: String,
    of entity: String,
    known: [String],
    place: String = ""
  ) -> CommandFailure {
    let near = known.map { ($0, EditDistance.between($0, name)) }.min { $0.1 < $1.1 }
    let hint = near.flatMap { $0.1 <= 2 ? " Did you mean “\($0.0)”?" : nil } ?? ""
    return CommandFailure(
      .badData,
      "\(place)“\(name)” is no attribute of \(entity).\(hint)",
      remedy: "The attributes are \(known.joined(separator: ", "))."
    )
  }
}
