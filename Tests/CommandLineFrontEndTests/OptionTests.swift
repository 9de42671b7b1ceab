import Foundation
import ProgramFrontEnd
import ResultsDomain
import ResultsPresentation
import Testing

@testable import CommandLineFrontEnd

@Suite struct TimeSpanTests {
  @Test(arguments: [
    ("500ms", 500), ("2s", 2000), ("1.5s", 1500), ("1m", 60_000), ("2h", 7_200_000), ("3", 3000),
    ("0", 0), ("0.25", 250),
  ])
  func `a time span is parsed`(_ text: String, _ milliseconds: Int) throws {
    #expect(try #require(TimeSpan(argument: text)).duration == .milliseconds(milliseconds))
  }

  @Test(arguments: [
    "", "s", "ms", "-1s", "+1s", "1 s", "1x", "1e99h", "nan", "infs", "0x10s", "１s", ".5s", "1ss",
  ])
  func `any other text is not a time span`(_ text: String) {
    #expect(TimeSpan(argument: text) == nil)
  }
}

@Suite struct UnknownNameTests {
  @Test(arguments: [
    ("naem", "name"), ("Age", "age"), ("isActiv", "isActive"), ("emial", "email"),
    ("colour", nil), ("", nil), ("岩波", nil),
  ])
  func `an unknown name is refused with the nearest known one`(_ name: String, _ nearest: String?) {
    let known = Member.entity.attributes.map(\.name)
    let failure = CommandFailure.unknownAttribute(
      name,
      of: "Member",
      known: known,
      option: "--sort"
    )
    #expect(failure.status == .usage)
    #expect(failure.message.hasPrefix("--sort: “\(name)” is not an attribute of Member."))
    if let nearest {
      #expect(failure.message.hasSuffix(" Did you mean “\(nearest)”?"))
    } else {
      #expect(failure.message.hasSuffix("Member."))
    }
    #expect(failure.remedy == "The names are \(known.joined(separator: ", ")).")
  }
}

/// Errors of the argument parser are printed in the programs' form.
@Suite struct ParserFailureTests {
  @Test(
    arguments: [
      (
        "Unknown option '--lmit'. Did you mean '--limit'?",
        "Unknown option '--lmit'. Did you mean '--limit'?"
      ),
      ("Missing expected argument '<id>'", "Missing expected argument '<id>'."),
      (
        "The value 'x' is invalid. Please provide one of the following:\n  - csv\n  - tsv",
        "The value 'x' is invalid. Please provide one of the following: csv, tsv."
      ),
    ]
  )
  func `a message is one sentence with its period`(_ message: String, _ sentence: String) {
    let text =
      "Error: \(message)\nUsage: roster list\n  See 'roster list --help' for more information."
    let failure = ProgramRunner.parserFailure(message, text)
    #expect(failure.status == .usage)
    #expect(failure.message == sentence)
    #expect(failure.remedy == "See 'roster list --help'.")
  }
}

extension ParserFailureTests {
  @Test func `an invalid value is explained by the option's help`() {
    let message = "The value 'x' is invalid for '--seed <seed>'"
    let help = "Help:  --seed <seed>  The seed of the random operations."
    let text = "Error: \(message)\n\(help)\nUsage: roster\n  See 'roster --help' for more."
    let failure = ProgramRunner.parserFailure(message, text)
    #expect(failure.message == "\(message).")
    #expect(failure.remedy == "The seed of the random operations. See 'roster --help'.")
  }
}

/// The topics of `help` are true of the program that prints them.
@Suite struct HelpTopicTests {
  @Test func `every condition in the help is understood`() throws {
    for group in HelpTopic.conditionExamples(of: Roster.self) {
      for line in group.lines {
        #expect(throws: Never.self, "\(line.condition)") {
          try FetchPredicate(parsing: line.condition, entity: Member.entity)
        }
      }
    }
    #expect(HelpTopic.where.text(of: Roster.self).contains("name LIKE 'The *'"))
  }

  @Test(arguments: HelpTopic.allCases)
  func `a topic fits into eighty columns`(_ topic: HelpTopic) {
    for line in topic.text(of: Roster.self).split(separator: "\n") {
      #expect(line.count <= 80, "\(line)")
    }
  }

  @Test func `the attributes are listed with their types`() {
    let text = HelpTopic.attributes.text(of: Roster.self)
    for line in [
      "  id        the key: a whole number that the store assigns", "  name      text; required",
      "  age       whole number from -32768 to 32767",
      "  fee       amount with at most 2 decimal places, such as -12.50",
      "  isActive  true or false", "  initial   text; computed, for --columns",
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
  }

  @Test func `every exit status is listed`() {
    let text = HelpTopic.exit.text(of: Roster.self)
    let numbers: [Status] = [
      .success, .nothingMatched, .usage, .badData, .missingInput, .software, .cannotCreate,
      .inputOutput, .temporary, .configuration, .brokenPipe,
    ]
    for status in numbers { #expect(text.contains("\n  \(status.rawValue) "), "\(status)") }
  }
}

/// The machine formats are the same in every locale and time zone of the environment.
@Suite struct LocaleOptionsTests {
  @Test(arguments: OutputFormat.allCases)
  func `only formats for people follow the environment`(_ format: OutputFormat) throws {
    var options = LocaleOptions()
    (options.locale, options.calendar, options.timeZone) = (nil, nil, nil)
    let isForPeople = format == .table || format == .plain
    #expect(try options.settings(for: format) == (isForPeople ? options.settings() : .machine))
    options.locale = "de_DE"
    options.timeZone = "Asia/Tokyo"
    let settings = try options.settings(for: format)
    #expect(settings.locale?.identifier == "de_DE")
    #expect(settings.timeZone.identifier == "Asia/Tokyo")
  }
}

@Suite struct ExportFormatTests {
  @Test func `a file's name gives its format`() throws {
    #expect(try ExportFormatOption(ofFile: "a.csv") == .csv)
    #expect(try ExportFormatOption(ofFile: "a/b.TSV") == .tsv)
    #expect(try ExportFormatOption(ofFile: "a.b.ndjson") == .jsonl)
    for name in ["-", "a", "a.d/b", "", "csv", "csv.", ".", "...", ".hidden", "/dev/stdout"] {
      #expect(try ExportFormatOption(ofFile: name) == .jsonl)
    }
  }

  @Test(arguments: ["a.xlsx", "a.txt", "a.json", ".a.csv.gz"])
  func `a file with an unknown suffix is refused`(_ name: String)
    throws
  {
    let failure = try #require(throws: CommandFailure.self) { try ExportFormatOption(ofFile: name) }
    #expect(failure.status == .usage && failure.remedy.contains(".csv"))
  }
}

@Suite struct ListColumnTests {
  private let row = Row(
    entity: Member.entity,
    id: ObjectID(entity: "Member", key: .integer(3)),
    values: [.text("ann"), .integer(41), .integer(1250), .integer(0), .integer(1), .null]
  )

  @Test func `machine values keep their types, and dates and amounts are texts`() {
    let columns = Member.entity.attributes.enumerated().map { ListColumn.attribute($0, $1) }
    #expect(
      columns.map { $0.value(row) } == [
        .text("ann"), .integer(41), .text("12.50"), .text("1970-01-01T00:00:00Z"), .text("true"),
        .null,
      ]
    )
    #expect(ListColumn.key("id").value(row) == .integer(3))
    #expect(ListColumn.booleans(columns, in: row) == [4])
    // Another number in a column of booleans is that number.
    let flag = ListColumn.attribute(1, AttributeDescription("flag", .boolean, holdsAnyValue: true))
    #expect(flag.value(row) == .integer(41))
  }

  @Test func `a computed column is computed, and the key's column is named id`() {
    let columns = [ListColumn.key("id")] + Roster.transients.map { ListColumn.transient($0) }
    #expect(columns.map(\.title) == ["id", "initial"])
    #expect(columns.map(\.nameBesideKey) == [nil, "initial"])
    #expect(columns[1].text(row, ValueFormatter(for: nil)) == "a")
  }

  @Test func `a key that the store assigns is not exported`() {
    #expect(Roster.exportColumns.map(\.title) == Member.entity.attributes.map(\.name))
  }
}

/// R88: only a program's default list is cached.
@Suite struct CacheNameTests {
  private static let changes: [@Sendable (inout ListOptions) -> Void] = [
    { $0.predicate = "age > 3" }, { $0.sort = "-age" }, { $0.sectionBy = "age" },
    { ($0.sectionBy, $0.groupBy) = ("age", "initial") }, { $0.sectionBy = "none" },
    { $0.limit = 3 }, { $0.offset = 3 },
  ]

  @Test(arguments: changes.indices)
  func `a list that an option changes has no cache name`(index: Int) throws {
    var options = CacheNameTests.none
    CacheNameTests.changes[index](&options)
    let definition = try options.definition(of: Roster.self, for: .machine)
    #expect(definition.cacheName == nil)
  }

  @Test func `a program's default list has a cache name, unless it is frozen`() throws {
    let options = CacheNameTests.none
    #expect(try options.definition(of: Roster.self, for: .machine).cacheName == "roster")
    let frozen = try options.definition(of: Roster.self, for: .machine, isFrozen: true)
    #expect(frozen.cacheName == nil)
  }

  /// No options; each is set, as the parser does.
  private static var none: ListOptions {
    var options = ListOptions()
    (options.predicate, options.sort, options.sectionBy) = (nil, nil, nil)
    (options.reversed, options.limit, options.offset) = (false, nil, nil)
    (options.sections, options.otherSections) = (nil, nil)
    (options.sectionLimit, options.collapse, options.groupBy) = (nil, nil, nil)
    return options
  }
}
