import ResultsStoreKit
import Foundation
import ResultsTesting
import Testing
import WireFormat

/// Authors and tags of books, by name in arguments, files and lists.
@Suite struct AuthorTests {
  private let run: ProgramRun

  init() throws {
    run = try ProgramRun()
  }

  private func catalog(_ arguments: String..., expecting status: Int32 = 0) throws -> ProgramResult
  {
    let result = try run.run("book-catalog", arguments + ["--store", "books.sqlite"])
    #expect(result.status == status, "\(result)")
    return result
  }

  /// Adds six books by three authors, some with tags.
  private func fill() throws {
    let lines = [
      "publisher,title,author,tags", "p,Kappa,Ada,sf; sea", "q,Alpha,Bo,", "p,Gamma,Ada,sf",
      "q,Beta,Cy,war", "r,Delta,Ada,", "r,Omega,Bo,sf",
    ]
    try run.write(lines.joined(separator: "\n") + "\n", to: "books.csv")
    _ = try catalog("import", "books.csv")
  }

  private func sql(_ statements: String) throws -> String {
    let shell = try RunningProgram(
      "/usr/bin/sqlite3",
      ["-cmd", ".timeout 20000", "books.sqlite", statements],
      environment: run.environment,
      folder: run.folder
    )
    let result = try shell.finish()
    #expect(result.status == 0, "\(result)")
    return result.output
  }

  @Test func `an import finds or creates authors and tags by their exact names`() throws {
    try fill()
    #expect(try sql("SELECT id || name FROM Author ORDER BY id") == "1Ada\n2Bo\n3Cy\n")
    #expect(try sql("SELECT name FROM Tag ORDER BY name") == "sea\nsf\nwar\n")
    _ = try catalog("add", "publisher=p", "title=New", "author=ada", "tags= war ;sf;; war")
    #expect(try sql("SELECT name FROM Author WHERE id = 4") == "ada\n")
    let shown = try catalog("show", "7").lines
    #expect(shown.contains("author      ada") && shown.contains("tags        sf; war"), "\(shown)")
    let again = try catalog("import", "books.csv")
    #expect(again.output == "imported 0 books, 6 known already\n")
  }

  @Test(arguments: ["csv", "tsv", "jsonl"])
  func `names come back from a file exactly`(_ form: String) throws {
    let names = ["a;b", "\\", "\\;", " x ", "é;", "-", "\\-", "two  words", "tab\t", ""]
    let tags = names.map { $0.replacing("'", with: "''") }
    _ = try catalog("add", "publisher=p", "title=t", "author= ; ")
    for (number, tag) in tags.enumerated() {
      _ = try sql("INSERT INTO Tag VALUES (\(number + 1), '\(tag)')")
      _ = try sql("INSERT INTO BookTag VALUES (1, \(number + 1))")
    }
    _ = try catalog("export", "out.\(form)")
    try run.run("book-catalog", "import", "out.\(form)", "--store", "back.sqlite")
    try run.run("book-catalog", "export", "back.\(form)", "--store", "back.sqlite")
    #expect(try run.read("out.\(form)") == run.read("back.\(form)"))
    let query = "SELECT '<' || name || '>' FROM Tag ORDER BY name"
    let shell = try RunningProgram(
      "/usr/bin/sqlite3",
      ["back.sqlite", query],
      environment: run.environment,
      folder: run.folder
    )
    #expect(try shell.finish().output == sql(query))
    #expect(try catalog("import", "back.\(form)").output == "imported 0 books, 1 known already\n")
  }

  @Test func `R193: a book whose author another program deleted can be edited, and is mended`()
    throws
  {
    try fill()
    _ = try sql("DELETE FROM Author WHERE name = 'Ada'")
    let doctor = try catalog("doctor").output
    #expect(doctor.contains("such as row 1: write another key or NULL into them"), "\(doctor)")
    #expect(try catalog("edit", "1", "title=Q").output == "changed title of Book 1\n")
    #expect(try catalog("edit", "1", "author=NULL").output == "changed author of Book 1\n")
    #expect(try catalog("edit", "1", "author=NULL").output == "nothing changed in Book 1\n")
    #expect(
      try catalog("edit", "3", "title=R", "author=NULL").output
        == "changed title, author of Book 3\n"
    )
    #expect(try catalog("edit", "5", "author=Eve").output == "changed author of Book 5\n")
    #expect(try sql("SELECT count(*) FROM pragma_foreign_key_check") == "0\n")
    #expect(
      try sql("SELECT title, ifnull(authorID, 'none') FROM Book WHERE id IN (1, 3)")
        == "Q|none\nR|none\n"
    )
  }

  @Test func `an edit changes the author and the tags, and leaves the objects`() throws {
    try fill()
    let changed = try catalog("edit", "1", "author=Bo", "tags=sf; new")
    #expect(changed.output == "changed author, tags of Book 1\n")
    #expect(
      try catalog("edit", "1", "author=Bo", "tags=new;sf").output.hasPrefix("nothing changed")
    )
    let tags =
      "SELECT group_concat(name, ' ') FROM BookTag JOIN Tag ON Tag.id = tagID WHERE bookID = 1"
    #expect(try sql(tags) == "sf new\n")
    #expect(try sql("SELECT authorID FROM Book WHERE id = 1") == "2\n")
    _ = try catalog("edit", "1", "author=NULL", "tags=NULL")
    #expect(try sql("SELECT count(authorID) FROM Book WHERE id = 1") == "0\n")
    #expect(try sql("SELECT count(*) FROM BookTag WHERE bookID = 1") == "0\n")
    _ = try catalog("remove", "3", "4")
    #expect(try sql("SELECT count(*) FROM BookTag WHERE bookID IN (3, 4)") == "0\n")
    #expect(try sql("SELECT count(*) FROM Author") == "3\n")
    #expect(try sql("SELECT count(*) FROM Tag") == "4\n")
  }

  @Test func `an edit based on another author or other tags is refused with the stored names`()
    throws
  {
    try fill()
    let version = try #require(try catalog("show", "1").lines.last?.split(separator: " ").last)
    _ = try catalog("edit", "1", "tags=other")
    let refused = try catalog("edit", "1", "author=Cy", "--based-on", "\(version)", expecting: 75)
    #expect(refused.errors.contains("author      Ada (edit: Cy)"), "\(refused)")
    #expect(refused.errors.contains("tags        other\n"), "\(refused)")
  }

  @Test func `author alone means the name in options, and conditions say how to write it`() throws {
    try fill()
    let list = try catalog(
      "list",
      "--sort",
      "-author,title",
      "--section-by",
      "author",
      "--columns",
      "title,author,tags"
    )
    #expect(
      list.lines == [
        "section\ttitle\tauthor\ttags", "Ada\tDelta\tAda\t", "Ada\tGamma\tAda\tsf",
        "Ada\tKappa\tAda\tsea; sf", "Bo\tAlpha\tBo\t", "Bo\tOmega\tBo\tsf", "Cy\tBeta\tCy\twar",
      ]
    )
    #expect(try catalog("list", "--where", "author == NULL").lines.count == 1)
    for condition in ["author CONTAINS 'A'", "author == 'Ada'", "author IN {'Ada'}"] {
      let refused = try catalog("list", "--where", condition, expecting: 64)
      #expect(refused.errors.contains("author.name"), "\(refused)")
    }
    let tags = try catalog("list", "--sort", "tags", expecting: 64)
    #expect(tags.errors.contains("tags.@count"), "\(tags)")
  }

  @Test func `one JSON object of a whole list has the rows of a watch`() throws {
    try fill()
    let list = try catalog("list", "--format", "json")
    let watch = try catalog("watch", "--format", "jsonl", "--deltas", "0")
    var (listed, watched) = (WireReplay(), WireReplay())
    try listed.apply(line: try #require(list.lines.first))
    try watched.apply(line: try #require(watch.lines.first))
    #expect(listed.list?.sections == watched.list?.sections)
    #expect(
      list.output.contains(
        #""title":"Gamma","authorID":1,"year":null,"language":null,"identifier":null,"filedAs":null,"series":null,"volume":null,"rating":null,"author.name":"Ada"}"#
      ),
      "\(list)"
    )
  }

  @Test
  func `R94, R95: a watch and a list take paths, and a commit of another program is one delta`()
    throws
  {
    try fill()
    let list = try catalog(
      "list",
      "--section-by",
      "author.name",
      "--where",
      "ANY tags.name == 'sf'",
      "--format",
      "jsonl"
    )
    #expect(
      list.lines == [
        #"{"section":"Ada","id":3,"title":"Gamma","author":"Ada","year":null}"#,
        #"{"section":"Ada","id":1,"title":"Kappa","author":"Ada","year":null}"#,
        #"{"section":"Bo","id":6,"title":"Omega","author":"Bo","year":null}"#,
      ],
      "\(list)"
    )
    let watch = try run.start(
      "book-catalog",
      "watch",
      "--sort",
      "author.name,title",
      "--section-by",
      "none",
      "--format",
      "jsonl",
      "--deltas",
      "1",
      "--store",
      "books.sqlite"
    )
    var replay = WireReplay()
    try replay.apply(line: try #require(try watch.line()))
    _ = try sql(
      "BEGIN; UPDATE Author SET name='Zz' WHERE id=1; UPDATE Book SET authorID=2 WHERE id=5; COMMIT"
    )
    let delta = try #require(try watch.line())
    try replay.apply(line: delta)
    let result = try watch.finish()
    #expect(result.status == 0 && result.output.isEmpty, "\(result)")
    let rows = replay.list?.sections.flatMap(\.rows).map { "\($0)" } ?? []
    #expect(rows.count == 6)
    let operations = delta.components(separatedBy: #"{"op":""#).dropFirst()
    for book in [1, 3] {
      let own = operations.filter { $0.contains(#""id":\#(book),"from""#) }
      #expect(own.count == 1 && own[0].hasPrefix("move"), "\(delta)")
      #expect(own[0].contains(#""changed":["author.name"]"#), "\(delta)")
    }
    let moved = operations.filter { $0.contains(#""id":5,"from""#) }
    #expect(
      moved.count == 1 && moved[0].contains(#""changed":["authorID","author.name"]"#),
      "\(delta)"
    )
    #expect(operations.count == 3, "\(delta)")
  }

  @Test func `R297: the names of several objects are a column that a watch follows`() throws {
    try fill()
    _ = try catalog("edit", "1", "coauthors=Ada; Eve")
    let watch = try run.start(
      "book-catalog",
      "watch",
      "--columns",
      "title,coauthors,tags",
      "--deltas",
      "3",
      "--store",
      "books.sqlite"
    )
    var lines: [String] = []
    for _ in 0..<7 { lines.append(try #require(try watch.line())) }
    #expect(lines.contains("p\tKappa\tAda; Eve\tsea; sf"), "\(lines)")
    for statement in [
      "UPDATE Tag SET name = 'ocean' WHERE name = 'sea'",
      "DELETE FROM BookAuthor WHERE authorID = 1",
      "INSERT INTO BookTag SELECT 2, id FROM Tag WHERE name = 'war'",
    ] { _ = try sql(statement) }
    let result = try watch.finish()
    for change in [
      "Kappa · Ada; Eve · ocean; sf  changed tags.name",
      "Kappa · Eve · ocean; sf  changed coauthors.name", "Alpha · war  changed tags.name",
    ] { #expect(result.output.contains(change), "\(result)") }
  }

  @Test func `R297: a filter on the author finds the other authors, and a browser shows them`()
    throws
  {
    try fill()
    _ = try catalog("edit", "1", "coauthors=Eve; Bo")
    func titles(_ filter: String) throws -> [String] {
      let screen = try catalog(
        "browse",
        "--print",
        "--size",
        "80x20",
        "--columns",
        "title,author,coauthors",
        "--section-by",
        "none",
        "--sort",
        "title",
        "--keys",
        "/\(filter)\\r"
      )
      return screen.lines.dropFirst(2).compactMap { line in
        line.dropFirst(3).split(separator: " ").first.map(String.init)
      }.filter { ["Alpha", "Beta", "Delta", "Gamma", "Kappa", "Omega"].contains($0) }
    }
    #expect(try titles("author:bo") == ["Alpha", "Kappa", "Omega"])
    #expect(try titles("author=Bo") == ["Alpha", "Kappa", "Omega"])
    #expect(try titles("-author:bo") == ["Beta", "Delta", "Gamma"])
    #expect(try titles("author!=Bo") == ["Beta", "Delta", "Gamma", "Kappa"])
    #expect(try titles("coauthors:eve") == ["Kappa"])
    #expect(try titles("bo") == ["Alpha", "Kappa", "Omega"])
    let screen = try catalog(
      "browse",
      "--print",
      "--size",
      "80x8",
      "--columns",
      "title,author,coauthors"
    )
    #expect(screen.output.contains("Bo; Eve"), "\(screen)")
  }

  @Test func `R106: sections by author are the authors, and not their names`() throws {
    try fill()
    _ = try sql(
      "INSERT INTO Author (id, name) VALUES (9, 'Ada'); UPDATE Book SET authorID = 9 WHERE id = 5;"
        + "INSERT INTO Book (id, publisher, title) VALUES (7, 'z', 'Zero')"
    )
    let list = try catalog(
      "list",
      "--section-by",
      "author",
      "--section-limit",
      "1",
      "--columns",
      "title",
      "--format",
      "csv"
    )
    #expect(
      list.lines == ["section,title", ",Zero", "Ada,Gamma", "Ada,Delta", "Bo,Alpha", "Cy,Beta"],
      "\(list)"
    )
    let collapsed = try catalog(
      "list",
      "--section-by",
      "author",
      "--collapse",
      "1,(none)",
      "--columns",
      "title",
      "--format",
      "csv"
    )
    #expect(
      collapsed.lines == ["section,title", "Ada,Delta", "Bo,Alpha", "Bo,Omega", "Cy,Beta"],
      "\(collapsed)"
    )
    let plan = try catalog("list", "--section-by", "author", "--explain")
    #expect(plan.lines.contains("sections   4 objects of Author, by name ascending"), "\(plan)")
    let refused = try catalog("list", "--section-by", "author", "--limit", "2", expecting: 64)
    #expect(refused.errors.contains("Use --section-limit"), "\(refused)")
    let watch = try run.start(
      "book-catalog",
      "watch",
      "--section-by",
      "author",
      "--columns",
      "title",
      "--format",
      "jsonl",
      "--deltas",
      "1",
      "--store",
      "books.sqlite"
    )
    var replay = WireReplay()
    try replay.apply(line: try #require(try watch.line()))
    _ = try sql("UPDATE Author SET name = 'Zed' WHERE id = 1")
    let delta = try #require(try watch.line())
    try replay.apply(line: delta)
    #expect(try watch.finish().status == 0)
    #expect(
      delta.hasSuffix(
        #""sections":[{"op":"move","from":1,"to":4,"id":1,"title":"Zed"}],"rows":[]}"#
      ),
      "\(delta)"
    )
    #expect(replay.list?.sections.map(\.title) == ["", "Ada", "Bo", "Cy", "Zed"])
  }

  @Test func `the columns of a list follow a renamed author`() throws {
    try fill()
    let watch = try run.start(
      "book-catalog",
      "watch",
      "--deltas",
      "1",
      "--store",
      "books.sqlite"
    )
    while try watch.line()?.hasPrefix("6 books") == false {}
    _ = try sql("UPDATE Author SET name = 'Zed' WHERE id = 3")
    let line = try #require(try watch.line())
    #expect(line.hasPrefix("~") && line.hasSuffix("Beta · Zed  changed author.name"), "\(line)")
    #expect(try watch.finish().status == 0)
  }

  @Test func `an explanation and the doctor name each join and the index of its inverse (R89)`()
    throws
  {
    try fill()
    let author = "relation   Book.author joins Author.id = Book.authorID; Book.authorID "
    let list = ["list", "--explain", "--sort", "author"]
    func explanation() throws -> [String] {
      try run.run("book-catalog", list + ["--store", "books.sqlite"]).lines
    }
    #expect(try explanation().contains(author + "is found by the index BookByAuthorID"))
    #expect(try !catalog("list", "--explain").lines.contains { $0.hasPrefix("relation") })
    let shown = try catalog("list", "--explain", "--columns", "title,author.name").lines
    #expect(shown.contains(author + "is found by the index BookByAuthorID"), "\(shown)")
    let tags =
      "relation   Book.tags joins Book.id = BookTag.bookID and Tag.id = BookTag.tagID; BookTag.bookID is found"
      + " by the primary key, BookTag.tagID is found by the index BookTagByTagID"
    let doctor = try catalog("doctor").lines
    #expect(doctor.contains(author + "is found by the index BookByAuthorID"))
    #expect(doctor.contains(tags), "\(doctor)")
    _ = try sql("DROP INDEX BookByAuthorID")
    let missing =
      author
      + "has no index, so all rows are read; this creates one: CREATE INDEX \"BookByAuthorID\" ON \"Book\" (\"authorID\")"
    #expect(try explanation().contains(missing))
    #expect(try catalog("doctor").lines.contains(missing))
  }
}
