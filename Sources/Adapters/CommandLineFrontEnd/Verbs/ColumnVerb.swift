package import ArgumentParser
package import ProgramFrontEnd
package import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// `column`: shows, adds, renames and removes the columns that users add to a program's objects.
package struct ColumnVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "column",
      abstract: "Show, add, rename or remove columns of your own.",
      discussion: Program.discussion(
        """
        A column of your own is a column like the others: lists show it, sort and divide by it, forms and files have \
        it, and every program that opens the store finds it there. In the database it is a column of the table, \
        which the sqlite3 shell reads and writes too. The types are text, integer, number (with two decimal places), \
        date and flag (true or false).
        """,
        examples: "column",
        "column add Remark text",
        "column rename Remark Note",
        "column remove Note"
      ),
      subcommands: [
        ColumnListVerb<Program>.self, ColumnAddVerb<Program>.self, ColumnRenameVerb<Program>.self,
        ColumnRemoveVerb<Program>.self,
      ],
      defaultSubcommand: ColumnListVerb<Program>.self
    )
  }

  /// Creates the verb.
  package init() {}
}

/// `column list`: shows the user's columns.
struct ColumnListVerb<Program: ListProgram>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list",
      abstract: "List your columns: name, type, and how many \(Program.nouns.many) have a value.",
      discussion: Program.discussion(examples: "column list")
    )
  }

  @OptionGroup var store: ReadingStoreOptions

  func run() async throws {
    let opened = try Program.openStore(try store.locationToRead(of: Program.self))
    let custom = Program.customAttributes
    let counts = try custom.map { try ColumnValues.count($0, of: Program.self, in: opened) }
    try opened.close()
    let output = TerminalOutput.standard
    var table = TableWriter(
      columns: [
        TableColumn("name"), TableColumn("type"), TableColumn("values", alignment: .trailing),
      ],
      options: TableWriter.Options(
        format: output.isTerminal ? .table : .tsv,
        lineWidth: output.lineWidth,
        isTerminal: output.isTerminal
      )
    )
    for (attribute, count) in zip(custom, counts) {
      try output.write(
        table.row([attribute.name, ColumnType(attribute.type)?.rawValue ?? "", String(count)])
      )
    }
    try output.write(table.end())
  }
}

/// `column add NAME TYPE`: adds a column.
struct ColumnAddVerb<Program: ListProgram>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "add",
      abstract: "Add a column, which is empty in all \(Program.nouns.many).",
      discussion: Program.discussion(examples: "column add Remark text")
    )
  }

  @Argument(help: "The name: letters, digits, spaces and underscores.")
  var name: String
  @Argument(help: "The type; a number has two decimal places, a flag is true or false.")
  var type: ColumnType

  @OptionGroup var store: StoreOptions

  func run() async throws {
    if let refusal = Program.refusal(ofColumnNamed: name) { throw refusal }
    let attribute = AttributeDescription(name, type.attributeType, isOptional: true)
    let location = try store.location(of: Program.name)
    try Program.openStore(location, changing: [.add(attribute)]).close()
    try TerminalOutput.standard.write(
      SafeText.oneLine("added the column “\(name)” (\(type.rawValue))") + "\n"
    )
  }
}

/// `column rename OLD NEW`: gives a column another name.
struct ColumnRenameVerb<Program: ListProgram>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "rename",
      abstract: "Give a column of yours another name; its values stay.",
      discussion: Program.discussion(examples: "column rename Remark Note")
    )
  }

  @Argument(help: "The present name.")
  var name: String
  @Argument(help: "The new name.")
  var newName: String

  @OptionGroup var store: StoreOptions

  func run() async throws {
    let location = try store.existingLocation(of: Program.self)
    let attribute = try ColumnValues.attribute(named: name, of: Program.self)
    if let refusal = Program.refusal(ofColumnNamed: newName) { throw refusal }
    let change = CustomColumnChange.rename(attribute.name, to: newName)
    try Program.openStore(location, changing: [change]).close()
    try TerminalOutput.standard.write(
      SafeText.oneLine("renamed the column “\(name)” to “\(newName)”") + "\n"
    )
  }
}

/// `column remove NAME`: removes a column and its values.
struct ColumnRemoveVerb<Program: ListProgram>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a column of yours with its values.",
      discussion: Program.discussion(
        "'undo' does not bring the values back, so a column that has some is removed with --force only.",
        examples: "column remove Note"
      )
    )
  }

  @Argument(help: "The name.")
  var name: String
  @Flag(help: "Remove the column although it has values.")
  var force = false

  @OptionGroup var store: StoreOptions

  func run() async throws {
    let location = try store.existingLocation(of: Program.self)
    let attribute = try ColumnValues.attribute(named: name, of: Program.self)
    let opened = try Program.openStore(location)
    let count = try ColumnValues.count(attribute, of: Program.self, in: opened)
    try opened.close()
    let values = count == 1 ? "1 value" : "\(count) values"
    guard count == 0 || force else {
      throw CommandFailure(
        .nothingMatched,
        "The column “\(name)” has \(values), and 'undo' does not bring them back.",
        remedy: "Nothing was removed; --force removes them too."
      )
    }
    try Program.openStore(location, changing: [.remove(attribute.name)]).close()
    let words = count == 0 ? "" : " with \(values)"
    try TerminalOutput.standard.write(
      SafeText.oneLine("removed the column “\(name)”\(words)") + "\n"
    )
  }
}

/// What the verbs of columns ask of a store.
private enum ColumnValues {
  /// Returns the user's column of a name.
  /// - Throws: `CommandFailure` if there is none.
  static func attribute<Program: ListProgram>(
    named name: String,
    of program: Program.Type
  ) throws(CommandFailure) -> AttributeDescription {
    let custom = Program.customAttributes
    if let attribute = custom.first(where: { $0.name.hasSameBytes(as: name) }) { return attribute }
    let isDeclared = Program.entity.index(of: name) != nil
    let names = custom.map(\.name)
    throw CommandFailure(
      .nothingMatched,
      isDeclared
        ? "“\(name)” is a column of \(Program.name) itself."
        : "There is no column “\(name)” of yours.",
      remedy: names.isEmpty
        ? "The store has none." : "Yours are \(names.joined(separator: ", "))."
    )
  }

  /// Counts the objects that have a value in a column.
  static func count<Program: ListProgram>(
    _ attribute: AttributeDescription,
    of program: Program.Type,
    in store: any Store
  ) throws -> Int {
    try store.read { (snapshot) throws(StoreError) in
      try snapshot.count(
        of: Program.entity,
        where: .not(.comparison(.attribute(attribute.name), .equal, .literal(.null)))
      )
    }
  }
}

/// The type of a user's column, as users write it.
package enum ColumnType: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Text.
  case text
  /// Whole numbers.
  case integer
  /// Numbers with two decimal places.
  case number
  /// Dates, with or without a time.
  case date
  /// True or false.
  case flag

  /// The type of the attribute.
  package var attributeType: AttributeType {
    switch self {
    case .text: .text
    case .integer: .integer64
    case .number: .decimal(scale: 2)
    case .date: .date
    case .flag: .boolean
    }
  }

  /// The type of a column that was added as one; `nil` for another.
  package init?(_ type: AttributeType) {
    guard let found = Self.allCases.first(where: { $0.attributeType == type }) else { return nil }
    self = found
  }
}
