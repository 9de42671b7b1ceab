package import ResultsDomain
package import ResultsPresentation

/// The choice of rows, order and sections by which a list differs from a program's default list.
package struct ListChoice: Sendable {
  /// The condition that rows match, or `nil` for that of the default list.
  package var predicate: FetchPredicate?
  /// What rows match besides, because only those of a time are shown; `nil` for all times.
  package var period: FetchPredicate?
  /// Attribute names separated by commas, or `nil` for the default order; a leading minus sorts descending.
  package var sort: String?
  /// The name of the attribute or key that divides the list into sections, `none`, or `nil` for the default sections.
  package var sectionBy: String?
  /// What gathers the sections into groups, `none`, or `nil` for the default groups.
  package var groupBy: String?
  /// Whether the rows and sections are in the opposite order.
  package var isReversed = false
  /// The maximum number of rows.
  package var limit: Int?
  /// The number of rows to skip.
  package var offset: Int?
  /// How the sections are arranged.
  package var arrangement = ArrangementChoice()

  /// Creates the choice of the default list.
  package init() {}

  /// Returns the definition of a program's list, changed by this choice.
  /// - Throws: `CommandFailure` or `RequestError` for a name that is not valid.
  package func definition<Program: ListProgram>(
    of program: Program.Type,
    for settings: LocaleSettings,
    isFrozen: Bool = false
  ) throws -> ResultsDefinition<Row> {
    var definition = Program.definition(for: settings)
    definition.isFrozen = isFrozen
    // Only the program's default list is cached: a list changed by options would overwrite its cache.
    if isFrozen || changesList { definition.cacheName = nil }
    if let predicate { definition.request.predicate = predicate }
    if let period { definition.request.predicate = definition.request.predicate && period }
    if let sectionBy { definition.sectionKey = try sectionKey(sectionBy, Program.self, settings) }
    if let sort {
      definition.request.sortDescriptors = try NameList.expressions(in: sort, of: "--sort").map {
        try descriptor($0, Program.self)
      }
      alignSections(of: &definition)
    } else if sectionBy != nil, case .transient(let source, _) = definition.sectionKey?.source {
      definition.request.sortDescriptors = [try descriptor("-" + source, Program.self)]
    }
    if let groupBy { try GroupChoice.apply(groupBy, to: &definition, Program.self, settings) }
    if isReversed { definition = definition.reversed() }
    try arrangement.apply(to: &definition, for: settings)
    if case .relationship = definition.sectionKey?.source, limit != nil || offset != nil {
      throw CommandFailure(
        .usage,
        "A list in sections that are objects has no \(limit == nil ? "--offset" : "--limit").",
        remedy:
          "Use --section-limit, or a value of the objects as --section-by, such as their name."
      )
    }
    if let limit { definition.request.fetchLimit = try ListChoice.count(limit, "--limit") }
    if let offset { definition.request.fetchOffset = try ListChoice.count(offset, "--offset") }
    return definition
  }

  /// Lets sections follow a descending order by the value that divides the list, or by the number whose ranges divide it.
  private func alignSections(of definition: inout ResultsDefinition<Row>) {
    guard let first = definition.request.sortDescriptors.first, first.direction == .descending,
      case .expression(let expression, let order, .ascending, nil) = definition.sectionKey?.source
    else { return }
    var keys = [expression, order].compactMap(\.self)
    if case .bucket(let value, _) = expression { keys.append(value) }
    guard keys.contains(first.expression) else { return }
    definition.sectionKey = .expression(expression, orderedBy: order, .descending)
  }

  static func count(_ number: Int, _ option: String) throws(CommandFailure) -> Int {
    guard number >= 0 else {
      throw CommandFailure(.usage, "\(option) must be 0 or more, not \(number).")
    }
    return number
  }

  /// Whether the choice changes the program's default list.
  private var changesList: Bool {
    predicate != nil || period != nil || sort != nil || sectionBy != nil || groupBy != nil
      || isReversed
      || limit != nil || offset != nil
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
    } else if let value = (Program.namedValues + Program.namedOrders).first(where: {
      $0.name.hasSameBytes(as: name)
    }) {
      expression = value.expression
    } else if let path = try RelatedName.expression(name, of: Program.self, option: "--sort") {
      expression = path
    } else {
      throw RelatedName.failure(
        for: name,
        of: Program.entity,
        known: ["id"] + Program.fields.form.attributes.map(\.name)
          + Program.namedOrders.map(\.name),
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
    if let named = Program.fields.relationship(named: name), !named.isToMany, !named.isQualifier {
      // Namesakes are sections of their own.
      let title = FetchExpression.attribute(named.attribute)
      return .relationship(named.name, titled: title, without: .first(""))
    }
    if Program.entity.attribute(named: name) == nil, let date = DateSections.parts(of: name) {
      let (expression, attribute) = try sectionSource(date.name, Program.self)
      return try DateSections.key(date.rule, of: date.name, expression, attribute, for: settings)
    }
    let (expression, attribute) = try sectionSource(name, Program.self)
    var key = SectionKey.expression(expression)
    let formatter = ValueFormatter(for: settings)
    key.title = { formatter.text($0, of: attribute) }
    return key
  }

  /// What a name in `--section-by` stands for.
  private func sectionSource<Program: ListProgram>(
    _ name: String,
    _ program: Program.Type
  ) throws(CommandFailure) -> (FetchExpression, AttributeDescription) {
    if let known = Program.entity.attribute(named: name) { return (.attribute(name), known) }
    if let path = try RelatedName.expression(name, of: Program.self, option: "--section-by") {
      return (path, RelatedName.attribute(path, of: Program.entity))
    }
    throw RelatedName.failure(
      for: name,
      of: Program.entity,
      known: Program.fields.form.attributes.map(\.name) + Program.sectionKeyNames + ["none"],
      option: "--section-by"
    )
  }
}

/// The names of values of related objects, such as `author.name` or `tags.@count`, and in `--sort` functions of a value.
package enum RelatedName {
  /// Returns the value of a dotted name or of a field that names a related object; `nil` for another name without a dot.
  /// - Throws: `CommandFailure` for a path that is not valid, or that has many values.
  package static func expression<Program: ListProgram>(
    _ name: String,
    of program: Program.Type,
    option: String
  ) throws(CommandFailure) -> FetchExpression? {
    if let named = Program.fields.relationship(named: name) {
      guard named.isToMany else { return named.path }
      throw CommandFailure(
        .usage,
        "\(option): “\(name)” has many values.",
        remedy: "Use \(name).@count, or one of them with \(name).@min.\(named.attribute)."
      )
    }
    // A function makes an order; what it returns is no value to show.
    guard name.contains(".") || option == "--sort" && name.hasSuffix(")") else { return nil }
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
  package static func attribute(
    _ expression: FetchExpression,
    of entity: EntityDescription
  ) -> AttributeDescription {
    var attribute = AttributeDescription(
      expression.description,
      expression.type(in: entity) ?? .text,
      isOptional: true,
      form: expression.form(in: entity)
    )
    attribute.showsIntegers = expression.showsIntegers(in: entity)
    return attribute
  }

  /// The failure for a name that is no attribute; that of a relationship proposes a value of the related objects.
  package static func failure(
    for name: String,
    of entity: EntityDescription,
    known: [String],
    option: String
  ) -> CommandFailure {
    guard let relationship = entity.relationship(named: name) else {
      return .unknownAttribute(name, of: entity.name, known: known, option: option)
    }
    let value =
      relationship.isToOne
      ? relationship.destination.attributes.first?.name ?? "SELF" : "@count"
    return CommandFailure(
      .usage,
      "\(option): “\(name)” is a relationship of \(entity.name), and not a value.",
      remedy:
        "Name a value of the related \(relationship.isToOne ? "row" : "rows"), such as \(name).\(value)."
    )
  }
}

/// A list of names separated by commas.
package enum NameList {
  /// Returns the names.
  /// - Throws: `CommandFailure` for an empty list or an empty name.
  package static func names(in text: String, of option: String) throws(CommandFailure) -> [String] {
    guard !text.isEmpty else {
      throw CommandFailure(.usage, "\(option) is empty.", remedy: "Name at least one attribute.")
    }
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return try checked(names, in: text, of: option)
  }

  /// Returns names and functions; commas inside of parentheses separate nothing.
  /// - Throws: As `names(in:of:)`.
  package static func expressions(in text: String, of option: String) throws(CommandFailure)
    -> [String]
  {
    var (parts, depth, isEscaped) = ([""], 0, false)
    var quote: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if let mark = quote {
        if scalar == mark, !isEscaped { quote = nil }
        isEscaped = scalar == "\\" && !isEscaped
      } else if depth > 0, scalar == "'" || scalar == "\"" {
        quote = scalar
      } else if scalar == "(" || scalar == ")" {
        depth += scalar == "(" ? 1 : -1
      } else if scalar == ",", depth == 0 {
        parts.append("")
        continue
      }
      parts[parts.count - 1].unicodeScalars.append(scalar)
    }
    // Without a function, parentheses are a part of names.
    guard depth == 0, !text.isEmpty else { return try names(in: text, of: option) }
    return try checked(parts, in: text, of: option)
  }

  private static func checked(
    _ names: [String],
    in text: String,
    of option: String
  ) throws(CommandFailure) -> [String] {
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

extension FetchPredicate {
  /// A warning about a `LIKE` that looks like one of SQL, if there is one.
  package var patternWarning: String? {
    switch self {
    case .text(_, .like, let pattern, _):
      guard pattern.contains("%"), !pattern.contains("*"), !pattern.contains("?") else {
        return nil
      }
      return "LIKE '\(pattern)' has no wildcard, and % is an ordinary character in it."
        + " The wildcards are * for any characters and ? for one."
    case .not(let inner), .quantified(_, _, let inner): return inner.patternWarning
    case .and(let parts), .or(let parts): return parts.lazy.compactMap(\.patternWarning).first
    case .all, .none, .comparison, .relative, .between, .membership, .identity, .text, .isNull:
      return nil
    }
  }
}
