#if Web
import ResultsStoreKit
import Foundation
import Testing
import WireFormat

/// R239, R240: lists that are opened from the rows of others, and the file of the token.
@Suite("Lists over lists", .serialized)
struct WebVisitTests {
  private func serveTables() throws -> (ServedProgram, WebSession) {
    let folder = try WebFolder()
    try folder.makeBooks(40)
    let served = try ServedProgram("live-list", in: folder, arguments: ["b.sqlite"])
    return (served, try WebSession(served))
  }

  /// Opens the table that a row of the list of tables names.
  private func visit(_ row: String, _ session: WebSession) throws -> String {
    let links = try session.get("/api/links?id=\(row)").json["links"]?.array
    let name = try #require(links?.first?["name"]?.string)
    let answer = try session.post(
      "/api/visit",
      .members(["id": .string(row), "name": .string(name)])
    )
    #expect(answer.status == 200, "\(answer.text)")
    return try #require(answer.json["site"]?.string)
  }

  private func book(_ session: WebSession) throws -> String {
    let page = try session.page("from=0&count=96")
    try page.takeLine()
    let rows = page.replay.rows.compactMap(\.self)
    return try #require(rows.first { $0.cells.first == "Book" }).id
  }

  @Test
  func `R239: a table is opened from the list of tables, and only the first list is sent whole`()
    throws
  {
    let (served, session) = try serveTables()
    let site = try visit(try book(session), session)
    #expect(try session.get("/api/program?site=\(site)").json["title"]?.string == "b.sqlite ▸ Book")
    let answer = try session.get("/api/events?whole&site=\(site)")
    #expect(answer.status == 400 && answer.isError, "\(answer.text)")
    #expect(try served.isHealthy)
  }

  @Test
  func `R240: lists that no page shows give way to others, and what is shown stays`() throws {
    let (served, session) = try serveTables()
    let row = try book(session)
    let first = try visit(row, session)
    let shown = try session.page("site=\(first)&from=0&count=32")
    try shown.takeLine()
    let second = try visit(row, session)
    for _ in 0..<70 { _ = try visit(row, session) }
    #expect(try session.get("/api/program?site=\(first)").status == 200)
    #expect(try session.get("/api/program?site=\(second)").status == 404)
    #expect(try session.get("/api/program").status == 200)
    #expect(try served.isHealthy)
  }

  @Test
  func `R240: a token that others can read, or that is none, is not used`() throws {
    let folder = try WebFolder()
    try folder.makeBooks(3)
    func serve(_ file: String) throws -> (status: Int32, texts: [String]) {
      try folder.start(
        "book-catalog",
        ["serve", "--store", "b.sqlite", "--port", "0", "--token-file", file]
      )
      .finish()
    }
    let token = "0123456789abcdef0123456789abcdef\n"
    for (name, text, mode, message) in [
      ("open", token, 0o644, "Other users can read or change the token"),
      ("short", "0123456789abcde\n", 0o600, "holds no token"),
      ("signs", "0123456789abcdef;a=b\n", 0o600, "holds no token"),
      ("empty", "", 0o600, "holds no token"),
    ] {
      let path = "\(folder.path)/\(name)"
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      let (status, texts) = try serve(name)
      #expect(status == 65 && texts[1].contains(message), "\(name): \(status) \(texts)")
    }
    #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    let (status, texts) = try serve("pipe")
    #expect(status == 65 && texts[1].contains("is no ordinary file"), "\(texts)")
  }
}
#endif
