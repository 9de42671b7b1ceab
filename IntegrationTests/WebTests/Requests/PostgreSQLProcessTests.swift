#if Web && PostgreSQL
import Foundation
import Testing
import WireFormat

/// R247: several processes over one database, two on its primary and one on a standby, behind one address.
@Suite("Several servers over PostgreSQL", .serialized, .timeLimit(.minutes(10)))
struct PostgreSQLProcessTests {
  /// What others commit: rows above, in and below the windows of the tests.
  private static let commits = [
    "DELETE FROM \"Book\" WHERE id % 90 = 7",
    "INSERT INTO \"Book\"(publisher, title) SELECT 'Publisher 00', 'A ' || i FROM generate_series(1, 5) i",
    "UPDATE \"Book\" SET title = 'B ' || title WHERE id % 50 = 3",
    "BEGIN; UPDATE \"Book\" SET publisher = 'Publisher 16' WHERE id % 110 = 5; DELETE FROM \"Book\" WHERE id = 500; COMMIT",
  ]

  @Test
  func `R247: what psql commits on the primary is in the pages of all processes`() throws {
    let served = try ServedDatabase(books: 1000)
    let session = try WebSession(served.servers[0], host: served.host)
    let pages = try served.servers.map { try session.reaching($0).page("from=300&count=96") }
    for commit in Self.commits {
      try served.database.psql(commit)
      let list = try served.list()
      for page in pages { try page.take(until: list) }
    }
    // An edit through one process is one of others' for the rest.
    let id = try #require(pages[0].replay.rows[10]?.id)
    let answer = try session.patch(
      "/api/row?id=\(id)&client=\(pages[0].client)",
      .members(["set": .texts(["title": "Edited"])])
    )
    #expect(answer.status == 200, "\(answer.text)")
    let list = try served.list()
    #expect(list.rows.contains { $0.id == id && $0.cells[0] == "Edited" })
    for page in pages {
      try page.take(until: list)
      #expect(page.misfits.isEmpty)
    }
  }

  @Test
  func `R247: a position of another process is answered by a page, its reason, and the same row`()
    throws
  {
    let served = try ServedDatabase(books: 1000)
    let session = try WebSession(served.servers[0], host: served.host)
    let page = try session.page("from=400&count=64")
    try page.takeLine()
    let middle = try #require(page.replay.rows[32]?.id)
    for commit in Self.commits { try served.database.psql(commit) }
    let list = try served.list()
    let position = try #require(list.rows.firstIndex { $0.id == middle })
    #expect(position != 432)
    let query = "from=400&count=64&at=\(middle)&above=32&after=\(page.replay.position)"
    for server in served.servers.dropFirst() {
      let other = try ShownPage(session.reaching(server), query, from: page.replay)
      let line = try other.takeLine()
      #expect(line["t"]?.string == "page" && line["reason"]?.string?.isEmpty == false)
      #expect(line["at"]?.integer == position)
      #expect(other.replay.start == position - 32)
      try other.take(until: try served.list())
      #expect(other.misfits.isEmpty)
      // The process that knows the position sends what happened since.
      let back = try ShownPage(
        session.reaching(server),
        "from=\(other.replay.start)&count=64&at=\(middle)&above=32&after=\(other.replay.position)",
        from: other.replay
      )
      try served.database.psql("UPDATE \"Book\" SET year = year + 1 WHERE id = \(middle)")
      let change = try back.takeLine()
      #expect(change["t"]?.string == "delta" && change["reason"] == nil, "\(change.text)")
    }
    // A text that is no position at all is none that is known.
    let line = try session.page("from=0&count=32&after=none").takeLine()
    #expect(line["reason"]?.string?.isEmpty == false)
    let first = try session.page("from=0&count=32").takeLine()
    #expect(first["t"]?.string == "page" && first["reason"] == nil)
  }

  @Test
  func `R247: a request for a stream of another process is refused, and its connection closed`()
    throws
  {
    let served = try ServedDatabase(books: 100)
    let session = try WebSession(served.servers[0], host: served.host)
    let other = session.reaching(served.servers[1])
    let page = try session.page("from=0&count=32")
    try page.takeLine()
    let id = try #require(page.replay.rows[3]?.id)
    let set: JSONValue = .members(["set": .texts(["title": "Never"])])
    let ids: JSONValue = .members(["ids": .array([.string(id)])])
    let window: JSONValue = .members(["from": .number("0"), "count": .number("32")])
    let client = "client=\(page.client)"
    let requests = [
      other.request("/api/row?id=\(id)&\(client)"), other.request("/api/sections?\(client)"),
      other.request("/api/jump?text=a&\(client)"),
      other.request("PATCH", "/api/row?id=\(id)&\(client)", set),
      other.request("POST", "/api/rows?\(client)", set),
      other.request("POST", "/api/delete?\(client)", ids),
      other.request("POST", "/api/undo?\(client)", .object([])),
      other.request("POST", "/api/window?\(client)", window),
      other.request("POST", "/api/hold?\(client)", .members(["held": .boolean(true)])),
    ]
    for request in requests {
      let answer = try request.answer(from: other.port)
      #expect(answer.status == 410 && answer.isError, "\(request.target): \(answer.text)")
      // The next connection may reach the process that has the stream.
      #expect(answer["connection"] == "close", "\(request.target)")
    }
    #expect(try served.list().rows.contains { $0.cells[0] == "Never" } == false)
    #expect(try page.show(window).status == 204)

    // Steps to undo are those of the process that made the change.
    let edited = try session.patch("/api/row?id=\(id)&\(client)", set)
    #expect(edited.status == 200, "\(edited.text)")
    let elsewhere = try other.post("/api/undo")
    #expect(elsewhere.status == 200)
    #expect(
      elsewhere.json["message"]?.string
        == "There is nothing to undo. Only the process that made a change takes it back."
    )
    #expect(try served.list().rows.contains { $0.cells[0] == "Never" })
    #expect(try session.post("/api/undo?\(client)").status == 200)
    #expect(try served.list().rows.contains { $0.cells[0] == "Never" } == false)
  }

  @Test
  func `R247: an edit on a standby is refused by a sentence, and nothing waits`() throws {
    let served = try ServedDatabase(books: 100)
    let session = try WebSession(served.servers[2], host: served.host)
    let page = try session.page("from=0&count=32")
    try page.takeLine()
    let id = try #require(page.replay.rows[3]?.id)
    let before = try served.list()
    let client = "client=\(page.client)"
    let set: JSONValue = .members(["set": .texts(["title": "Never", "publisher": "P"])])
    for request in [
      session.request("PATCH", "/api/row?id=\(id)&\(client)", set),
      session.request("POST", "/api/rows?\(client)", set),
      session.request(
        "POST",
        "/api/delete?\(client)",
        .members(["ids": .array([.string(id)])])
      ),
    ] {
      let answer = try request.answer(from: session.port, within: 10)
      #expect(answer.status == 403 && answer.error == "The list is read-only.", "\(answer.text)")
    }
    #expect(try served.list().rows == before.rows)
    #expect(try session.get("/api/program").json["canWrite"] == .boolean(false))
    #expect(
      try session.reaching(served.servers[0]).get("/api/program").json["canWrite"] == .boolean(true)
    )
  }

  @Test
  func `R247: a process has as many connections with many pages as with one`() throws {
    let served = try ServedDatabase(books: 1000)
    let session = try WebSession(served.servers[0], host: served.host)
    var pages = [try session.page("from=0&count=64")]
    func follow() throws {
      try served.database.psql(
        "UPDATE \"Book\" SET year = year + 1 WHERE id % 100 = \(pages.count)"
      )
      let list = try served.list()
      for page in pages { try page.take(until: list) }
    }
    try follow()
    for number in 1..<30 {
      pages.append(try session.page("from=\(number * 30)&count=64"))
    }
    for _ in 0..<3 { try follow() }
    #expect(try served.servers[0].figure("results_web_clients") == 30)
    // The readers of a store, its writer, and the one that waits for notifications; as many as a process has that nobody uses.
    let held = try served.database.psql(
      "SELECT application_name, count(*) FROM pg_stat_activity WHERE application_name LIKE 'primary%' GROUP BY 1 ORDER BY 1"
    )
    let counts = held.split(whereSeparator: { $0 == "\n" || $0 == "|" }).compactMap { Int($0) }
    #expect(counts.count == 2 && counts.allSatisfy { (1...8).contains($0) }, "\(held)")
  }
}
#endif
