import ResultsStoreKit
import Foundation
import Testing

/// R160, R161: what programs say of databases that they cannot use.
@Suite("Refused databases of PostgreSQL", .timeLimit(.minutes(5)))
struct PostgreSQLRefusalTests {
  static let programs = [
    "book-catalog", "household-ledger", "event-log", "student-roster", "news-feed",
  ]

  @Test(arguments: programs)
  func `R161: a password in a URL is shown by no message`(_ program: String) throws {
    let run = try ProgramRun()
    let url = "postgresql://ann:open-sesame@db.invalid/x"
    for arguments in [
      ["list", "--store", url], ["list", "--store=\(url)", "--verbose"], ["lst", "--store", url],
      ["list", "--stroe=\(url)"], ["watch", "--format", "nonsense", "--store", url], [url],
      ["story", "--store", url], ["import", url], ["doctor", "--busy-timeout", url],
    ] {
      let result = try run.run(program, arguments)
      #expect(result.status == 64, "\(result)")
      #expect(!(result.output + result.errors).contains("sesame"), "\(result)")
    }
    let folder = "\(run.folder)/.config/\(program)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try run.write("# mine\nstore = \(url)\n", to: ".config/\(program)/config")
    let configured = try run.run(program, "list", expecting: 78)
    #expect(configured.errors.contains("config:2:"))
    #expect(!configured.errors.contains("sesame"))
  }

  #if PostgreSQL
  @Test func `R160: a malformed URL is refused with the reason of libpq`() throws {
    let run = try ProgramRun()
    let result = try run.run(
      "book-catalog",
      "list",
      "--store",
      "postgresql://db/x?nonsense=1",
      expecting: 64
    )
    #expect(result.errors.contains("nonsense"))
  }

  @Test func `R160: a server that cannot be reached and a database that is empty`() throws {
    let server = try ServerRun()
    for (url, words) in [
      ("postgresql://localhost:1/x", "cannot be reached"),
      (server.url(of: "no_such_base"), "no_such_base"),
    ] {
      let result = try server.run.run("book-catalog", "list", "--store", url, expecting: 69)
      #expect(result.errors.contains(words), "\(result)")
    }
    // Only reading creates nothing.
    for arguments in [["list"], ["export", "-"], ["doctor"], ["list", "--read-only"]] {
      let result = try server.run.run("book-catalog", arguments + ["--store", server.url])
      #expect(result.status == 65, "\(result)")
      #expect(result.errors.contains("has no table Book"), "\(result)")
    }
    let books = ProgramFolder.fixture("books-200.tsv")
    let dry = try server.run("book-catalog", "import", books, "--dry-run")
    #expect(dry.output.contains("would import 200 books"))
    #expect(try server.psql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "0")
  }

  @Test func `R160: a user with the rights of the documentation, and without them`() throws {
    let server = try ServerRun()
    try server.run("book-catalog", "demo")
    let role = "reader_\(ProcessInfo.processInfo.processIdentifier)"
    try server.psql("CREATE ROLE \(role) LOGIN")
    defer { _ = try? server.psql("DROP OWNED BY \(role); DROP ROLE \(role)") }
    let store = ["--store", server.url.replacing("results@", with: "\(role)@")]
    let add = ["add", "publisher=p", "title=t"] + store
    let none = try server.run.run("book-catalog", ["list"] + store)
    #expect(none.status == 66 || none.status == 73, "\(none)")
    #expect(none.errors.contains("permission") || none.errors.contains("GRANT"), "\(none)")

    let tables = "\"Book\", \"Author\", \"BookAuthor\", \"Tag\", \"BookTag\""
    try server.psql(
      """
      GRANT SELECT ON \(tables) TO \(role); GRANT USAGE ON SCHEMA fetched_results TO \(role);
      GRANT SELECT ON ALL TABLES IN SCHEMA fetched_results TO \(role);
      GRANT EXECUTE ON FUNCTION fetched_results.life(), fetched_results.renew(uuid, xid8), fetched_results.arm(),
        fetched_results.disarm(bigint), fetched_results.trim(interval, bigint) TO \(role)
      """
    )
    for verb in [["list"], ["watch", "--deltas", "0"], ["doctor"]] {
      let result = try server.run.run("book-catalog", verb + store)
      #expect(result.status == 0, "\(result)")
    }
    let refused = try server.run.run("book-catalog", add)
    #expect([66, 73].contains(refused.status), "\(refused)")
    #expect(refused.errors.contains("permission"), "\(refused)")

    try server.psql(
      """
      GRANT INSERT, UPDATE, DELETE ON \(tables) TO \(role); GRANT UPDATE ON fetched_results.turn TO \(role);
      GRANT EXECUTE ON FUNCTION fetched_results.marker(bigint, text) TO \(role)
      """
    )
    let added = try server.run.run("book-catalog", add)
    #expect(added.status == 0, "\(added)")
  }

  @Test func `R160: a database in another encoding is refused, and nothing is made in it`() throws {
    let server = try ServerRun()
    let name = "latin_\(ProcessInfo.processInfo.processIdentifier)"
    try server.psql("CREATE DATABASE \(name) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    defer { _ = try? server.psql("DROP DATABASE \(name)") }
    let url = server.url(of: name)
    let refused = try server.run.run("book-catalog", "demo", "--store", url, expecting: 69)
    #expect(refused.errors.contains("LATIN1") && refused.errors.contains("UTF8"), "\(refused)")
    #expect(
      try ServerRun.psql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", url) == "0"
    )
  }
  #else
  @Test(arguments: programs)
  func `R160: a build without the store says how to build it`(_ program: String) throws {
    let run = try ProgramRun()
    for verb in ["list", "story", "doctor"] {
      let result = try run.run(program, verb, "--store", "postgresql://db/x", expecting: 64)
      #expect(result.errors.contains("swift build --traits PostgreSQL"), "\(result)")
    }
  }
  #endif
}
