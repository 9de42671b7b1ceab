import Testing

/// What the sources of one folder may import: a row of the table in `docs/architecture.md`.
struct LayerRule: Hashable, CustomTestStringConvertible {
  /// The folder, which is one target.
  let folder: String
  /// The modules its sources may import, besides the standard library's own.
  let allowed: Set<String>
  /// Whether its sources may export the core's modules: the umbrella's right.
  let isUmbrella: Bool
  /// Why no others.
  let reason: String

  /// The target's name.
  var target: String { folder.split(separator: "/").last.map(String.init) ?? folder }
  var testDescription: String { folder }

  init(
    _ folder: String,
    _ allowed: [String],
    isUmbrella: Bool = false,
    because reason: String
  ) {
    self.folder = folder
    self.allowed = Set(allowed)
    self.isUmbrella = isUmbrella
    self.reason = reason
  }

  /// What is wrong with the imports of one source text; nothing if all is well.
  func violations(in text: String, of path: String) -> [String] {
    ImportStatement.all(in: text).compactMap { statement in
      if statement.isTestable || statement.isExported && !exports(statement.module) {
        "\(path):\(statement.line): \(statement.module) may not be imported as testable or exported"
      } else if Self.standsInForEssentials(statement.module, in: text) {
        nil
      } else if !allowed.contains(statement.module), !Self.everywhere.contains(statement.module) {
        "\(path):\(statement.line): may not import \(statement.module): \(reason)"
      } else {
        nil
      }
    }
  }

  private func exports(_ module: String) -> Bool {
    isUmbrella && Self.core.contains(module) && allowed.contains(module)
  }

  /// Whether Foundation is imported only where its essentials are no module of their own.
  private static func standsInForEssentials(_ module: String, in text: String) -> Bool {
    module == "Foundation"
      && text.contains("#if canImport(FoundationEssentials)\n")
      && text.contains("#else\n")
  }

  /// Modules that come with the standard library.
  static let everywhere: Set<String> = ["Swift", "Synchronization", "_Concurrency"]

  static let core = [
    "ResultsDomain", "OrderStatistics", "ResultsStoreKit", "ResultsPresentation",
  ]
  static let adapters = [
    "InMemoryPersistence", "SQLitePersistence", "FoundationAttributes", "SectionCacheFiles",
    "WireFormat", "TerminalFrontEnd", "ListBrowser", "ObservableResults", "FileFormats",
    "ProgramFrontEnd", "CommandLineFrontEnd", "GRDBRecords", "PostgreSQLPersistence", "WebFrontEnd",
    "WebFetching",
  ]
  /// The adapters that only the programs of this package use, which no product contains.
  static let ofPrograms: Set = [
    "TerminalFrontEnd", "ListBrowser", "FileFormats", "WebFetching", "ProgramFrontEnd",
    "CommandLineFrontEnd", "WebFrontEnd",
  ]
  static let foundation = ["Foundation", "FoundationEssentials", "FoundationInternationalization"]
  static let platform = ["Glibc", "Musl", "Android", "Darwin"]

  /// The whole table.
  ///
  /// A folder under `Sources` that is not here fails the tests.
  static let all: [LayerRule] =
    coreRules + useCaseRules + adapterRules + scenarioRules + [
      LayerRule(
        "Sources/TestSupport/ResultsTesting",
        core + ["Testing", "Dispatch"],
        because: "the testing kit is for any store and any front end, so it knows none"
      ),
      LayerRule(
        "Sources/TestSupport/CFaultyFiles",
        [],
        because: "it is C over SQLite's own header, for tests"
      ),
    ]

  private static let coreRules = [
    LayerRule(
      "Sources/Core/ResultsDomain",
      [],
      because: "the domain stands on the standard library alone"
    ),
    LayerRule(
      "Sources/Core/OrderStatistics",
      [],
      because: "it is pure data structures that know nothing of stores"
    ),
    LayerRule(
      "Sources/Core/ResultsStoreKit",
      ["ResultsDomain"],
      because: "the ports and what stores share know nothing that is shown"
    ),
    LayerRule(
      "Sources/Core/ResultsPresentation",
      ["ResultsDomain", "OrderStatistics", "ResultsStoreKit"],
      because: "the controller works over any store and for any front end"
    ),
    LayerRule(
      "Sources/Core/FetchedResults",
      ["ResultsDomain", "ResultsStoreKit", "ResultsPresentation", "FoundationEssentials"],
      isUmbrella: true,
      because: "the umbrella exports what an app needs of the core, and bridges index paths"
    ),
  ]

  private static let useCaseRules = [
    "BookCatalog", "HouseholdLedger", "EventLog", "StudentRoster", "NewsFeed",
  ].map { name in
    LayerRule(
      "Sources/UseCases/\(name)",
      core + ["FoundationEssentials", "FoundationInternationalization"],
      because: "a use case knows no other use case and no adapter"
    )
  }

  private static let adapterRules = [
    LayerRule(
      "Sources/Adapters/InMemoryPersistence",
      ["ResultsDomain", "OrderStatistics", "ResultsStoreKit"],
      because: "a store knows the ports and nothing that is shown"
    ),
    LayerRule(
      "Sources/Adapters/SQLStoreSupport",
      ["ResultsDomain", "ResultsStoreKit"],
      because: "it is what the stores over SQL have in common, and knows no database's library"
    ),
    LayerRule(
      "Sources/Adapters/CSQLiteHooks",
      [],
      because: "it is C over SQLite's own header"
    ),
    LayerRule(
      "Sources/Adapters/SQLitePersistence",
      [
        "ResultsDomain", "OrderStatistics", "ResultsStoreKit", "SQLStoreSupport", "GRDB",
        "CSQLiteHooks", "FoundationEssentials", "Dispatch",
      ] + platform,
      because: "a store knows the ports and nothing that is shown"
    ),
    LayerRule(
      "Sources/Adapters/CLibPQ",
      [],
      because: "it is the header of libpq"
    ),
    LayerRule(
      "Sources/Adapters/PostgreSQLPersistence",
      [
        "ResultsDomain", "OrderStatistics", "ResultsStoreKit", "SQLStoreSupport", "CLibPQ",
        "Dispatch",
      ] + platform,
      because: "a store knows the ports and nothing that is shown"
    ),
    LayerRule(
      "Sources/Adapters/GRDBRecords",
      ["ResultsDomain", "ResultsStoreKit", "ResultsPresentation", "SQLitePersistence", "GRDB"]
        + foundation,
      because:
        "it serves the records of an application over the SQLite store, and knows no front end"
    ),
    LayerRule(
      "Sources/Adapters/FoundationAttributes",
      ["ResultsDomain"] + foundation,
      because: "it converts values for properties and knows no store and no front end"
    ),
    LayerRule(
      "Sources/Adapters/SectionCacheFiles",
      ["ResultsDomain", "ResultsPresentation"] + foundation,
      because: "it keeps the bytes of caches and knows no store and no front end"
    ),
    LayerRule(
      "Sources/Adapters/JSONSyntax",
      [],
      because: "it scans bytes, and serves the formats that are written in JSON"
    ),
    LayerRule(
      "Sources/Adapters/WireFormat",
      ["ResultsDomain", "ResultsPresentation", "JSONSyntax"],
      because: "it encodes snapshots and deltas and knows no store and no front end"
    ),
    LayerRule(
      "Sources/Adapters/TerminalFrontEnd",
      ["ResultsDomain", "ResultsPresentation", "CTerminalGuard"] + platform,
      because: "a front end consumes snapshots and deltas and nothing else"
    ),
    LayerRule(
      "Sources/Adapters/CTerminalGuard",
      [],
      because: "it is C that a signal handler may run"
    ),
    LayerRule(
      "Sources/Adapters/ListBrowser",
      ["ResultsDomain", "ResultsStoreKit", "ResultsPresentation", "TerminalFrontEnd"] + foundation,
      because: "the full-screen list knows no store, no use case and no command line"
    ),
    LayerRule(
      "Sources/Adapters/ObservableResults",
      ["ResultsDomain", "ResultsStoreKit", "ResultsPresentation", "Observation"],
      because: "a front end consumes snapshots and deltas and nothing else"
    ),
    LayerRule(
      "Sources/Adapters/FileFormats",
      ["ResultsDomain", "JSONSyntax", "FoundationXML"] + foundation,
      because: "file formats serve the import and export ports only"
    ),
    LayerRule(
      "Sources/Adapters/WebFetching",
      ["CCurlLoader"] + foundation,
      because: "it fetches addresses and knows neither the domain nor a front end"
    ),
    LayerRule(
      "Sources/Adapters/CCurlLoader",
      [],
      because: "it is C that opens a library at run time, and needs no header of it"
    ),
    LayerRule(
      "Sources/Adapters/ProgramFrontEnd",
      core + ["FileFormats", "FoundationAttributes"] + foundation,
      because: "what a program is and does knows no terminal, no argument parser and no store"
    ),
    LayerRule(
      "Sources/Adapters/WebFrontEnd",
      [
        "ResultsDomain", "ResultsStoreKit", "ResultsPresentation", "ListBrowser",
        "TerminalFrontEnd", "WireFormat", "Hummingbird", "HummingbirdCore", "HTTPTypes", "NIOCore",
        "Logging",
      ] + foundation,
      because: "the server of pages knows no store, no use case and no command line"
    ),
    LayerRule(
      "Sources/Adapters/CommandLineFrontEnd",
      core + [
        "ProgramFrontEnd", "TerminalFrontEnd", "ListBrowser", "FileFormats", "WireFormat",
        "WebFrontEnd", "ArgumentParser",
      ]
        + foundation,
      because: "the generic commands know no store and no use case"
    ),
  ]

  private static let scenarioRules =
    [
      ("book-catalog", ["BookCatalog"]), ("household-ledger", ["HouseholdLedger"]),
      ("event-log", ["EventLog"]), ("student-roster", ["StudentRoster"]),
      ("news-feed", ["NewsFeed"]), ("live-list", []), ("results-schema", []),
    ].map { name, own in
      LayerRule(
        "Sources/Scenarios/\(name)",
        own + core + adapters + ["ProgramStores"] + ["ArgumentParser"] + foundation,
        because: "a program composes one use case with adapters and holds no rule"
      )
    } + [
      LayerRule(
        "Sources/Scenarios/ProgramStores",
        ["ResultsDomain", "ResultsStoreKit", "ResultsPresentation"] + adapters,
        because: "it says once which stores the programs open, and knows no use case"
      )
    ]
}
