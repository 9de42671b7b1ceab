package import ArgumentParser
package import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// The version of the programs of this package.
package enum ProgramVersion {
  /// The version that `--version` prints.
  package static let current = "0.1.0"
}

/// The verbs that all programs have, and the help of their root command.
package enum ProgramVerbs {
  /// Returns the shared verbs of a program, in the order of its help.
  package static func all<Program: ListProgram>(
    of program: Program.Type
  ) -> [any ParsableCommand.Type] {
    [
      BrowseVerb<Program>.self, ListVerb<Program>.self, ShowVerb<Program>.self,
      WatchVerb<Program>.self, ServeVerb<Program>.self,
      AddVerb<Program>.self, EditVerb<Program>.self, RemoveVerb<Program>.self,
      UndoVerb<Program>.self, ImportVerb<Program>.self, ExportVerb<Program>.self,
      SavedVerb<Program>.self, ColumnVerb<Program>.self,
      DoctorVerb<Program>.self,
      CacheVerb<Program>.self, StoryVerb<Program>.self, HelpTopicVerb<Program>.self,
      CompletionVerb<Program>.self,
    ]
  }

  /// The hidden verb that prints the topics of `help`, for a program with verbs of its own.
  package static func topics<Program: ListProgram>(
    of program: Program.Type
  ) -> any ParsableCommand.Type {
    HelpTopicVerb<Program>.self
  }

  /// Returns the part of a root command's help that names the topics and the exit statuses.
  package static func topicsHelp<Program: ListProgram>(of program: Program.Type) -> String {
    let all =
      HelpTopic.allCases.map { (name: $0.rawValue, summary: $0.summary) }
      + HelpDocument.allCases.map { (name: $0.usage, summary: $0.summary) }
    let width = all.map(\.name.utf8.count).max() ?? 0
    let topics = all.map { topic in
      let padding = String(repeating: " ", count: width - topic.name.utf8.count)
      return "  \(Program.name) help \(topic.name)\(padding)  \(topic.summary)"
    }
    return """
      Help on a topic:
      \(topics.joined(separator: "\n"))

      \(HelpTopic.exitStatus)
      """
  }

  /// Returns the configuration of a program's root command.
  package static func configuration<Program: ListProgram>(
    of program: Program.Type,
    verbs: [any ParsableCommand.Type]
  ) -> CommandConfiguration {
    CommandConfiguration(
      commandName: Program.name,
      abstract: Program.abstract,
      discussion: """
        Examples:
          \(Program.name) add \(Program.examples.assignments)
          \(Program.name) import \(Program.examples.file)
          \(Program.name) list --where "\(Program.examples.condition)"
          \(Program.name) watch
          \(Program.name) browse

        \(topicsHelp(of: program))
        """,
      version: "\(Program.name) \(ProgramVersion.current)",
      subcommands: verbs
    )
  }
}

extension ListProgram {
  /// Composes a verb's help below its abstract: a text, the names that its list options take, and examples.
  /// - Parameters:
  ///   - text: What the abstract does not say.
  ///   - takesList: Whether the verb takes `--where`, `--sort` and `--section-by`, so that the names are listed.
  ///   - examples: Arguments of the program, beginning with the verb.
  /// - Returns: The help text.
  package static func discussion(
    _ text: String = "",
    takesList: Bool = false,
    examples: String...
  ) -> String {
    discussion(text, takesList: takesList, examples: examples)
  }

  private static func discussion(
    _ text: String = "",
    takesList: Bool,
    examples: [String]
  ) -> String {
    var parts = text.isEmpty ? [] : [text]
    if takesList {
      let sections = ["an attribute"] + sectionKeyNames
      let computed = (namedValues.map(\.name) + transients.map(\.name)).joined(separator: ", ")
      parts.append(
        "Attributes: id, \(attributeNames)" + (computed.isEmpty ? "" : ", and computed \(computed)")
          + ". In --where, the id is SELF. --section-by takes \(sections.joined(separator: ", ")) or none."
      )
    }
    let lines = examples.map { "  \(command) \($0)" }.joined(separator: "\n")
    return (parts + ["Examples:\n\(lines)"]).joined(separator: "\n\n")
  }

  /// Returns the help of `list` below its abstract.
  package static func listDiscussion(examples: String...) -> String {
    discussion(
      takesList: true,
      examples: [
        "list", "list --where \"\(self.examples.condition)\"",
        "list --section-by none --sort \(self.examples.sort) --limit 20 --format csv",
      ] + (timeAttribute == nil ? [] : ["list --since last-week --until yesterday"]) + examples
    )
  }

  /// Returns the help of `watch` below its abstract.
  package static func watchDiscussion(examples: String...) -> String {
    discussion(
      """
      Changes made by any process appear. With --format jsonl each line is a snapshot or a delta that another program \
      can follow. Ctrl-C ends it.
      """,
      takesList: true,
      examples: ["watch", "watch --format jsonl --deltas 1"]
        + (timeAttribute == nil ? [] : ["watch --since 2h-ago"]) + examples
    )
  }

  /// Returns the help of `import` below its abstract.
  package static func importDiscussion(examples: String...) -> String {
    discussion(
      """
      CSV and TSV columns are matched by the header line, JSON lines by their keys\
      \(importsFeeds ? ", RSS and Atom by their elements" : "")\(importsMARC ? ", MARC 21 by its fields" : ""). The import is one transaction; records that are already in the store are skipped, by count: of three equal records in a \
      file, one is added to a store that holds two. A date without a time is that date in every time zone.

      Columns are named as the attributes, in any case: \(attributeNames). Other columns are reported. --map says which column \
      is which attribute, --set gives one the same value everywhere, and --save NAME remembers all of it for --with NAME. Semicolons \
      separate columns where the header has no commas.\(importDefaultsHelp)
      """,
      takesList: false,
      examples: ["import \(self.examples.file)", "import - --format csv --dry-run"] + examples
    )
  }

  /// Says which columns a file may leave out.
  private static var importDefaultsHelp: String {
    importDefaults.map {
      " Without a column for \($0.field), each record gets that of the newest with the same \($0.like), or “\($0.otherwise)”."
    }.joined()
  }

  /// Returns the help of `export` below its abstract.
  static func exportDiscussion() -> String {
    discussion(
      """
      The file has all attributes. Dates are ISO 8601, numbers have decimal points; nothing depends on the locale or the \
      time zone.
      """,
      takesList: true,
      examples: [
        "export \(nouns.many).csv", "export - --where \"\(examples.condition)\"",
      ]
    )
  }

  /// An object with its article, such as `a book` or `an event`.
  static var oneObject: String {
    let isVowel = nouns.one.first.map("aeiou".contains) ?? false
    return "\(isVowel ? "an" : "a") \(nouns.one)"
  }

  /// A clause that says how to find the id of an object.
  static var idHelp: String {
    columns.contains("id")
      ? "as '\(command) list' shows it"
      : "as '\(command) list --columns id,\(columns.first ?? "")' shows it"
  }

  /// The names of the attributes, separated by commas.
  static var attributeNames: String {
    fields.form.attributes.map(\.name).joined(separator: ", ")
  }
}

// MARK: - Topics

/// A topic of `help` that is not a verb.
enum HelpTopic: String, CaseIterable, ExpressibleByArgument {
  case attributes
  case `where`
  case formats
  case config
  case exit

  /// The name of the hidden verb that prints a topic.
  static let verbName = "help-topic"

  /// A line about the topic, for the root help.
  var summary: String {
    switch self {
    case .attributes: "the names, types and forms of values"
    case .where: "the conditions that --where takes"
    case .formats: "the output formats"
    case .config: "the configuration file"
    case .exit: "the exit status"
    }
  }

  /// Returns the topic's text for a program.
  func text<Program: ListProgram>(of program: Program.Type) -> String {
    switch self {
    case .attributes: HelpTopic.attributes(of: program)
    case .where: HelpTopic.conditions(of: program)
    case .formats: HelpTopic.outputFormats
    case .config: HelpTopic.configuration(of: program)
    case .exit: HelpTopic.exitStatus + "\n"
    }
  }

  /// The exit statuses, as in `ExitStatus`.
  static let exitStatus = """
    Exit status:
      0    success; an empty list is a success too
      1    nothing matched, or only a part was done
      64   the command line was not understood
      65   invalid data, in a file or in a value
      66   a file or a store that is missing or cannot be opened
      69   the server of the store cannot be reached
      70   an error in the program itself
      73   a file that cannot be created, or a store that is read-only
      74   reading or writing failed, or the disk is full
      75   the store is in use or has changed; try again
      78   the environment is not set up
      141  the other end of the output was closed
    A signal that ends the program gives 128 plus its number.
    """

  private static let outputFormats = """
    Formats of --format:
      table   aligned columns, for people; the default of list on a terminal
      plain   like table, but tab-separated; the default of watch
      tsv     tab-separated with a heading line; the default of list elsewhere
      csv     comma-separated with a heading line (RFC 4180)
      jsonl   one JSON object per row; for watch, one message per change
      json    one JSON object for the whole list, with its sections
    watch takes table, plain and jsonl; json is the same as jsonl there.

    tsv, csv, jsonl and json are for programs. They ignore the locale and the time
    zone of the environment: dates are ISO 8601 in UTC, without a time for a whole
    day, and numbers have a decimal point. --locale, --calendar and --time-zone
    still choose titles and days.
    In tsv, \\t is a tab, \\n a newline, \\r a carriage return and \\\\ a backslash.

    """
}

extension HelpTopic {
  private static func configuration<Program: ListProgram>(of program: Program.Type) -> String {
    guard !Program.isReadOnly else { return "\(Program.name) has no configuration file.\n" }
    let width = Setting.allCases.map(\.rawValue.utf8.count).max() ?? 0
    let rows = Setting.allCases.map { setting in
      let padding = String(repeating: " ", count: width - setting.rawValue.utf8.count)
      return "  \(setting.rawValue)\(padding)  \(setting.summary)"
    }
    return """
      The configuration file is $XDG_CONFIG_HOME/\(Program.name)/config, or
      ~/.config/\(Program.name)/config. A line is NAME = VALUE; one that begins
      with # is a comment. The names are those of options:
      \(rows.joined(separator: "\n"))

      The command line takes precedence over the environment, and the environment
      over the file. LC_ALL, LC_TIME, TZ, NO_COLOR, CLICOLOR and CLICOLOR_FORCE
      count; LANG, which systems set for everyone, does not.
      Output that programs read depends only on store and busy-timeout: the other
      settings count in browse, and on a terminal. --no-config ignores the file.

      """
  }

  private static func attributes<Program: ListProgram>(of program: Program.Type) -> String {
    let entity = Program.entity
    var lines = [("id", entity.keyHelp)]
    let fields = Program.fields
    lines += fields.form.attributes.map { attribute in
      let named = fields.relationship(named: attribute.name)
      let help = named.map { nameHelp(of: $0, entity) } ?? attribute.type.help
      return (attribute.name, help + (attribute.isOptional ? "" : "; required"))
    }
    lines += Program.transients.map { ($0.name, "\($0.type.help); computed, for --columns") }
    let width = lines.map(\.0.utf8.count).max() ?? 0
    let rows = lines.map { name, text in
      "  \(name)\(String(repeating: " ", count: max(width - name.utf8.count, 0)))  \(text)"
    }
    let sections = Program.sectionKeyNames.map { ", \($0)" }.joined()
    guard !Program.isReadOnly else {
      return """
        The attributes of a table are its columns; '\(Program.name) tables FILE TABLE' lists them.
        --columns, --sort and --section-by take their names, and conditions use them.

        """
    }
    let hasDates = entity.attributes.contains { $0.type == .date }
    let timeWords = hasDates ? "\nA date can be now, 2h-ago, today, yesterday or monday, too." : ""
    return """
      Attributes of \(Program.oneObject):
      \(rows.joined(separator: "\n"))

      Give values as ATTRIBUTE=VALUE, in quotes if they contain spaces:
        \(Program.name) add \(Program.examples.assignments)
      ATTRIBUTE=NULL clears a value. Dates and numbers in the form of --locale, or of
      the environment's locale, are understood too.\(timeWords)
      --section-by takes an attribute\(sections), or none.

      """
  }

  private static func nameHelp(
    of relationship: NamedRelationship,
    _ entity: EntityDescription
  ) -> String {
    let other = entity.relationship(named: relationship.relationship)?.destination.name ?? ""
    return relationship.isToMany
      ? "\(relationship.attribute)s of \(other)s, with ; between them"
      : "\(relationship.attribute) of an \(other)"
  }

  /// Returns the example conditions of `help where`, with attributes of the program; kinds of values that it has not are
  /// left out.
  static func conditionExamples<Program: ListProgram>(
    of program: Program.Type
  ) -> [(kind: String, lines: [(condition: String, meaning: String)])] {
    let names = ConditionNames(of: program)
    let id = Program.examples.id
    let ids = Int64(id) == nil ? ("'\(id)'", "{'\(id)', 'other'}") : ("7", "{1, 2}")
    let kinds: [(kind: String, lines: [(condition: String, meaning: String)])] = [
      ("Comparisons: == != < <= > >=", comparisons(names, Program.examples.numbers)),
      ("Texts", names.text.map(texts) ?? []),
      ("Dates", names.date.map(dates) ?? []),
      ("Combinations: AND, OR, NOT, ( )", [("NOT (\(Program.examples.condition))", "")]),
      ("Ids", [("SELF == \(ids.0)", ""), ("SELF IN \(ids.1)", "")]),
    ]
    return (kinds + relatedExamples(of: program)).filter { !$0.lines.isEmpty }
  }

  /// The attributes that the examples of conditions use.
  private struct ConditionNames {
    let text, number, boolean, date, optional: String?

    init<Program: ListProgram>(of program: Program.Type) {
      let listed = Program.columns.compactMap { Program.entity.attribute(named: $0) }
      let meant = Program.entity.attributes.filter {
        Program.examples.condition.contains($0.name)
      }
      func name(_ isRight: (AttributeDescription) -> Bool) -> String? {
        (meant + listed + Program.entity.attributes).first(where: isRight)?.name
      }
      text = name { $0.type == .text }
      number = name { $0.type.isNumber }
      boolean = name { $0.type == .boolean }
      date = name { $0.type == .date }
      optional = name { $0.isOptional }
    }
  }

  private static func comparisons(
    _ names: ConditionNames,
    _ numbers: [String]
  ) -> [(condition: String, meaning: String)] {
    var lines: [(condition: String, meaning: String)] = []
    if let number = names.number, let low = numbers.first, let high = numbers.last {
      lines = [
        ("\(number) >= \(low)", ""),
        ("\(number) BETWEEN \(low) AND \(high)", "both bounds are included"),
        ("\(number) IN (\(low), \(high))", "one of these values"),
      ]
    } else if let text = names.text {
      lines = [("\(text) == 'A note'", ""), ("\(text) IN ('a', 'b')", "one of these values")]
    } else if let date = names.date {
      lines = [("\(date) < '2026-11-03'", "")]
    }
    if let boolean = names.boolean { lines.append(("\(boolean) == FALSE", "")) }
    if let optional = names.optional {
      lines.append(("\(optional) == NULL", "no value; != NULL for any value"))
    }
    return lines
  }

  private static func texts(_ text: String) -> [(condition: String, meaning: String)] {
    [
      ("\(text) BEGINSWITH 'The'", ""), ("\(text) CONTAINS 'sea'", ""),
      ("\(text) ENDSWITH 'end'", ""),
      ("\(text) CONTAINS[c] 'SEA'", "[c] ignores upper and lower case"),
      ("\(text) LIKE 'The *'", "the whole text: * is any characters,"),
      ("\(text) LIKE 'T??'", "? is exactly one"),
      ("\(text) CONTAINS[cd] 'cafe'", "[d] ignores accents"),
      ("\(text) MATCHES '[A-Z].*'", "the whole text: a regular expression"),
    ]
  }

  private static func dates(_ date: String) -> [(condition: String, meaning: String)] {
    [
      ("\(date) == '2026-11-03'", "that whole day, in UTC"),
      ("\(date) >= '2026-11-03'", "from the start of that day"),
      ("\(date) <= '2026-11-03'", "to the end of that day"),
      ("\(date) < '2026-11-04T00:00:00+09:00'", "before that moment"),
    ]
  }

  /// Returns the example conditions on related objects, for an entity with relationships.
  private static func relatedExamples<Program: ListProgram>(
    of program: Program.Type
  ) -> [(kind: String, lines: [(condition: String, meaning: String)])] {
    func text(_ relationship: RelationshipDescription) -> String? {
      relationship.destination.attributes.first { $0.type == .text }
        .map { FetchExpression.attribute($0.name).description }
    }
    var lines: [(condition: String, meaning: String)] = []
    if let one = Program.entity.relationships.first(where: { $0.isToOne }) {
      let name = FetchExpression.attribute(one.name).description
      if let text = text(one) { lines.append(("\(name).\(text) BEGINSWITH 'A'", "")) }
      lines.append(("\(name) == NULL", "no related object"))
    }
    if let many = Program.entity.relationships.last(where: { !$0.isToOne }) {
      let name = FetchExpression.attribute(many.name).description
      lines.append(("\(name).@count > 3", "also @min, @max and @sum"))
      if let text = text(many) {
        lines.append(("ANY \(name).\(text) == 'sf'", "at least one; also ALL and NONE"))
        lines.append(
          ("SUBQUERY(\(name), $x, $x.\(text) == 'sf' OR $x == 7).@count > 0", "")
        )
      }
    }
    return lines.isEmpty ? [] : [("Related objects", lines)]
  }

  private static func conditions<Program: ListProgram>(of program: Program.Type) -> String {
    let groups = conditionExamples(of: program).map { kind, lines in
      ([kind]
        + lines.map { condition, meaning in
          let padding = String(repeating: " ", count: max(40 - condition.utf8.count, 0))
          return meaning.isEmpty ? "  \(condition)" : "  \(condition)\(padding)  \(meaning)"
        }).joined(separator: "\n")
    }
    return """
      A condition selects rows by their attributes:
        \(Program.name) list\(Program.examples.operands) --where "\(Program.examples.condition)"

      \(groups.joined(separator: "\n\n"))

      Constants   'text' or "text"  12  3.5  TRUE  FALSE  NULL  '2026-11-03'
      Functions   lowercase(x)  uppercase(x)  length(x)  prefix(x, n)
                  bucket(x, n)  ifnull(x, y)  baseletters(x)  natural(x)  filing(x)
      Time        now()  now(-90m)  today()  today(7d)  beside a date
      In LIKE, % and _ are ordinary; write \\\\* and \\\\? for * and ? themselves.
      Keywords may be in any case. Put a name that is a keyword between backticks.
      '\(Program.name) help attributes' lists the names.

      """
  }
}

extension EntityDescription {
  /// The key, for the help.
  fileprivate var keyHelp: String {
    switch identity {
    case .text: "the key: text that you choose"
    case .compound: "the key: \(identity.columns.joined(separator: ","))"
    case .integer: "the key: a whole number that the store assigns"
    }
  }
}

extension AttributeType {
  /// Whether values are numbers.
  var isNumber: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .real: true
    case .boolean, .date, .text, .blob: false
    }
  }

  /// The type and the form of its values, for the help.
  fileprivate var help: String {
    switch self {
    case .integer16: "whole number from -32768 to 32767"
    case .integer32, .integer64: "whole number"
    case .decimal(1): "number with at most 1 decimal place, such as 2.5"
    case .decimal(let scale): "amount with at most \(scale) decimal places, such as -12.50"
    case .real: "number, such as 3.5"
    case .boolean: "true or false"
    case .date: "date, such as 2026-11-03 or 2026-11-03T09:00Z"
    case .text: "text"
    case .blob: "bytes as Base64"
    }
  }
}

/// `help TOPIC`: prints a topic that is not a verb.
///
/// The parser owns the word `help`, so that `ProgramRunner` passes the topics on to this hidden verb.
struct HelpTopicVerb<Program: ListProgram>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: HelpTopic.verbName,
      abstract: "Print help on a topic.",
      shouldDisplay: false
    )
  }

  @Argument(help: "The topic.")
  var topic: HelpTopic

  func run() throws { try TerminalOutput.standard.write(topic.text(of: Program.self)) }
}
