import ResultsStoreKit
import Testing

@Suite("What the documents refer to")
struct ReferenceTests {
  @Test(arguments: DocumentTree.documents)
  func `every link points to a file and a heading in it`(_ path: String) throws {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    for link in DocumentPage.links(in: try DocumentTree.text(path)) {
      let inFolder = folder.isEmpty ? link.path : "\(folder)/\(link.path)"
      let target = link.path.isEmpty ? path : inFolder
      #expect(DocumentTree.exists(target), "\(path) links to \(link.path)")
      guard let anchor = link.anchor, DocumentTree.exists(target) else { continue }
      let anchors = DocumentPage.anchors(in: try DocumentTree.text(target))
      #expect(anchors.contains(anchor), "\(path) links to \(link.path)#\(anchor)")
    }
  }

  @Test(arguments: DocumentTree.documents)
  func `every command shown exists`(_ path: String) throws {
    let programs = Self.programs
    for block in try DocumentTree.page(path).blocks where block.language == "console" {
      for line in block.lines where line.hasPrefix("$ ") {
        for command in line.dropFirst(2).split(separator: "|") {
          let words = command.split(separator: " ").map(String.init)
          let location = "\(path):\(block.line): \(command)"
          let name = try #require(words.first, "\(location)")
          if name.hasPrefix("script/") {
            #expect(DocumentTree.isExecutable(name), "\(location): no such script")
          } else if programs.contains(name) {
            let verb = try #require(words.dropFirst().first, "\(location): no verb")
            #expect(try Self.verbs(of: name).contains(verb), "\(location): no such verb")
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
    // `help` is a verb of the argument parser.
    var verbs: Set<String> = ["help"]
    for path in folders.flatMap({ DocumentTree.files(under: $0, "swift") }) {
      for part in try DocumentTree.text(path).split(separator: "commandName: \"").dropFirst() {
        verbs.insert(String(part.prefix { $0 != "\"" }))
      }
    }
    return verbs
  }
}
