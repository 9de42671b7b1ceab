import Foundation
import Testing

/// Snippets as a client would paste them: one after the other into the `main.swift` of a package that depends on this one.
struct ClientProgram: Sendable, CustomTestStringConvertible {
  /// A failure before the compiler starts.
  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// The document that shows the snippets.
  let page: String
  /// Declarations that the document's text assumes.
  var given = ""
  /// The snippets, in the order in which they are pasted.
  let snippets: [String]
  /// A file whose declarations the snippets need beside the package's.
  var companion: String?
  /// Whether the client's declarations belong to the main actor, as in an app that new tools create.
  var isolatesToMainActor = false

  var testDescription: String {
    "\(page): \(snippets.joined(separator: ", "))\(isolatesToMainActor ? ", on the main actor" : "")"
  }

  private static let imports = """
    import FetchedResults
    import InMemoryPersistence
    import SQLitePersistence
    import WireFormat

    """

  private static let bookList = """
    let store = try InMemoryStore(entities: [Book.entity])
    let controller = FetchedResultsController(
      FetchRequest<Book>(sortedBy: [.ascending(\\.title)]),
      sectionedBy: .attribute(\\.publisher),
      in: store
    )

    """

  static let all = [
    ClientProgram(
      page: "README.md",
      given: #"let file = "books.sqlite""#,
      snippets: ["first-imports", "first-screen", "book"]
    ),
    ClientProgram(
      page: "docs/api-tour.md",
      snippets: [
        "tour-entity", "tour-writing", "tour-fetching", "tour-predicates", "tour-sections",
        "tour-rows", "tour-deltas", "tour-kinds-entity", "tour-kinds", "tour-order-entity",
        "tour-order", "tour-delivery", "tour-length",
      ]
    ),
    ClientProgram(
      page: "docs/coming-from-core-data.md",
      given: bookList,
      snippets: ["book", "delegate-class", "delegate", "definition", "frozen"]
    ),
    ClientProgram(
      page: "docs/writing-a-front-end.md",
      given: bookList,
      snippets: ["book", "front-end-imports", "front-end-itself", "own-front-end"]
    ),
    ClientProgram(
      page: "docs/writing-a-front-end.md",
      given: """
        let store = try InMemoryStore(entities: [Book.entity])
        let controller = FetchedResultsController(
          FetchRequest<Row>(entity: Book.entity, sortedBy: [.ascending("title")]),
          sectionedBy: .attribute("publisher"),
          in: store
        )
        """,
      snippets: ["book", "wire-form"]
    ),
    ClientProgram(
      page: "docs/writing-a-store.md",
      snippets: [
        "book", "store-imports", "store-content", "store-version", "store-entries",
        "store-writing", "store-itself", "own-store",
      ]
    ),
    relationships,
    ClientProgram(page: "docs/drafts.md", snippets: ["book", "draft-editing", "draft-conflicts"]),
    ClientProgram(
      page: "docs/adopting-grdb.md",
      given: """
        import Foundation
        let pool = try DatabasePool(path: "albums.sqlite")

        """,
      snippets: ["grdb-imports", "grdb-records", "grdb-list", "grdb-changes", "grdb-errors"]
    ),
    userInterfaces,
    ClientProgram(
      page: userInterfaces.page,
      given: userInterfaces.given,
      snippets: userInterfaces.snippets,
      companion: userInterfaces.companion,
      isolatesToMainActor: true
    ),
  ]

  private static let relationships = ClientProgram(
    page: "docs/relationships.md",
    given: """
      struct Topic: Entity {
        var id: Int64?
        var name = ""
        var rank = 0

        static let novels = ToMany<Topic, Novel>(
          "novels",
          through: Link("NovelTopic", "topicID", "novelID")
        )

        static let schema = EntitySchema<Topic>("Topic", identity: \\.id) {
          Attribute(\\.name, "name")
          Attribute(\\.rank, "rank")
          Relationship(novels)
        }
      }
      let store = try InMemoryStore(entities: [Novel.entity])

      """,
    snippets: [
      "relations-schema", "relations-linking", "relations-request", "relations-sections",
      "relations-keys",
      "relations-projection",
      "relations-projecting", "relations-prefetching", "relations-columns", "relations-text",
      "relations-error",
    ]
  )

  private static let userInterfaces = ClientProgram(
    page: "docs/user-interfaces.md",
    given: """
      import Foundation
      import FoundationAttributes
      import Observation
      let store = try InMemoryStore(entities: [Book.entity])
      let calendar = Calendar.current

      """,
    snippets: [
      "book", "ui-imports", "ui-swiftui", "ui-chat", "ui-unread", "ui-days", "ui-diffable",
      "ui-table", "ui-draw", "ui-any",
    ],
    companion: "Tests/DocumentationTests/AppleStandIns.swift"
  )

  /// What the file contains.
  func source() throws -> String {
    let known = try DocumentTree.snippets()
    let texts = try snippets.map { name in
      guard let snippet = known[name] else { throw Missing(description: "no snippet \(name)") }
      return snippet.lines.joined(separator: "\n")
    }
    return ([Self.imports, given] + texts).joined(separator: "\n")
  }

  /// Returns the compiler's errors for the program in another package; none if it compiles.
  func errors() throws -> [String] {
    let options = isolatesToMainActor ? ["-default-isolation", "MainActor"] : []
    let files = companion.map { [DocumentTree.root.appending(path: $0).path()] } ?? []
    return try ClientProgram.errors(in: source(), options + files)
  }

  /// Returns the compiler's errors for a main file in another package; none if it compiles.
  static func errors(in source: String, _ arguments: [String] = []) throws -> [String] {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = folder.path(of: "main.swift")
    try Data(source.utf8).write(to: URL(filePath: file))
    let build = try buildFolder()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "swiftc", "-typecheck", "-swift-version", "6", "-module-name", "Client",
        "-I", build.modules.path(), "-I", build.sqlite.path(),
        "-I", DocumentTree.root.appending(path: "Sources/Adapters/CSQLiteHooks/include").path(),
        file,
      ] + arguments
    let output = Pipe()
    process.standardError = output
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    let errors = lines.filter { $0.contains(": error: ") }
    return errors.isEmpty && process.terminationStatus != 0 ? lines : errors
  }

  /// Returns the folder of this build's modules, and that of the module map of SQLite.
  private static func buildFolder() throws -> (modules: URL, sqlite: URL) {
    let beginnings = [CommandLine.arguments.first ?? "", Bundle.main.bundlePath]
    var modules: URL?
    for beginning in beginnings where !beginning.isEmpty {
      var folder = URL(filePath: beginning).standardizedFileURL
      while folder.path() != "/" {
        let candidate = folder.appending(path: "Modules")
        if exists(candidate.appending(path: "ResultsPresentation.swiftmodule")) {
          modules = modules ?? candidate
        }
        let sqlite = folder.appending(path: "checkouts/GRDB.swift/Sources/GRDBSQLite")
        if let modules, exists(sqlite) { return (modules, sqlite) }
        folder.deleteLastPathComponent()
      }
    }
    throw Missing(
      description: "no built modules and no checkout of GRDB above \(beginnings); build them first"
    )
  }

  private static func exists(_ url: URL) -> Bool {
    FileManager.default.fileExists(atPath: url.path())
  }
}
