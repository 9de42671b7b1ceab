#if Web
import Foundation
import Testing
import WireFormat

/// R241: rows are changed as the terminal's list changes them, unless others have changed them since.
@Suite("Edits of pages", .serialized)
struct WebEditTests {
  private func serve(_ options: String...) throws -> (ServedProgram, WebSession) {
    let folder = try WebFolder()
    try folder.makeBooks(40)
    let served = try ServedProgram(in: folder, options: options)
    return (served, try WebSession(served))
  }

  private func set(_ texts: KeyValuePairs<String, String>) -> JSONValue {
    .members(["set": .texts(texts)])
  }

  private func change(
    _ texts: KeyValuePairs<String, String>,
    was: KeyValuePairs<String, String>
  ) -> JSONValue {
    .members(["set": .texts(texts), "was": .texts(was)])
  }

  private func ids(_ names: [String]) -> JSONValue {
    .members(["ids": .array(names.map { .string($0) })])
  }

  @Test
  func
    `R241: an added, changed and deleted row comes through the stream at the position of the answer`()
    throws
  {
    let (served, session) = try serve()
    let page = try session.page("from=0&count=64")
    try page.takeLine()
    let added = try session.post(
      "/api/rows?client=\(page.client)",
      set(["publisher": "Aa", "title": "The new one", "year": "1993"])
    )
    #expect(added.status == 201, "\(added.text)")
    let id = try #require(added.json["id"]?.string)
    try page.take(untilPosition: try #require(added.json["position"]?.string))
    let row = PageReplay.Row(id: id, cells: ["The new one", "", "1993"])
    #expect(page.replay.rows.first == .some(row))
    #expect(page.replay.shows(try served.list()))

    let edited = try session.patch(
      "/api/row?id=\(id)&client=\(page.client)",
      change(["year": "1994", "title": "Newer"], was: ["year": "1993", "title": "The new one"])
    )
    #expect(
      edited.status == 200 && edited.json["message"]?.string?.isEmpty == false,
      "\(edited.text)"
    )
    try page.take(untilPosition: try #require(edited.json["position"]?.string))
    #expect(page.replay.rows.first == .some(PageReplay.Row(id: id, cells: ["Newer", "", "1994"])))
    #expect(page.lines.last?["cause"]?.string == "own")

    // What is stored already is no change, and nothing has to be waited for.
    let same = try session.patch(
      "/api/row?id=\(id)&client=\(page.client)",
      change(["year": "1994"], was: ["year": "1993"])
    )
    #expect(same.status == 200 && same.json["position"]?.string == page.replay.position)

    let deleted = try session.post("/api/delete?client=\(page.client)", ids([id]))
    #expect(deleted.status == 200)
    try page.take(untilPosition: try #require(deleted.json["position"]?.string))
    #expect(!page.replay.rows.contains { $0?.id == id })
    #expect(page.replay.shows(try served.list()) && page.misfits.isEmpty)
    #expect(try session.get("/api/row?id=\(id)").status == 404)
    // Without a client there is no list that an answer could have a position of.
    let other = try session.post("/api/rows", set(["publisher": "Ab", "title": "Ab"]))
    #expect(other.status == 201 && other.json["position"] == .null)
  }

  @Test
  func `R241: several rows are changed at once, and taken back at once`() throws {
    let (served, session) = try serve()
    let shell = try SQLiteWriter(served.folder)
    try shell.run("UPDATE Book SET language = 'ja' WHERE id IN (1, 2, 3)")
    let before = try served.list()
    let three = JSONValue.array(["1", "2", "3"].map { .string($0) })
    func form(_ members: KeyValuePairs<String, JSONValue>, _ query: String = "") throws -> RawAnswer
    {
      try session.post("/api/form?\(query)", .members(members))
    }
    let texts = try form(["ids": three]).json
    #expect(texts["count"]?.integer == 3)
    #expect(texts["texts"]?.array?.contains(.string("ja")) == true, "\(texts.text)")
    #expect(texts["texts"]?.array?.contains(.null) == true, "\(texts.text)")
    func edit(
      _ members: KeyValuePairs<String, JSONValue>,
      _ query: String = ""
    ) throws -> RawAnswer {
      try session.patch("/api/rows?\(query)", .members(members))
    }
    // What all of them had is not what they have now.
    try shell.run("UPDATE Book SET language = 'ko' WHERE id = 2")
    let stale = try edit([
      "ids": three, "set": .texts(["language": "en"]), "was": .texts(["language": "ja"]),
    ])
    #expect(stale.status == 409 && stale.isError, "\(stale.text)")
    #expect(
      stale.json["fields"]?["language"]
        == .members(["was": .string("ja"), "set": .string("en"), "stored": .null])
    )
    try shell.run("UPDATE Book SET language = 'ja' WHERE id = 2")
    #expect(try served.list().rows == before.rows)
    let edited = try edit([
      "ids": three, "set": .texts(["language": "en", "year": "1901"]),
      "was": .texts(["language": "ja"]),
    ])
    #expect(edited.status == 200, "\(edited.text)")
    #expect(edited.json["message"]?.string?.contains("3 books") == true, "\(edited.text)")
    #expect(try served.list().rows.count { $0.cells.contains("1901") } >= 3)
    #expect(try session.post("/api/undo").status == 200)
    #expect(try served.list().rows == before.rows)
    let page = try session.page("from=0&count=64&filter=year%3C1905")
    try page.takeLine()
    let all = try form(["all": .boolean(true)], "client=\(page.client)").json
    #expect(all["count"]?.integer == page.replay.count && page.replay.count < 40)
    let emptied = try edit(
      ["all": .boolean(true), "set": .texts(["year": "1850"])],
      "client=\(page.client)"
    )
    #expect(emptied.status == 200, "\(emptied.text)")
    try page.take(untilPosition: try #require(emptied.json["position"]?.string))
    #expect(page.replay.rows.allSatisfy { $0?.cells.contains("1850") == true })
    let invalid = try edit(["ids": three, "set": .texts(["year": "soon"])])
    #expect(invalid.status == 422 && invalid.json["fields"]?["year"] != nil, "\(invalid.text)")
    for body: KeyValuePairs<String, JSONValue> in [
      ["set": .texts([:])], ["ids": .array([]), "set": .texts(["year": "1"])],
      ["ids": .array([.string("x")]), "set": .texts(["year": "1"])], ["ids": three],
    ] {
      #expect(try edit(body).status == 400, "\(body)")
    }
    #expect(try edit(["all": .boolean(true), "set": .texts(["year": "1"])]).status == 410)
    let gone = JSONValue.array([.string("999999"), .string("999998")])
    #expect(try edit(["ids": gone, "set": .texts(["year": "1"])]).status == 409)
    #expect(page.misfits.isEmpty)
  }

  @Test
  func `R241: values that cannot be stored are refused by their fields`() throws {
    let (served, session) = try serve()
    let list = try served.list()
    let added = try session.post("/api/rows", set(["title": "no publisher", "year": "soon"]))
    #expect(added.status == 422 && added.isError, "\(added.text)")
    #expect(added.json["fields"]?["year"]?.string?.isEmpty == false, "\(added.text)")
    #expect(added.json["fields"]?["title"] == nil, "\(added.text)")
    let missing = try session.post("/api/rows", set(["title": "no publisher"]))
    #expect(missing.status == 422, "\(missing.text)")
    #expect(missing.json["fields"]?["publisher"]?.string?.isEmpty == false, "\(missing.text)")
    let edited = try session.patch(
      "/api/row?id=1",
      change(["year": "99999", "title": "x"], was: ["year": "1901"])
    )
    #expect(edited.status == 422 && edited.json["fields"]?["year"] != nil, "\(edited.text)")
    for body in [
      set(["nothing": "a"]), .members(["set": .array([])]),
      .members(["set": .texts([:]), "was": .null]),
      .members(["set": .members(["year": .number("1")])]), .object([]),
    ] {
      #expect(try session.patch("/api/row?id=1", body).status == 400, "\(body.text)")
    }
    for id in ["", "a", "1.5", "99999999999999999999", "[]", "[1,2]", "null"] {
      let answer = try session.patch("/api/row?id=\(id)", set(["title": "x"]))
      #expect([400, 409].contains(answer.status), "\(id): \(answer.status)")
      #expect([400, 404].contains(try session.get("/api/row?id=\(id)").status), "\(id)")
    }
    #expect(try served.list().rows == list.rows)
  }

  @Test
  func `R241: what others have changed meanwhile is not overwritten`() throws {
    let (served, session) = try serve()
    let shell = try SQLiteWriter(served.folder)
    try shell.run("UPDATE Book SET year = 1991, language = 'ja' WHERE id = 1")
    let list = try served.list()
    let answer = try session.patch(
      "/api/row?id=1",
      change(["year": "1993", "title": "mine"], was: ["year": "1992", "title": "Title 07919"])
    )
    #expect(answer.status == 409 && answer.isError, "\(answer.text)")
    #expect(
      answer.json["fields"]
        == .members(["year": .texts(["was": "1992", "set": "1993", "stored": "1991"])]),
      "\(answer.text)"
    )
    #expect(try served.list().rows == list.rows)
    // Fields that are not named never conflict, and what is seen now is overwritten.
    let edited = try session.patch("/api/row?id=1", change(["year": "1993"], was: ["year": "1991"]))
    #expect(edited.status == 200, "\(edited.text)")
    let row = try session.get("/api/row?id=1").json
    #expect(row["texts"]?.array?.map(\.string).contains("ja") == true)
    #expect(row["texts"]?.array?.map(\.string).contains("1993") == true)
    try shell.run("DELETE FROM Book WHERE id = 1")
    let gone = try session.patch("/api/row?id=1", change(["year": "1994"], was: ["year": "1993"]))
    #expect(gone.status == 409 && gone.json["deleted"] == .boolean(true), "\(gone.text)")
    #expect(try served.list().rows.count == 39)
  }

  @Test
  func `R241: each session takes back its own changes, and nothing that others changed since`()
    throws
  {
    let (served, session) = try serve()
    let other = try WebSession(served)
    let before = try served.list()
    // There is nothing to take back, which is no failure.
    #expect(try session.post("/api/undo").json["message"]?.string?.isEmpty == false)
    #expect(try session.post("/api/delete", ids(["1", "2", "3"])).status == 200)
    #expect(try other.patch("/api/row?id=4", set(["title": "theirs"])).status == 200)
    let deleted = try served.list()
    #expect(deleted.rows.count == 37)
    // The newest change of all is the other session's, and stays.
    let undone = try session.post("/api/undo")
    #expect(
      undone.status == 200 && undone.json["message"]?.string?.isEmpty == false,
      "\(undone.text)"
    )
    let restored = try served.list()
    #expect(restored.rows.count == 40)
    #expect(restored.rows.contains { $0.id == "4" && $0.cells[0] == "theirs" })
    _ = try session.post("/api/undo")
    #expect(try served.list().rows == restored.rows)
    #expect(try session.post("/api/redo").status == 200)
    #expect(try served.list().rows == deleted.rows)
    #expect(try session.post("/api/undo").status == 200)
    #expect(try other.post("/api/undo").status == 200)
    #expect(try served.list().rows == before.rows)
    #expect(try other.post("/api/redo").status == 200)
    // A change that others have gone on from is not taken back over theirs.
    let shell = try SQLiteWriter(served.folder)
    try shell.run("UPDATE Book SET title = 'ours' WHERE id = 4")
    let refused = try other.post("/api/undo")
    #expect(refused.status == 409 && refused.isError, "\(refused.text)")
    #expect(try served.list().rows.contains { $0.id == "4" && $0.cells[0] == "ours" })
  }

  @Test
  func `R241: the commands of a ledger show lines, and go to rows`() throws {
    let folder = try WebFolder()
    for day in 1...9 {
      try folder.run(
        "household-ledger",
        "add",
        "date=2026-11-0\(day)",
        "amount=-\(day).50",
        "payee=Cafe",
        "category=food",
        "--store",
        "l.sqlite"
      )
    }
    let served = try ServedProgram("household-ledger", in: folder, store: "l.sqlite")
    let session = try WebSession(served)
    let page = try session.page("from=0&count=32")
    try page.takeLine()
    let totals = try session.post("/api/command?client=\(page.client)", .texts(["name": "totals"]))
    #expect(
      totals.status == 200 && totals.json["effect"]?["kind"]?.string == "lines",
      "\(totals.text)"
    )
    #expect(
      totals.json["effect"]?["lines"]?.array?.contains { $0.string?.contains("-49.50") == true }
        == true
    )
    let today = try session.post("/api/command?client=\(page.client)", .texts(["name": "today"]))
    #expect(today.json["effect"]?["kind"]?.string == "jump", "\(today.text)")
    let position = try #require(today.json["effect"]?["flatPosition"]?.integer)
    #expect((0...9).contains(position))
    let unknown = try session.post("/api/command", .texts(["name": "format"]))
    #expect(unknown.status == 400 && unknown.isError)
    #expect(try served.isHealthy)
  }

  @Test
  func `R241: the commands of a feed mark rows and sections, and open lists`() throws {
    let folder = try WebFolder()
    for number in 1...6 {
      try folder.run(
        "news-feed",
        "add",
        "id=g\(number)",
        "title=Item \(number)",
        "feed=\(number < 4 ? "A" : "B")",
        "isRead=false",
        "--store",
        "n.sqlite"
      )
    }
    let served = try ServedProgram("news-feed", in: folder, store: "n.sqlite")
    let session = try WebSession(served)
    let page = try session.page("from=0&count=32&sections=feed")
    try page.takeLine()
    func unread() throws -> [String] {
      try folder.run(
        "news-feed",
        "list",
        "--format",
        "jsonl",
        "--where",
        "isRead == false",
        "--store",
        "n.sqlite"
      )
      .matches(of: /"id":"(g[0-9])"/).map { String($0.1) }.sorted()
    }
    func command(_ name: String, _ members: KeyValuePairs<String, JSONValue>) throws -> RawAnswer {
      var all = [JSONValue.Member(name: "name", value: .string(name))]
      all += members.map { JSONValue.Member(name: $0.key, value: $0.value) }
      return try session.post("/api/command?client=\(page.client)", .object(all))
    }
    let names = page.replay.rows.compactMap(\.?.id)
    #expect(names.count == 6)
    let toggled = try command(
      "toggle-read",
      ["ids": .array([.string(names[0]), .string(names[1])])]
    )
    #expect(toggled.status == 200, "\(toggled.text)")
    try page.take(untilPosition: try #require(toggled.json["position"]?.string))
    #expect(try unread().count == 4)
    let section = try command("read-section", ["section": .number("1")])
    #expect(section.status == 200, "\(section.text)")
    #expect(try unread().count == 1)
    let opened = try command("unread", [:])
    let query = try #require(opened.json["effect"]?["query"]?.string)
    let list = try session.page("from=0&count=32&\(query)")
    try list.takeLine()
    #expect(list.replay.rows.count == 1)
    #expect(try session.post("/api/undo").status == 200)
    #expect(try unread().count == 4)
    let nothing = try command("toggle-read", [:])
    #expect(nothing.status == 409 && nothing.isError, "\(nothing.text)")
    #expect(page.misfits.isEmpty)
  }

  @Test
  func `R241: while another process holds the store, a change is refused, and nothing is lost`()
    throws
  {
    let (served, session) = try serve("--busy-timeout", "300ms")
    let page = try session.page("from=0&count=64")
    try page.takeLine()
    let shell = try SQLiteWriter(served.folder)
    try shell.run("BEGIN IMMEDIATE; UPDATE Book SET year = 1 WHERE id = 2")
    for request in [
      session.request(
        "POST",
        "/api/rows?client=\(page.client)",
        set(["publisher": "Aa", "title": "Aa"])
      ),
      session.request("PATCH", "/api/row?id=1&client=\(page.client)", set(["title": "mine"])),
      session.request("POST", "/api/delete?client=\(page.client)", ids(["3"])),
    ] {
      let answer = try request.answer(from: served.port)
      #expect(
        answer.status == 503 && answer["retry-after"] != nil && answer.isError,
        "\(request.target): \(answer.text)"
      )
      #expect(answer.error.contains("sqlite3"), "\(answer.text)")
    }
    // Reading goes on.
    #expect(try session.get("/api/row?id=1").json["title"]?.string == "Title 07919")
    try shell.run("COMMIT")
    try page.take(until: try served.list())
    let edited = try session.patch("/api/row?id=1&client=\(page.client)", set(["title": "mine"]))
    #expect(edited.status == 200, "\(edited.text)")
    try page.take(until: try served.list())
    #expect(page.replay.rows.contains { $0?.cells.first == "mine" } && page.misfits.isEmpty)
  }
}
#endif
