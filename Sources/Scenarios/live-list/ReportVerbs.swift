import ArgumentParser
import CommandLineFrontEnd
import Foundation
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// `tables FILE`: prints the tables of a file, or the columns of one.
struct TablesVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tables",
    abstract: "Show the tables of a file, or the columns of one.",
    discussion: TableProgram.examples("tables music.sqlite", "tables music.sqlite Track")
  )

  @Argument(help: "The database's file or URL.", completion: .file())
  var file: String
  @Argument(help: "The table or view.")
  var table: String?

  @OptionGroup var open: FileOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let database = try open.database(file, describing: table.map { [$0] })
    let report = TableReport(database, output: output)
    guard let table else { return try report.printTables() }
    let description = try database.existingTable(named: table)
    for text in description.notes { try open.note(text) }
    try report.printColumns(of: description)
  }
}

/// `doctor FILE TABLE`: reports how a table is read and followed.
struct TableDoctorVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Report how a table is read and how its changes are followed.",
    discussion: TableProgram.examples("Nothing is changed.", "doctor music.sqlite Track")
  )

  @Argument(help: "The database's file or URL.", completion: .file())
  var file: String
  @Argument(help: "The table or view.")
  var table: String

  @OptionGroup var others: OtherTables
  @OptionGroup var open: FileOptions
  @OptionGroup var locale: LocaleOptions

  func run() async throws {
    let store = try open.open(table, with: others, in: file, following: true)
    let settings = try locale.settings()
    try DiscoveredTable.shared.follow(TableProgram.definition(for: settings))
    try await DoctorRun<TableProgram>(store: store, settings: settings).report()
  }
}

/// Prints what was discovered in a database.
struct TableReport {
  private let database: any DescribedDatabase
  private let output: OutputOptions

  init(_ database: any DescribedDatabase, output: OutputOptions) {
    self.database = database
    self.output = output
  }

  /// Prints the tables with their keys, references and numbers of rows.
  func printTables() throws {
    let tables: [any DescribedTable] = database.tables
    let counts = try database.numbersOfRows(timeLimit: .seconds(10))
    let rows = zip(tables, counts).map { table, count in
      [
        table.name, table.kindText, count?.text ?? "", table.keyText,
        table.referencesText(in: database),
      ]
    }
    try printTable(
      [
        TableColumn("table"), TableColumn("kind"), TableColumn("rows", alignment: .trailing),
        TableColumn("key"), TableColumn("refers to"),
      ],
      rows
    )
  }

  /// Prints the columns of a table.
  func printColumns(of table: any DescribedTable) throws {
    let entity = try table.listedEntity()
    let keys = entity.identity.columns
    let isHidden = !entity.keyAttributeIndexes.isEmpty || (try? table.entity.get()) == nil
    var rows: [[String]] =
      isHidden ? [] : zip(keys, entity.keyTypes).map { [$0, "\($1)", "key", ""] }
    rows += entity.attributes.map { attribute in
      var notes: [String] = []
      if keys.contains(attribute.name) { notes.append("key") }
      if table.generatedAttributes.contains(attribute.name) { notes.append("calculated") }
      if attribute.isOptional && !table.requiredAttributes.contains(attribute.name) {
        notes.append("may be null")
      }
      return [
        attribute.name, attribute.typeText, notes.joined(separator: ", "),
        table.reference(of: attribute.name, in: database),
      ]
    }
    rows += table.omittedColumns.map { ["(\($0.name))", "", "\($0.reason): not listed", ""] }
    rows += entity.relationships.map { relationship in
      let kind =
        switch relationship.kind {
        case .toOne: "to one"
        case .toMany: "to many"
        case .manyToMany(let link, _, _): "to many through \(link.entity.name)"
        }
      return [relationship.name, kind, "relationship", relationship.destination.name]
    }
    try printTable(
      [TableColumn("column"), TableColumn("type"), TableColumn("notes"), TableColumn("refers to")],
      rows
    )
  }

  private func printTable(_ columns: [TableColumn], _ rows: [[String]]) throws {
    let terminal = TerminalOutput.standard
    let format = TableFormat(rawValue: output.listFormat.rawValue)
    guard let format else {
      throw CommandFailure(
        .usage,
        "Tables have no \(output.listFormat.rawValue) form.",
        remedy: "Use --format table, plain, tsv or csv."
      )
    }
    let size = terminal.size(environment: ProcessInfo.processInfo.environment)
    var table = TableWriter(
      columns: columns,
      options: TableWriter.Options(
        format: format,
        lineWidth: terminal.isTerminal ? size?.columns : nil,
        isTerminal: terminal.isTerminal
      )
    )
    for row in rows { try terminal.write(table.row(row)) }
    try terminal.write(table.end())
  }
}

extension AttributeDescription {
  /// The type, with the form in which another application writes it.
  fileprivate var typeText: String { form.map { "\(type) as \($0)" } ?? "\(type)" }
}

extension RowCount {
  /// The number, with a sign before an estimate, or that the rows are damaged.
  fileprivate var text: String {
    count.map { (isEstimated ? "≈ " : "") + String($0) } ?? "damaged"
  }
}

extension DescribedTable {
  /// The key's columns, or the reason why the table cannot be listed.
  var keyText: String {
    switch entity {
    case .success(let entity): entity.identity.columns.joined(separator: ", ")
    case .failure(let refusal): "none: \(refusal)"
    }
  }

  /// The tables to which foreign keys refer, with their columns.
  func referencesText(in database: any DescribedDatabase) -> String {
    foreignKeys.map { "\($0.columns.joined(separator: "+")) → \($0.target(in: database))" }
      .joined(separator: ", ")
  }

  fileprivate func reference(of column: String, in database: any DescribedDatabase) -> String {
    foreignKeys.filter { $0.columns.contains(column) }
      .map { $0.target(in: database) + (isWithoutRelationship($0, in: database) ? Self.note : "") }
      .joined(separator: ", ")
  }

  /// What is said of a foreign key that makes no relationship, although there is the table.
  private static var note: String {
    " (no relationship: the column does not hold its key as stored)"
  }

  /// Whether a foreign key to a table that is listed makes no relationship: its column has no type, for example, and the key has one, so
  /// that the database converts values where it compares them.
  private func isWithoutRelationship(
    _ key: ForeignKeyDescription,
    in database: any DescribedDatabase
  ) -> Bool {
    guard let entity = try? entity.get(),
      let target = try? database.table(named: key.table)?.entity.get()
    else { return false }
    return !entity.relationships.contains { relationship in
      guard case .toOne(let columns) = relationship.kind else { return false }
      return database.isSameName(relationship.destination.name, target.name)
        && columns.count == key.columns.count
        && columns.allSatisfy { column in
          key.columns.contains { database.isSameName($0, column) }
        }
    }
  }
}

extension ForeignKeyDescription {
  /// The table, and whether only the column's name says so, or there is no such table.
  fileprivate func target(in database: any DescribedDatabase) -> String {
    if database.table(named: table) == nil { return "\(table) (\(database.absence))" }
    return isDeclared ? table : "\(table) (by name)"
  }
}
