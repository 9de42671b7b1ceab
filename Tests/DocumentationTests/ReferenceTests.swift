import Testing

@Suite("What the documents refer to")
struct ReferenceTests {
  @Test(arguments: DocumentTree.documents)
  func `every link leads to a file`(_ path: String) throws {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    let broken = DocumentPage.links(in: try DocumentTree.text(path)).filter { link in
      !DocumentTree.exists(folder.isEmpty ? link : "\(folder)/\(link)")
    }
    #expect(broken == [], "in \(path)")
  }

  @Test(arguments: DocumentTree.documents)
  func `every command shown exists`(_ path: String) throws {
    let programs = Self.programs
    for block in try DocumentTree.page(path).blocks where block.language == "console" {
      for line in block.lines where line.hasPrefix("$ ") {
        for command in line.dropFirst(2).split(separator: "|") {
          let words = command.split(separator: " ").map(String.init)
          let place = "\(path):\(block.line): \(command)"
          let name = try #require(words.first, "\(place)")
          if name.hasPrefix("script/") {
            #expect(DocumentTree.isExecutable(name), "\(place): no such script")
          } else if programs.contains(name) {
            let verb = try #require(words.dropFirst().first, "\(place): no verb")
            #expect(try Self.verbs(of: name).contains(verb), "\(place): no such verb")
          }
        }
      }
    }
  }

  static let programs: Set<String> = [
    "book-catalog", "household-ledger", "event-log", "student-roster", "news-feed",
  ]

  /// Names of commands that are written in a program's sources or in the generic ones: `commandName: "list"`.
  private static func verbs(of program: String) throws -> Set<String> {
    let folders = ["Sources/Scenarios/\(program)", "Sources/Adapters/CommandLineFrontEnd"]
    var verbs: Set<String> = []
    for path in folders.flatMap({ DocumentTree.files(under: $0, "swift") }) {
      for piece in try DocumentTree.text(path).split(separator: "commandName: \"").dropFirst() {
        verbs.insert(String(piece.prefix { $0 != "\"" }))
      }
    }
    return verbs
  }
}
