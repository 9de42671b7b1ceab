import Foundation
import Testing

/// The part of the output of `swift package dump-package` that describes the layers.
private struct Manifest: Decodable {
  struct Target: Decodable {
    let name: String
    let type: String
    let path: String?
    let dependencies: [Dependency]
  }

  struct Dependency: Decodable {
    let byName: [String?]?
    let target: [Reference?]?
    let product: [Reference?]?

    var name: String? {
      if let byName { return byName.first ?? nil }
      if case .name(let name)? = (target ?? product)?.first ?? nil { return name }
      return nil
    }
  }

  /// An element of a dependency; only the first one, its name, is of interest.
  enum Reference: Decodable {
    case name(String)
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      self = (try? container.decode(String.self)).map { .name($0) } ?? .other
    }
  }

  struct Product: Decodable {
    let name: String
    let targets: [String]
  }

  let targets: [Target]
  let products: [Product]
}

@Suite("The manifest's layers", .timeLimit(.minutes(15)))
struct ManifestTests {
  @Test func `every target depends only on what its folder may import`() throws {
    let manifest = try Self.dump()
    let rules = Dictionary(uniqueKeysWithValues: LayerRule.all.map { ($0.folder, $0) })
    var violations: [String] = []
    var seen: Set<String> = []
    for target in manifest.targets where target.type != "test" {
      let path = target.path ?? ""
      guard let rule = rules[path], rule.target == target.name else {
        violations.append("\(target.name) is in \(path), which is not in the table of layers")
        continue
      }
      seen.insert(path)
      for name in target.dependencies.compactMap(\.name) where !rule.allowed.contains(name) {
        violations.append("\(target.name) may not depend on \(name): \(rule.reason)")
      }
    }
    violations += LayerRule.all.filter { !seen.contains($0.folder) }
      .map { "\($0.folder) is not a target of the manifest" }
    #expect(violations == [])
  }

  @Test func `the products are the umbrella, the adapters, the testing kit and the samples`() throws
  {
    let manifest = try Self.dump()
    let libraries = manifest.products.filter { product in
      manifest.targets.allSatisfy { $0.name != product.name || $0.type == "regular" }
    }
    let adapters = LayerRule.adapters.filter { !LayerRule.ofPrograms.contains($0) }
    let expected =
      ["FetchedResults", "ResultsStoreKit", "ResultsTesting", "SampleUseCases"] + adapters
    #expect(libraries.map(\.name).sorted() == expected.sorted())
    #expect(libraries.allSatisfy { !$0.targets.contains("OrderStatistics") })
  }

  @Test func `what serves only the programs shows no other package anything`() throws {
    let declaration = /^ *(?:@\w+ )*public\b/.anchorsMatchLineEndings()
    let shown = try LayerRule.ofPrograms.union(["JSONSyntax"]).sorted().flatMap { module in
      try PackageTree.files(under: "Sources/Adapters/\(module)", "swift").filter { path in
        try PackageTree.text(path).firstMatch(of: declaration) != nil
      }
    }
    #expect(shown == [])
  }

  @Test func `every folder of tests is a target of the manifest`() throws {
    let targets = Set(try Self.dump().targets.filter { $0.type == "test" }.compactMap(\.path))
    let folders = ["Tests", "IntegrationTests"].flatMap { root in
      PackageTree.folders(in: root).map { "\(root)/\($0)" }
    }
    // Packages outside this one, which `script/outside-package`, `script/benchmark` and `script/benchmark-web` build.
    let others: Set = ["IntegrationTests/OutsidePackages", "IntegrationTests/Benchmarks"]
    #expect(folders.filter { !targets.contains($0) && !others.contains($0) } == [])
  }

  @Test func `every module of the package is a layer of its manifest`() throws {
    let manifest = try PackageTree.text("Package.swift")
    let layers = [
      "core(_ name: String, on cores: [Core]",
      "useCase(_ name: String, on cores: [Core]",
    ]
    for layer in layers { #expect(manifest.contains(layer)) }
    #expect(manifest.contains(".treatAllWarnings(as: .error)"))
    #expect(manifest.contains("swiftLanguageModes: [.v6]"))
    #expect(!manifest.contains("unsafeFlags"))
  }

  /// Runs the package manager with a separate build folder, because the present one is locked while tests run.
  private static func dump() throws -> Manifest {
    let scratch = FileManager.default.temporaryDirectory
      .appending(path: "manifest-\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "swift", "package", "--package-path", PackageTree.root.path(),
      "--scratch-path", scratch.path(), "dump-package",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "swift package dump-package failed")
    return try JSONDecoder().decode(Manifest.self, from: data)
  }
}
