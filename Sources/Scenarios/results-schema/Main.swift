import ArgumentParser
import CommandLineFrontEnd
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// The command `results-schema`: prints the Swift entities for a database that another application made.
@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "results-schema",
    abstract: "Print Swift entities for the tables of an SQLite or PostgreSQL database.",
    discussion: """
      Columns, keys and foreign keys are read from the schema; types and stored forms are proposed by a sample of the rows, \
      so look at them. Nothing is written.

      Examples:
        results-schema music.sqlite > Entities.swift
        results-schema music.sqlite Artist Album
        results-schema postgresql://db.example.org/shop orders
      """,
    version: "results-schema \(ProgramVersion.current)"
  )

  @Argument(help: "The database's file or URL.", completion: .file())
  var file: String
  @Argument(help: "The tables (default: all).")
  var tables: [String] = []
  @Flag(help: "Print more about a failure.")
  var verbose = false

  func run() async throws {
    let database = try DiscoveredStores.describe(
      file,
      naming: tables.isEmpty ? nil : tables,
      for: "results-schema"
    )
    let chosen: [any DescribedTable] = try tables.map { name in
      guard let table = database.table(named: name) else {
        let near = database.names(near: name).prefix(20).joined(separator: ", ")
        throw CommandFailure(
          .missingInput,
          "\(file) has no table “\(name)”.",
          remedy: near.isEmpty ? "It has no tables." : "It has \(near)."
        )
      }
      return table
    }
    let source = SwiftSource(of: tables.isEmpty ? database.tables as [any DescribedTable] : chosen)
    try TerminalOutput.standard.write(SafeText.lines(source.text))
  }

  static func main() async { await ProgramRunner.run(Main.self, takesFile: true) }
}
