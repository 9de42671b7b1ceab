// swift-tools-version: 6.3

import PackageDescription

// MARK: - Layers
//
// A layer is a type, and each factory accepts only the layers its own layer may depend on: an edge
// that points outwards does not compile. `docs/architecture.md` draws the same picture.

struct Core { let target: Target }
struct UseCase { let target: Target }
struct Adapter { let target: Target }
struct Scenario { let target: Target }

func core(_ name: String, on cores: [Core] = []) -> Core {
  Core(target: .layer("Core", name, on: cores.map(\.target)))
}

func useCase(_ name: String, on cores: [Core]) -> UseCase {
  UseCase(target: .layer("UseCases", name, on: cores.map(\.target)))
}

func adapter(
  _ name: String,
  on cores: [Core],
  wrapping libraries: [Target.Dependency] = []
) -> Adapter {
  Adapter(target: .layer("Adapters", name, on: cores.map(\.target), and: libraries))
}

func scenario(
  _ name: String,
  runs useCase: UseCase? = nil,
  on cores: [Core],
  with adapters: [Adapter],
  and libraries: [Target.Dependency] = []
) -> Scenario {
  let parts = [useCase?.target].compactMap(\.self) + cores.map(\.target) + adapters.map(\.target)
  return Scenario(
    target: .executableTarget(
      name: name,
      dependencies: parts.map { .target(name: $0.name) } + libraries,
      path: "Sources/Scenarios/\(name)"
    )
  )
}

extension Target {
  static func layer(
    _ folder: String,
    _ name: String,
    on targets: [Target],
    and others: [Target.Dependency] = []
  ) -> Target {
    .target(
      name: name,
      dependencies: targets.map { .target(name: $0.name) } + others,
      path: "Sources/\(folder)/\(name)"
    )
  }

  static func tests(
    _ name: String,
    in root: String = "Tests",
    of targets: [Target],
    and others: [Target.Dependency] = []
  ) -> Target {
    .testTarget(
      name: name,
      dependencies: targets.map { .target(name: $0.name) } + others,
      path: "\(root)/\(name)"
    )
  }
}

// MARK: - The hexagon

let domain = core("ResultsDomain")
let orderStatistics = core("OrderStatistics")
let storeKit = core("ResultsStoreKit", on: [domain])
let presentation = core("ResultsPresentation", on: [domain, storeKit, orderStatistics])
let cores = [domain, storeKit, orderStatistics, presentation]
let umbrella = core("FetchedResults", on: [domain, storeKit, presentation])

let bookCatalog = useCase("BookCatalog", on: cores)
let householdLedger = useCase("HouseholdLedger", on: cores)
let eventLog = useCase("EventLog", on: cores)
let studentRoster = useCase("StudentRoster", on: cores)
let newsFeed = useCase("NewsFeed", on: cores)
let useCases = [bookCatalog, householdLedger, eventLog, studentRoster, newsFeed]

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser",
  package: "swift-argument-parser"
)
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqliteHooks = Target.target(name: "CSQLiteHooks", path: "Sources/Adapters/CSQLiteHooks")
let faultyFiles = Target.target(name: "CFaultyFiles", path: "Sources/TestSupport/CFaultyFiles")
let terminalGuard = Target.target(
  name: "CTerminalGuard",
  path: "Sources/Adapters/CTerminalGuard"
)
let curlLoader = Target.target(name: "CCurlLoader", path: "Sources/Adapters/CCurlLoader")
let jsonSyntax = adapter("JSONSyntax", on: [])
let inMemory = adapter("InMemoryPersistence", on: [domain, storeKit, orderStatistics])
let sqlSupport = adapter("SQLStoreSupport", on: [domain, storeKit])
let sqlite = adapter(
  "SQLitePersistence",
  on: [domain, storeKit, orderStatistics],
  wrapping: [.target(name: "SQLStoreSupport"), .target(name: "CSQLiteHooks"), grdb]
)
let libpq = Target.systemLibrary(
  name: "CLibPQ",
  path: "Sources/Adapters/CLibPQ",
  pkgConfig: "libpq",
  providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
)
let postgreSQLTrait = "PostgreSQL"
let postgreSQL = adapter(
  "PostgreSQLPersistence",
  on: [domain, storeKit, orderStatistics],
  wrapping: [
    .target(name: "SQLStoreSupport"),
    .target(name: libpq.name, condition: .when(traits: [postgreSQLTrait])),
  ]
)
let grdbRecords = adapter(
  "GRDBRecords",
  on: [domain, storeKit, presentation],
  wrapping: [.target(name: "SQLitePersistence"), grdb]
)
let foundationAttributes = adapter("FoundationAttributes", on: [domain])
let sectionCaches = adapter("SectionCacheFiles", on: [domain, presentation])
let wireFormat = adapter(
  "WireFormat",
  on: [domain, presentation],
  wrapping: [.target(name: "JSONSyntax")]
)
let terminal = adapter(
  "TerminalFrontEnd",
  on: [domain, presentation],
  wrapping: [.target(name: terminalGuard.name)]
)
let webTrait = "Web"
let webLibraries = [
  ("Hummingbird", "hummingbird"), ("HummingbirdCore", "hummingbird"),
  ("HTTPTypes", "swift-http-types"), ("NIOCore", "swift-nio"),
  ("Logging", "swift-log"),
].map { name, package in
  Target.Dependency.product(name: name, package: package, condition: .when(traits: [webTrait]))
}
let listBrowser = adapter(
  "ListBrowser",
  on: [domain, storeKit, presentation],
  wrapping: [.target(name: "TerminalFrontEnd")]
)
let observable = adapter("ObservableResults", on: [domain, storeKit, presentation])
let fileFormats = adapter(
  "FileFormats",
  on: [domain],
  wrapping: [.target(name: "JSONSyntax")]
)
let webFetching = adapter("WebFetching", on: [], wrapping: [.target(name: curlLoader.name)])
let programFrontEnd = adapter(
  "ProgramFrontEnd",
  on: cores,
  wrapping: [.target(name: "FileFormats"), .target(name: "FoundationAttributes")]
)
let webFrontEnd = adapter(
  "WebFrontEnd",
  on: [domain, storeKit, presentation],
  wrapping: [
    .target(name: "ListBrowser"), .target(name: "TerminalFrontEnd"), .target(name: "WireFormat"),
  ] + webLibraries
)
let commandLine = adapter(
  "CommandLineFrontEnd",
  on: cores,
  wrapping: [
    .target(name: "ProgramFrontEnd"), .target(name: "TerminalFrontEnd"),
    .target(name: "ListBrowser"), .target(name: "FileFormats"), .target(name: "WireFormat"),
    .target(name: "WebFrontEnd"), argumentParser,
  ]
)
let programAdapters = [
  inMemory, sqlite, postgreSQL, foundationAttributes, sectionCaches, wireFormat, terminal,
  listBrowser, observable, fileFormats, webFetching, programFrontEnd, webFrontEnd, commandLine,
]
let adapters = programAdapters + [grdbRecords]

let programStores = Target.layer(
  "Scenarios",
  "ProgramStores",
  on: [domain, storeKit, presentation].map(\.target)
    + [inMemory, sqlite, postgreSQL, sectionCaches, terminal, programFrontEnd, commandLine].map(
      \.target
    )
)
let programs = [
  ("book-catalog", bookCatalog), ("household-ledger", householdLedger), ("event-log", eventLog),
  ("student-roster", studentRoster), ("news-feed", newsFeed),
]
let scenarios =
  programs.map { name, useCase in
    scenario(
      name,
      runs: useCase,
      on: cores,
      with: programAdapters,
      and: [argumentParser, .target(name: programStores.name)]
    )
  } + [
    scenario(
      "live-list",
      on: [domain, storeKit, presentation],
      with: [inMemory, sqlite, terminal, programFrontEnd, commandLine],
      and: [argumentParser, .target(name: programStores.name)]
    ),
    scenario(
      "results-schema",
      on: [domain, storeKit],
      with: [sqlite, terminal, programFrontEnd, commandLine],
      and: [argumentParser, .target(name: programStores.name)]
    ),
  ]

// MARK: - Tests

let testing = Target.layer("TestSupport", "ResultsTesting", on: cores.map(\.target))
let insides =
  cores.map(\.target) + [sqlSupport.target] + adapters.map(\.target) + useCases.map(\.target)

/// What the tests of a module import besides the module and the core.
let testLibraries: [String: [Target.Dependency]] = [
  sqlite.target.name: [
    grdb, .target(name: sqliteHooks.name), .target(name: faultyFiles.name),
    .target(name: sqlSupport.target.name),
  ],
  postgreSQL.target.name: [
    .target(name: sqlite.target.name), .target(name: sqlSupport.target.name),
  ],
  grdbRecords.target.name: [grdb, .target(name: sqlite.target.name)],
  presentation.target.name: [.target(name: foundationAttributes.target.name)],
  listBrowser.target.name: [.target(name: terminal.target.name)],
  householdLedger.target.name: [.target(name: foundationAttributes.target.name)],
  programFrontEnd.target.name: [.target(name: foundationAttributes.target.name)],
  commandLine.target.name: [grdb, .target(name: sqlite.target.name)],
]

let tests: [Target] =
  insides.map { subject in
    let shared = ([testing, inMemory.target, wireFormat.target] + cores.map(\.target))
      .filter { $0.name != subject.name }
    return .tests(
      "\(subject.name)Tests",
      of: [subject] + shared,
      and: testLibraries[subject.name] ?? []
    )
  } + [
    .tests("ResultsTestingTests", of: [testing, inMemory.target] + cores.map(\.target)),
    .tests("FetchedResultsTests", of: [umbrella.target, inMemory.target]),
    .tests("ArchitectureTests", of: []),
    .tests(
      "DocumentationTests",
      of: [testing, umbrella.target] + cores.map(\.target) + useCases.map(\.target)
        + adapters.map(\.target),
      and: [grdb]
    ),
    .tests(
      "StoreEquivalenceTests",
      in: "IntegrationTests",
      of: [testing, inMemory.target, sqlite.target] + cores.map(\.target),
      and: [grdb]
    ),
    .tests(
      "ScenarioTests",
      in: "IntegrationTests",
      of: [testing, sqlite.target, wireFormat.target, studentRoster.target] + cores.map(\.target)
        + scenarios.map(\.target),
      and: [grdb]
    ),
    // Programs are built with it that serve their lists only with the trait; without it there is nothing in it.
    .tests(
      "WebTests",
      in: "IntegrationTests",
      of: [testing, wireFormat.target] + cores.map(\.target) + scenarios.map(\.target)
    ),
  ]

// MARK: - Products
//
// What an adopter may depend on. `FetchedResults` is the one import of an app beside its store; the modules behind it,
// `OrderStatistics` and what only the programs of this package use have no product of their own.

let modules =
  [
    inMemory, sqlite, postgreSQL, grdbRecords, foundationAttributes, sectionCaches,
    wireFormat, observable,
  ].map(\.target) + [umbrella.target, storeKit.target, testing]
let products: [Product] =
  modules.map { .library(name: $0.name, targets: [$0.name]) } + [
    .library(name: "SampleUseCases", targets: useCases.map(\.target.name)),
    // The package of the benchmark builds it and measures it.
    .executable(name: "book-catalog", targets: ["book-catalog"]),
  ]

// MARK: - Package

let package = Package(
  name: "swift-fetched-results",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: products,
  traits: [
    .trait(
      name: postgreSQLTrait,
      description: "The store over PostgreSQL (PostgreSQLPersistence); needs libpq 14 or later."
    ),
    .trait(name: webTrait, description: "The verb `serve`: lists in a browser, by Hummingbird."),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
  ],
  targets: insides + [
    umbrella.target, jsonSyntax.target, sqliteHooks, libpq, terminalGuard, curlLoader, faultyFiles,
    testing,
    programStores,
  ] + scenarios.map(\.target)
    + tests,
  swiftLanguageModes: [.v6]
)

webFrontEnd.target.exclude = ["Assets"]

for target in package.targets
where ![sqliteHooks, libpq, terminalGuard, curlLoader, faultyFiles].map(\.name).contains(
  target.name
) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
  ]
}
