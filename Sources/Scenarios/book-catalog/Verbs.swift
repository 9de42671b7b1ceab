import ArgumentParser
import BookCatalog
import CommandLineFrontEnd
import ProgramStores
import ResultsDomain
import TerminalFrontEnd

/// `demo`: adds the demo books if the catalog is empty, and lists it.
struct DemoVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Add the fourteen demo books if the catalog is empty, and list it."
  )

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var reader: ReaderOptions

  func run() async throws {
    let settings = try reader.settings()
    let opened = try CatalogProgram.openStore(try store.place(of: CatalogProgram.name))
    try BookCatalog(opened).addDemoBooks()
    try await ListRun<CatalogProgram>(store: store, output: output, settings: settings)
      .print(CatalogProgram.definition(for: settings), in: opened)
    try opened.close()
  }
}

/// `dump`: prints every book as `publisher=… title=…`.
struct DumpVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Print every book as publisher=… title=…, one per line."
  )

  @OptionGroup var store: StoreOptions

  func run() async throws {
    let opened = try CatalogProgram.openStore(try store.placeToRead(of: CatalogProgram.self))
    try BookCatalog(opened).dump { line in
      try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n")
    }
    try opened.close()
  }
}
