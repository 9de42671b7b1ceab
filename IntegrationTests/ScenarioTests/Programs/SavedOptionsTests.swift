import Foundation
import ResultsStoreKit
import Testing

/// R283: lists and imports are saved under names.
@Suite("Saved options", .timeLimit(.minutes(3)))
struct SavedOptionsTests {
  private func catalog() throws -> ProgramRun {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo")
    return run
  }

  private let recent = [
    "--where", "title > 'W'", "--sort=-title", "--section-by", "none", "--columns",
    "title,publisher",
  ]

  @Test func `R283: a saved list is what was listed, in every verb that lists`() throws {
    let run = try catalog()
    let listed = try run.run("book-catalog", ["list", "--save", "recent"] + recent)
    #expect(listed.status == 0 && listed.errors.contains("saved; use it with --list recent"))
    #expect(listed.lines.count > 2)
    #expect(try run.run("book-catalog", "list", "--list", "recent").output == listed.output)
    let exported = try run.run("book-catalog", "export", "-", "--list=recent", "--format", "csv")
    #expect(exported.lines.count == listed.lines.count, "\(exported)")
    let watched = try run.run("book-catalog", "watch", "--list", "recent", "--deltas", "0")
    #expect(watched.lines.first == listed.lines[1], "\(watched)")
    #expect(watched.lines.count >= listed.lines.count - 1, "\(watched)")
    let browsed = try run.run(
      "book-catalog",
      "browse",
      "--list",
      "recent",
      "--print",
      "--size",
      "60x10"
    )
    #expect(browsed.output.contains("\(listed.lines.count - 1) books"), "\(browsed)")
    // The command line takes precedence.
    let reversed = try run.run("book-catalog", "list", "--list", "recent", "--sort", "title")
    #expect(reversed.lines.dropFirst().reversed() == Array(listed.lines.dropFirst()))
    // A name can be saved from another.
    try run.run("book-catalog", "list", "--list", "recent", "--limit", "1", "--save", "newest")
    #expect(try run.run("book-catalog", "list", "--list", "newest").lines.count == 2)
  }

  @Test func `R283: browse opens saved lists by a key, and says why one cannot be opened`() throws {
    let run = try catalog()
    let listed = try run.run("book-catalog", ["list", "--save", "recent"] + recent)
    try run.write("verb = list\nsort = nope\n", to: ".config/book-catalog/saved/broken")
    try run.write("verb = import\nmap = a=b\n", to: ".config/book-catalog/saved/bank")
    func screen(_ keys: String) throws -> String {
      let size = ["--size", "100x12", "--print", "--limit", "3", "--keys", keys]
      return try run.run("book-catalog", ["browse"] + size).output
    }
    let menu = try screen("L")
    #expect(menu.contains("   recent          by -title\n") && !menu.contains("bank"), "\(menu)")
    #expect(menu.contains("   broken          --sort: “nope” is not an attribute"), "\(menu)")
    // The saved list is as it was saved, whatever the options of this one.
    let opened = try screen("Lrecent\\r")
    #expect(opened.contains("recent: by -title"), "\(opened)")
    #expect(opened.contains(" \(listed.lines.count - 1) books "), "\(opened)")
    #expect(try screen("Lrecent\\r\\e").contains(" 3 of "))
    #expect(try screen("Lbroken\\r").contains("“nope” is not an attribute"))
  }

  @Test func `R283: what is saved is shown, edited as a file, and removed`() throws {
    let run = try catalog()
    _ = try run.run("book-catalog", ["list", "--save", "recent"] + recent)
    let shown = try run.run("book-catalog", "saved").output
    #expect(
      shown
        == "recent\tlist\t--where 'title > '\\''W'\\''' --sort -title --section-by none --columns title,publisher\n"
    )
    let file = run.path(".config/book-catalog/saved/recent")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(
      text
        == "verb = list\nwhere = title > 'W'\nsort = -title\nsection-by = none\ncolumns = title,publisher\n"
    )
    try run.write(
      "# mine\nverb=list\nwhere = \"year \\u003c 0\"\nreversed\n",
      to: ".config/book-catalog/saved/x"
    )
    #expect(
      try run.run("book-catalog", "saved").output.hasSuffix(
        "x\tlist\t--where 'year < 0' --reversed\n"
      )
    )
    #expect(try run.run("book-catalog", "list", "--list", "x").lines.count == 1)
    #expect(try run.run("book-catalog", "saved", "--remove", "x").output == "removed x\n")
    #expect(try run.run("book-catalog", "saved").output == shown)
    let spaces = " a\n\"b"
    try run.run("book-catalog", "list", "--where", "title == '\(spaces)'", "--save", "odd")
    #expect(try run.run("book-catalog", "saved").output.contains("odd\tlist\t--where"))
    try run.run("book-catalog", "list", "--list", "odd")
  }

  @Test(
    arguments: [
      (["list", "--list", "recnt"], 64, "Nothing is saved as “recnt”. Did you mean “recent”?"),
      (["list", "--list", "../recent"], 64, "“../recent” cannot be a name."),
      (["list", "--save", ""], 64, "“” cannot be a name."),
      (["import", "f.csv", "--with", "recent"], 64, "was saved by 'book-catalog list'."),
      (["saved", "--remove", "none"], 64, "Nothing is saved as “none”."),
      (["list", "--list", "bytes"], 78, "bytes is not a text in UTF-8 of at most a megabyte."),
      (["list", "--list", "quote"], 78, "quote:2: the value in quotes is not a JSON string."),
      (["list", "--list", "empty"], 78, "empty:1: no line says of which verb"),
      (["list", "--save", "bad", "--where", "year >"], 64, "year >"),
    ] as [([String], Int32, String)]
  )
  func `R283: what cannot be used is named, and nothing is saved`(
    arguments: [String],
    status: Int32,
    message: String
  ) throws {
    let run = try catalog()
    _ = try run.run("book-catalog", ["list", "--save", "recent"] + recent)
    try run.write("verb = list\nwhere = \"open\n", to: ".config/book-catalog/saved/quote")
    try run.write("", to: ".config/book-catalog/saved/empty")
    try Data([0xFF]).write(to: URL(fileURLWithPath: run.path(".config/book-catalog/saved/bytes")))
    let result = try run.run("book-catalog", arguments)
    #expect(result.status == status && result.errors.contains(message), "\(result)")
    #expect(!FileManager.default.fileExists(atPath: run.path(".config/book-catalog/saved/bad")))
    #expect(try run.run("book-catalog", "saved").output.contains("bytes\tcannot be read\t"))
  }

  @Test func `R283: lists of any table are saved too, and lists behind a verb are apart`() throws {
    let run = try catalog()
    try run.run("news-feed", "feeds", "list", "--sort=-title", "--save", "feeds")
    try run.run("news-feed", "feeds", "list", "--list", "feeds")
    let other = try run.run("news-feed", "list", "--list", "feeds", expecting: 64)
    #expect(other.errors.contains("was saved by 'news-feed feeds list'"), "\(other)")
    try run.run("book-catalog", "export", "b.csv")
    let path = try run.run("book-catalog", "doctor").output.split(separator: "\n")
      .first { $0.contains(".sqlite") }.flatMap { $0.split(separator: " ").last }
    let file = try #require(path.map(String.init))
    try run.run(
      "live-list",
      "list",
      file,
      "Book",
      "--sort",
      "year",
      "--limit",
      "2",
      "--save",
      "two"
    )
    #expect(try run.run("live-list", file, "Book", "--list", "two").lines.count == 3)
    #expect(try run.run("live-list", "saved").output == "two\tlist\t--sort year --limit 2\n")
  }
}
