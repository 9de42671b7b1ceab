import Foundation
import ResultsTesting
import Testing

/// What books are filed as: from the articles of their titles, unless users say otherwise.
@Suite struct FiledTitleTests {
  private let run: ProgramRun

  init() throws { run = try ProgramRun() }

  private func catalog(_ arguments: String...) throws -> String {
    let result = try run.run("book-catalog", arguments + ["--store", "books.sqlite"])
    #expect(result.status == 0, "\(result)")
    return result.output
  }

  /// The titles with what they are filed as, in filing order.
  private func filed() throws -> [String] {
    try catalog("list", "--sort", "filing", "--section-by", "none", "--columns", "title,filedAs")
      .split(separator: "\n").dropFirst().map(String.init)
  }

  @Test func `R288: new books are filed by the articles of their languages, and known ones stay`()
    throws
  {
    let file = """
      publisher,title,language
      p,The Zoo,
      p,L'Étranger,fr
      p,Die Hard,eng
      p,Øen,dan

      """
    try run.write(file, to: "books.csv")
    #expect(try catalog("import", "books.csv") == "imported 4 books, 0 known already\n")
    _ = try catalog("add", "publisher=p", "title=An Oak", "language=en")
    _ = try catalog("add", "publisher=p", "title=The Ark", "filedAs=Noah")
    #expect(
      try filed() == [
        "Die Hard\t", "L'Étranger\tÉtranger, L'", "The Ark\tNoah", "An Oak\tOak, An", "Øen\t",
        "The Zoo\tZoo, The",
      ]
    )
    // What a book is filed as does not make it another book.
    _ = try catalog("edit", "1", "filedAs=NULL")
    #expect(try catalog("import", "books.csv") == "imported 0 books, 4 known already\n")
    #expect(try filed().contains("The Zoo\t"))
  }

  @Test func `R288: what a book is filed as follows its title, unless it is the user's own text`()
    throws
  {
    _ = try catalog("add", "publisher=p", "title=The Zoo", "language=en")
    #expect(try catalog("edit", "1", "title=The Ark") == "changed title, filedAs of Book 1\n")
    #expect(try filed() == ["The Ark\tArk, The"])
    _ = try catalog("edit", "1", "title=Ark")
    #expect(try filed() == ["Ark\t"])
    _ = try catalog("edit", "1", "title=Le Zoo", "language=fr")
    #expect(try filed() == ["Le Zoo\tZoo, Le"])
    _ = try catalog("edit", "1", "filedAs=Own")
    _ = try catalog("edit", "1", "title=Les Zoos")
    #expect(try filed() == ["Les Zoos\tOwn"])
    _ = try catalog("edit", "1", "title=The Ark", "language=en", "filedAs=NULL")
    _ = try catalog("edit", "1", "year=2000")
    #expect(try filed() == ["The Ark\t"])
    _ = try catalog("undo")
    _ = try catalog("undo")
    #expect(try filed() == ["Les Zoos\tOwn"])
  }

  @Test func `R286: an order may be a function of two values`() throws {
    _ = try catalog("add", "publisher=p", "title=The Zoo")
    _ = try catalog("add", "publisher=p", "title=Ark, (b)")
    for order in ["-filing(ifnull(filedAs, title)),year", "-filing", "-ifnull(filedAs, ')')"] {
      #expect(
        try catalog("list", "--sort", order, "--section-by", "none", "--columns", "title")
          == "title\nThe Zoo\nArk, (b)\n"
      )
    }
    let wrong = try run.run(
      "book-catalog",
      ["list", "--sort", "filng", "--store", "books.sqlite"]
    )
    #expect(wrong.status == 64 && wrong.errors.contains("Did you mean “filing”?"), "\(wrong)")
  }
}
