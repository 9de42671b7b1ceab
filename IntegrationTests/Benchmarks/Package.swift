// swift-tools-version: 6.3

import PackageDescription

// A package outside the library: it sees what an adopter sees, and nobody who builds or tests the library compiles it. Its products are
// built next to `results-benchmark`, among them `book-catalog`, which some cases run.

let library = { Target.Dependency.product(name: $0, package: "swift-fetched-results") }
let postgreSQLTrait = "PostgreSQL"
let postgreSQL = TargetDependencyCondition.when(traits: [postgreSQLTrait])
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")

let package = Package(
  name: "results-benchmarks",
  platforms: [.macOS(.v15)],
  traits: [
    .trait(name: postgreSQLTrait, description: "Measures the store over PostgreSQL, too.")
  ],
  dependencies: [
    .package(
      name: "swift-fetched-results",
      path: "../..",
      traits: [.trait(name: postgreSQLTrait, condition: .when(traits: [postgreSQLTrait]))]
    ),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(
      name: "CServerLibrary",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    .executableTarget(
      name: "results-benchmark",
      dependencies: [
        "FetchedResults", "ResultsStoreKit", "SQLitePersistence", "SectionCacheFiles",
        "SampleUseCases",
      ].map(library) + [
        .product(
          name: "PostgreSQLPersistence",
          package: "swift-fetched-results",
          condition: postgreSQL
        ),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        grdb, "CSQLite", .target(name: "CServerLibrary", condition: postgreSQL),
      ]
    ),
    .testTarget(name: "BenchmarkTests", dependencies: ["results-benchmark"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
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
