import ArgumentParser
import BookCatalog
import CommandLineFrontEnd
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// `import FILE`: adds the books of a file, and with `--only` those of a list.
struct CatalogImportVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add the books of a file.",
    discussion: CatalogProgram.importDiscussion(
      examples: "import library.mrc",
      "import library.mrc --only isbns.txt"
    )
  )

  @OptionGroup var options: ImportOptions
  @Option(
    help: ArgumentHelp(
      "A file of ISBNs or other identifiers, one a line: only their books.",
      valueName: "file"
    ),
    completion: .file()
  )
  var only: String?

  func run() async throws {
    try await options.importFile(into: CatalogProgram.self, only: only)
  }
}

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
