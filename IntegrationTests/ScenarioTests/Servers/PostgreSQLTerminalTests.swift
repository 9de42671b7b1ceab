#if PostgreSQL
import ResultsStoreKit
import Foundation
import Testing

/// R161, R163: a database on a terminal.
@Suite(
  "PostgreSQL on a terminal",
  .serialized,
  .enabled(if: TerminalRun.exists),
  .timeLimit(.minutes(5))
)
struct PostgreSQLTerminalTests {
  @Test func `R163: the cursor stays on its row while psql writes`() throws {
    let server = try ServerRun()
    let terminal = try TerminalRun()
    let rows = ["A", "B", "C", "D"].flatMap { section in
      (0..<10).map { "\(section),\(section.lowercased())\($0),Author,200\($0)" }
    }
    let file = try server.run.write(
      "publisher,title,author,year\n" + rows.joined(separator: "\n") + "\n",
      to: "books.csv"
    )
    try server.run("book-catalog", "import", file)
    try terminal.enter("book-catalog browse --store '\(server.url)'; echo status $?")
    try terminal.wait("the list") { $0.contains("40 books in 4") && $0.contains("a0") }
    try terminal.type("12j")
    var lines = try terminal.wait("the cursor") { $0.contains(">  b1") }
    let line = try #require(terminal.cursor(lines)).number
    try server.psql(
      "INSERT INTO \"Book\" (publisher, title) VALUES ('0', 'zero'), ('A', 'a00'), ('A', 'a01')"
    )
    lines = try terminal.wait("the new rows") { $0.contains("43 books in 5") }
    #expect(terminal.cursor(lines)?.number == line)
    #expect(terminal.cursor(lines)?.text.hasPrefix(">  b1") == true)
    try server.psql("UPDATE \"Book\" SET publisher = 'D' WHERE title = 'b1'")
    lines = try terminal.wait("the reason") { $0.contains("b1 went to D") }
    #expect(terminal.cursor(lines)?.text.hasPrefix(">  b2") == true)
    try terminal.type("q")
    try terminal.wait("the end") { $0.contains("status 0") }
  }

  @Test
  func `R271, R272: a form follows psql, shows both values of a conflict, and what is deleted`()
    throws
  {
    let server = try ServerRun()
    let terminal = try TerminalRun()
    let file = try server.run.write(
      "publisher,title,author,year\nA,a0,Ann,1990\nB,b0,Bob,1991\n",
      to: "books.csv"
    )
    try server.run("book-catalog", "import", file)
    try terminal.enter(
      "book-catalog browse --section-by author.name --store '\(server.url)'; echo status $?"
    )
    try terminal.wait("the list") { $0.contains("2 books in 2") && $0.contains("a0") }
    try terminal.type("e")
    try terminal.wait("the form") { $0.contains("┌ edit a0") && $0.contains("[1990") }
    try server.psql("UPDATE \"Book\" SET year = 1950 WHERE title = 'a0'")
    try terminal.wait("the year") { $0.contains("[1950") }
    try terminal.press("Tab", "Tab", "C-u")
    try terminal.type("Cem")
    try terminal.wait("the landing") { $0.contains("lands in a new section, Cem, after Bob") }
    try terminal.press("Tab", "C-u")
    try terminal.type("2001")
    try server.psql("UPDATE \"Book\" SET year = 1951 WHERE title = 'a0'")
    try terminal.wait("the conflict") { $0.contains("Others have stored “1951”") }
    try terminal.press("Enter")
    try terminal.wait("the versions") { $0.contains("1951  !") && $0.contains("2001  !") }
    try terminal.type("o")
    try terminal.wait("the row") { $0.contains("▾ Cem ─") && $0.contains("changed author, year") }
    let book = "SELECT year, name FROM \"Book\" b JOIN \"Author\" a ON a.id = \"authorID\""
    #expect(try server.psql("\(book) WHERE title = 'a0'").contains("2001|Cem"))
    try terminal.type("e")
    try terminal.wait("the form") { $0.contains("┌ edit a0") }
    try terminal.type("x")
    try server.psql("DELETE FROM \"Book\" WHERE title = 'a0'")
    try terminal.wait("the reason") { $0.contains("Others have deleted it.") }
    try terminal.press("Enter")
    try terminal.wait("the question") { $0.contains("a add it again") }
    try terminal.type("a")
    try terminal.wait("the row") { $0.contains("again: u undoes.") }
    #expect(try server.psql("\(book) WHERE title = 'a0'").contains("2001|Cem"))
    try terminal.type("q")
    try terminal.wait("the end") { $0.contains("status 0") }
  }

  @Test func `R161: a password that the server wants is asked for, and is not shown`() throws {
    let server = try ServerRun(on: "tests-password", settings: [])
    try server.run("book-catalog", "demo")
    try server.psql("CREATE ROLE ann SUPERUSER LOGIN PASSWORD 'open-sesame'")
    try ServerRun.shell(
      "printf 'local all results trust\\nlocal all all scram-sha-256\\n' > \"$0\"",
      argument: try server.psql("SHOW hba_file")
    )
    try server.psql("SELECT pg_reload_conf()")
    let url = server.url.replacing("results@", with: "ann@")
    // Nobody can be asked without a terminal.
    let silent = try server.run.run("book-catalog", ["list", "--store", url])
    #expect(silent.status == 69 && silent.errors.contains("password"), "\(silent)")
    server.run.environment["PGPASSWORD"] = "open-sesame"
    #expect(try server.run.run("book-catalog", ["list", "--store", url]).status == 0)
    server.run.environment["PGPASSWORD"] = "wrong-one"
    let wrong = try server.run.run("book-catalog", ["list", "--verbose", "--store", url])
    #expect(wrong.status == 69 && !wrong.errors.contains("wrong-one"), "\(wrong)")
    #expect(wrong.errors.contains("password authentication failed"), "\(wrong)")

    let terminal = try TerminalRun()
    try terminal.enter("book-catalog list --limit 1 --store '\(url)'; echo status $?")
    try terminal.wait("the question") { $0.contains("Password for postgresql://ann@") }
    try terminal.type("open-sesame")
    try terminal.press("Enter")
    let lines = try terminal.wait("the list") { $0.contains("status 0") }
    #expect(!lines.joined().contains("sesame"))
    try terminal.enter("book-catalog list --store '\(url)'; echo status $?")
    try terminal.wait("the second question") {
      $0.components(separatedBy: "Password for").count == 3
    }
    try terminal.press("C-c")
    // The program has ended, and the terminal shows again what is typed.
    try terminal.enter("echo sho''wn")
    try terminal.wait("the echo") { $0.contains("echo sho''wn") && $0.contains("shown") }
    try ServerRun.script(["remove", server.server])
  }
}
#endif
