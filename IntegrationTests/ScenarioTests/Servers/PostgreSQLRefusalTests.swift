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
      (server.url.replacing("/p", with: "/no_p"), "no_p"),
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

  @Test func `R160: a user without rights, another encoding and too many connections`() throws {
    let server = try ServerRun()
    try server.run("book-catalog", "demo")
    let role = "reader_\(ProcessInfo.processInfo.processIdentifier)"
    try server.psql(
      "CREATE ROLE \(role) LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)"
    )
    let url = server.url.replacing("results@", with: "\(role)@")
    let refused = try server.run.run(
      "book-catalog",
      "add",
      "publisher=p",
      "title=t",
      "--store",
      url
    )
    #expect(refused.status != 0 && refused.status != 70, "\(refused)")
    #expect(
      refused.errors.contains("permission") || refused.errors.contains("may not"),
      "\(refused)"
    )
    let read = try server.run.run("book-catalog", "list", "--store", url)
    #expect(read.status == 0, "\(read)")
    try server.psql("DROP OWNED BY \(role); DROP ROLE \(role)")

    let latin = server.url.replacing("/p", with: "/latin_p")
    let name = try #require(URLComponents(string: latin)?.path.dropFirst())
    try server.psql("CREATE DATABASE \(name) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    defer { _ = try? server.psql("DROP DATABASE \(name)") }
    let encoded = try server.run.run("book-catalog", "demo", "--store", latin, expecting: 69)
    #expect(encoded.errors.contains("LATIN1") && encoded.errors.contains("UTF8"), "\(encoded)")
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
