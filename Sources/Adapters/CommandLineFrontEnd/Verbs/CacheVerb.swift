package import ArgumentParser
package import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd

/// `cache`: shows and deletes list caches.
package struct CacheVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "cache",
      abstract: "Show or delete the list caches that speed up the next start.",
      discussion: Program.discussion(
        """
        Caches are files in a folder beside the store; those of a database are in $XDG_CACHE_HOME or ~/.cache. They only make lists open faster: without them, or with one that \
        is out of date, lists are the same.
        """,
        examples: "cache list",
        "cache delete --all"
      ),
      subcommands: [CacheListVerb<Program>.self, CacheDeleteVerb<Program>.self]
    )
  }

  /// Creates the verb.
  package init() {}
}

/// `cache list`: shows every cache, its list, and whether it is valid.
struct CacheListVerb<Program: ListProgram>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list",
      abstract:
        "List the caches: name, rows, bytes, time of writing, whether valid, and the list.",
      discussion: Program.discussion(examples: "cache list")
    )
  }

  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var locale: LocaleOptions

  func run() async throws {
    let settings = try locale.settings(
      for: TerminalOutput.standard.isTerminal ? .table : .tsv
    )
    let location = try store.locationToRead(of: Program.self)
    guard let caches = Program.caches(for: location) else { return }
    let opened = try Program.openStore(location)
    let reports = try caches.reports(on: [Program.definition(for: settings)], in: opened)
    try opened.close()
    try print(reports.filter { $0.entry != nil }, ValueFormatter(for: settings))
  }

  private func print(_ reports: [SectionCacheReport], _ formatter: ValueFormatter) throws {
    let output = TerminalOutput.standard
    var table = TableWriter(
      columns: [
        TableColumn("name"), TableColumn("rows", alignment: .trailing),
        TableColumn("bytes", alignment: .trailing), TableColumn("written"), TableColumn("state"),
        TableColumn("list"),
      ],
      options: TableWriter.Options(
        format: output.isTerminal ? .table : .tsv,
        lineWidth: output.lineWidth,
        isTerminal: output.isTerminal
      )
    )
    for report in reports {
      let written = report.entry?.writtenAt.map { instant in
        let second = instant.microseconds / 1_000_000 * 1_000_000
        return formatter.text(.integer(second), of: .date)
      }
      let fields = [
        report.name, report.rowCount.map(String.init) ?? "",
        report.entry.map { String($0.byteCount) } ?? "", written ?? "",
        report.outcome.state, report.summary ?? "",
      ]
      try output.write(table.row(fields))
    }
    try output.write(table.end())
  }
}

/// `cache delete NAME|--all`: deletes a cache, or all of them.
struct CacheDeleteVerb<Program: ListProgram>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "delete",
      abstract: "Delete a cache by its name, or all: the next list is read from the store.",
      discussion: Program.discussion(examples: "cache delete --all")
    )
  }

  @Argument(help: "The cache's name, as '\(Program.name) cache list' shows it.")
  var name: String?
  @Flag(help: "Delete every cache of the store.")
  var all = false

  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard all == (name == nil) else {
      throw ValidationError("Name a cache or use --all, not both.")
    }
  }

  func run() async throws {
    let location = try store.existingLocation(of: Program.self)
    let caches = Program.caches(for: location)
    let count = try caches?.deleteCache(named: name) ?? 0
    if let name, count == 0 {
      let known = try caches?.entries().map(\.name) ?? []
      throw CommandFailure(
        .nothingMatched,
        "There is no cache “\(name)”.",
        remedy: known.isEmpty
          ? "The store has no caches." : "The caches are \(known.joined(separator: ", "))."
      )
    }
    let noun = count == 1 ? "cache" : "caches"
    try TerminalOutput.standard.write("deleted \(count) \(noun)\n")
  }
}

extension CacheOutcome {
  /// Whether a list can be opened from the cache, in words.
  var state: String {
    switch self {
    case .hit, .replayed(0): "up to date"
    case .replayed(let changes): "usable, \(changes) \(changes == 1 ? "change" : "changes") behind"
    case .miss(let reason): "not usable: \(reason)"
    }
  }
}
