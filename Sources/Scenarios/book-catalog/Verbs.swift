import ArgumentParser
import BookCatalog
import CommandLineFrontEnd
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// `demo`: adds the demo books if the catalog is empty, and lists it.
struct DemoVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Add the fourteen demo books if the catalog is empty, and list it.",
    discussion: CatalogProgram.discussion(examples: "demo", "demo --store books.sqlite")
  )

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var locale: LocaleOptions

  func run() async throws {
    let settings = try locale.settings(for: output.listFormat)
    let location = try store.location(of: CatalogProgram.name)
    let opened = try CatalogProgram.openStore(location)
    let command = CatalogProgram.command("added the demo books", in: opened)
    try BookCatalog(command).addDemoBooks(origin: .unnamed)
    try await ListRun<CatalogProgram>(output: output, settings: settings)
      .print(CatalogProgram.definition(for: settings), in: opened, at: location)
    try opened.close()
  }
}

/// `dump`: prints every book as `publisher=… title=…`.
struct DumpVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Print every book as publisher=… title=…, one per line.",
    discussion: CatalogProgram.discussion(examples: "dump")
  )

  @OptionGroup var store: ReadingStoreOptions

  func run() async throws {
    let opened = try CatalogProgram.openStore(try store.locationToRead(of: CatalogProgram.self))
    try BookCatalog(opened).dump { line in
      try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n")
    }
    try opened.close()
  }
}
