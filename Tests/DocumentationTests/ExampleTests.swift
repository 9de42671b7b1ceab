import Foundation
import Testing

@Suite("Examples in documentation comments", .timeLimit(.minutes(5)))
struct ExampleTests {
  /// A block of Swift in a documentation comment.
  struct Example {
    let file: String
    /// The line of its first line of code.
    let line: Int
    let lines: [String]
  }

  /// What the examples may use without declaring it.
  private static let given = #"""
    import FetchedResults
    import ResultsStoreKit
    import SQLitePersistence

    struct Author: Entity {
      var id: Int64?
      var name = ""

      static let books = ToMany<Author, Book>("books", inverse: Book.author)

      static let schema = EntitySchema<Author>("Author", identity: \.id) {
        Attribute(\.name, "name")
        Relationship(books)
      }
    }

    struct Tag: Entity {
      var id: Int64?
      var name = ""

      static let books = ToMany<Tag, Book>("books", through: Link("BookTag", "tagID", "bookID"))

      static let schema = EntitySchema<Tag>("Tag", identity: \.id) {
        Attribute(\.name, "name")
        Relationship(books)
      }
    }

    struct Book: Entity {
      var id: Int64?
      var publisher = ""
      var title = ""
      var year = 0
      var authorID: Int64?
      var position: Int64?
      var added = Instant(microseconds: 0)

      static let author = ToOne<Book, Author>("author", \.authorID, onDelete: .nullify)
      static let tags = ToMany<Book, Tag>("tags", through: Link("BookTag", "bookID", "tagID"))

      static let schema = EntitySchema<Book>("Book", identity: \.id) {
        Attribute(\.publisher, "publisher")
        Attribute(\.title, "title")
        Attribute(\.year, "year")
        Attribute(\.authorID, "authorID")
        Attribute(\.position, "position")
        Attribute(\.added, "added")
        Relationship(author)
        Relationship(tags)
      }
    }

    func draw(_ things: Any?...) {}

    final class Table: FetchedResultsControllerDelegate {
      typealias Object = Book
    }

    struct Given {
      let store: any Store
      let transaction: any StoreTransaction
      let books: FetchedResultsController<Book>
      let results: ResultsList<Book>
      let section: ResultsSection<Book>
      let row: ResultsRow<Book>
      let change: ResultsChange<Book>
      let next: ResultsChange<Book>
      let content: ResultsContent
      let position: ResultsPosition
      let id: ObjectID
      let book: Book
      let tag: Tag
    }

    """#

  private static let names = [
    "store", "transaction", "books", "results", "section", "row", "change", "next", "content",
    "position", "id", "book", "tag",
  ]

  /// The examples of the core's sources.
  private static func examples() throws -> [Example] {
    try DocumentTree.files(under: "Sources/Core", "swift").flatMap {
      examples(in: try DocumentTree.text($0), of: $0)
    }
  }

  /// The blocks of Swift in the documentation comments of a source text.
  private static func examples(in text: String, of file: String) -> [Example] {
    var examples: [Example] = []
    var open: (line: Int, lines: [String])?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let comment = line.drop { $0 == " " }
      guard comment.hasPrefix("///") else {
        open = nil
        continue
      }
      let content = comment.dropFirst(comment.hasPrefix("/// ") ? 4 : 3)
      if content == "```swift" {
        open = (index + 2, [])
      } else if content == "```", let block = open {
        examples.append(Example(file: file, line: block.line, lines: block.lines))
        open = nil
      } else {
        open?.lines.append(String(content))
      }
    }
    return examples
  }

  /// A main file with a function for each example.
  private static func source(of examples: [Example]) -> String {
    let functions = examples.enumerated().map { number, example in
      let uses = names.map { "  let \($0) = given.\($0)\n" }.joined()
      // What is declared beside a struct stands in one.
      let isMember = example.lines.first?.hasPrefix("static ") == true
      return """
        func example\(number)(
          _ given: Given,
          _ delegate: Table,
          _ known: ShownRows<Book>
        ) async throws {
        \(uses)  var shown = known
          \(isMember ? "enum Made" : "do") {
        #sourceLocation(file: "\(example.file)", line: \(example.line))
        \(example.lines.joined(separator: "\n"))
        #sourceLocation()
          }
        }
        """
    }
    return given + functions.joined(separator: "\n\n") + "\n"
  }

  @Test func `every example compiles in another package`() throws {
    let examples = try Self.examples()
    #expect(examples.count >= 50)
    #expect(try ClientProgram.errors(in: Self.source(of: examples)) == [])
  }

  @Test func `an example that does not compile is found, with its line`() throws {
    let text =
      "/// Text.\n///\n/// ```swift\n/// let count: Int = book.title\n/// ```\nfunc f() {}\n"
    let examples = Self.examples(in: text, of: "Made.swift")
    #expect(examples.map(\.lines) == [["let count: Int = book.title"]])
    let errors = try ClientProgram.errors(in: Self.source(of: examples))
    #expect(errors.count == 1 && errors.first?.hasPrefix("Made.swift:4:") == true, "\(errors)")
  }
}
