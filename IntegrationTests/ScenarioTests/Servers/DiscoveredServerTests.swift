#if PostgreSQL
import Foundation
import Testing

/// R235: `live-list` and `results-schema` over a database that others made on a server.
@Suite("Discovered databases on a server", .timeLimit(.minutes(10)))
struct DiscoveredServerTests {
  private let server: ServerRun

  init() throws {
    server = try ServerRun()
    try server.psql(
      """
      CREATE TABLE artist (id integer PRIMARY KEY, name text NOT NULL);
      CREATE TABLE album (id bigint PRIMARY KEY, title varchar(80), artist_id integer REFERENCES artist ON DELETE CASCADE,
        price numeric(8,2), origin inet, released date);
      CREATE VIEW titles AS SELECT title FROM album ORDER BY id;
      INSERT INTO artist VALUES (1, 'Alpha'), (2, 'Beta');
      INSERT INTO album VALUES (1, 'One', 2, 9.50, '10.0.0.1', '2026-01-05'), (2, 'Two', 1, NULL, NULL, NULL);
      """
    )
  }

  private func list(_ words: String..., expecting status: Int32 = 0) throws -> ProgramResult {
    let result = try server.run.run("live-list", words)
    #expect(result.status == status, "\(result)")
    return result
  }

  @Test func `R235: tables of a URL are listed, described, printed and exported`() throws {
    let url = server.url
    #expect(
      try list(url).lines == [
        "table\tkind\trows\tkey\trefers to", "album\ttable\t2\tid\tartist_id → artist",
        "artist\ttable\t2\tid\t",
        "titles\tview\t\tnone: it is a view, whose rows have no permanent key\t",
      ]
    )
    let albums = try list(
      "list",
      url,
      "album",
      "--columns",
      "title,artist.name,price,origin,released",
      "--sort",
      "artist.name"
    )
    #expect(
      albums.lines == [
        "title\tartist.name\tprice\torigin\treleased", "Two\tAlpha\t\t\t",
        "One\tBeta\t9.50\t10.0.0.1\t2026-01-05",
      ]
    )
    #expect(albums.errors == "live-list: shown as text: origin (inet)\n")
    #expect(try list(url, "titles").lines == ["title", "One", "Two"])
    #expect(
      try list("export", url, "artist", "-").lines == [
        #"{"id":1,"name":"Alpha"}"#, #"{"id":2,"name":"Beta"}"#,
      ]
    )
    let columns = try list("tables", url, "album").lines
    #expect(columns.contains("artist_id\tinteger32\tmay be null\tartist"))
    #expect(columns.contains("artist\tto one\trelationship\tartist"))
    try server.psql("ANALYZE artist")
    #expect(try list(url).lines.contains("artist\ttable\t≈ 2\tid\t"))
    let doctor = try list("doctor", url, "artist").lines
    #expect(doctor.contains("log        none: commits of others are noticed, and lists compared"))
    let none = try list(url, "albun", expecting: 66)
    #expect(none.errors.contains("has no table “albun”. Did you mean “album”?"))
    let view = try list("watch", url, "titles", expecting: 65)
    #expect(view.errors.contains("titles cannot be watched: it is a view"))
  }

  @Test func `R235: a watch prints what another program commits, and writes nothing`() throws {
    let watch = try server.run.start(
      "live-list",
      "watch",
      server.url,
      "artist",
      "--deltas",
      "1",
      "--format",
      "plain"
    )
    while let line = try watch.line(), !line.hasPrefix("2 rows") {}
    try server.psql("UPDATE artist SET name = 'Gamma' WHERE id = 2")
    let result = try watch.finish()
    #expect(result.status == 0 && result.output.contains("Gamma"), "\(result)")
    #expect(result.errors.contains("by comparison: after each commit the list is read again"))
    let made = "SELECT count(*) FROM pg_namespace WHERE nspname = 'fetched_results'"
    #expect(try server.psql(made) == "0")
  }

  @Test func `R194: a view that fails where it is read is named, and read without the column`()
    throws
  {
    try server.psql(
      """
      CREATE VIEW quotients AS SELECT id, 10 / (id - 2) AS quotient FROM artist;
      CREATE FUNCTION refuse() RETURNS integer LANGUAGE plpgsql STABLE AS $$BEGIN RAISE EXCEPTION 'no'; END$$;
      CREATE VIEW raised AS SELECT id, refuse() AS refused FROM artist;
      """
    )
    for (view, reason) in [("quotients", "division by zero"), ("raised", "no")] {
      let refused = try list("list", server.url, view, expecting: 78)
      #expect(refused.errors.contains("fails where it is read (\(reason)"), "\(refused)")
      #expect(
        try list("list", server.url, view, "--columns", "id", "--sort", "id").lines == [
          "id", "1", "2",
        ]
      )
    }
  }

  @Test func `R235: a table that another transaction locks is said to be in use by it`() throws {
    let other = try server.startPsql("BEGIN; LOCK TABLE artist; SELECT pg_sleep(4); COMMIT")
    let locks = "SELECT count(*) FROM pg_locks WHERE relation = 'artist'::regclass AND granted"
    let end = ContinuousClock.now + .seconds(30)
    while try server.psql(locks) == "0", ContinuousClock.now < end {}
    let refused = try list("list", server.url, "artist", "--busy-timeout", "300ms", expecting: 75)
    #expect(refused.errors.contains("by another process; gave up after 0."), "\(refused)")
    _ = try other.finish()
  }

  @Test func `R232: a table whose key a role may not read is read once`() throws {
    let role = "keyless_\(ProcessInfo.processInfo.processIdentifier)"
    try server.psql(
      """
      CREATE TABLE kept (id integer PRIMARY KEY, name text); INSERT INTO kept VALUES (1, 'a');
      CREATE ROLE \(role) LOGIN; GRANT SELECT (name) ON kept TO \(role);
      """
    )
    defer { _ = try? server.psql("DROP OWNED BY \(role); DROP ROLE \(role)") }
    let url = server.url.replacing("//results@", with: "//\(role)@")
    #expect(try list("list", url, "kept").lines == ["name", "a"])
  }

  @Test func `R235: results-schema prints the entities of a URL`() throws {
    let source = try server.run.run("results-schema", server.url, "album", "artist").output
    for line in [
      "struct Album: Entity {", "  var id: Int64?", "  var artistID: Int32?",
      "  var price: ExactDecimal?", "  var released: Instant?",
      "/// Open it with `PostgreSQLStore(discovered:entities:)`: origin (inet) is read as text.",
      "  static let artist = ToOne<Album, Artist>(\"artist\", \\.artistID, onDelete: .cascade)",
      "    Attribute(\\.price, \"price\", scale: 2)",
      "    \"artist\", identity: \\.id, column: \"id\"",
      "  static let albums = ToMany<Artist, Album>(\"albums\", inverse: Album.artist)",
    ] {
      #expect(source.split(separator: "\n").contains { $0 == line }, "\(line) in \(source)")
    }
    let all = try server.run.run("results-schema", server.url).output
    #expect(all.contains("// view titles: no entity, because it is a view"))
  }

  @Test func `R235: the tables and a table of a URL are browsed, and a foreign key is followed`()
    throws
  {
    let screen = ["--print", "--size", "80x9"]
    let tables = try server.run.run("live-list", ["browse", server.url] + screen).lines
    #expect(tables[0].contains("3 tables") && tables.contains { $0.contains("artist_id → artist") })
    let opened = try server.run.run(
      "live-list",
      ["browse", server.url] + screen + ["--keys", "\r"]
    ).lines
    #expect(opened[0].contains("▸ album"), "\(opened)")
    let followed = try server.run.run(
      "live-list",
      ["browse", server.url, "album"] + screen + ["--keys", "f\r"]
    ).lines
    #expect(
      followed[0].contains("▸ artist")
        && followed.contains { $0.hasPrefix("> ") && $0.contains("Beta") },
      "\(followed)"
    )
  }

  @Test func `R276: a number of rows that is an estimate says so in the list of tables too`() throws
  {
    func row(_ lines: [String]) throws -> String {
      try #require(lines.first { $0.contains("artist_id → artist") }, "\(lines)")
    }
    func browsed(_ options: String...) throws -> [String] {
      let screen = ["--print", "--size", "80x9"]
      return try server.run.run("live-list", ["browse", server.url] + screen + options).lines
    }
    let counted = try browsed()
    #expect(try !row(counted).contains("≈"))
    try server.psql(
      "INSERT INTO album SELECT n, 'x', 1 FROM generate_series(100, 299) AS n; ANALYZE album"
    )
    #expect(try row(server.run.run("live-list", server.url).lines).contains("≈ 202"))
    let lines = try browsed()
    #expect(lines.contains { $0.contains("kind") && $0.contains("≈") }, "\(lines)")
    #expect(try row(lines).contains("≈") && row(lines).contains("202"), "\(lines)")
    // The number stays one to sort by.
    let sorted = try browsed("--sort", "-rows")
    #expect(sorted.first { $0.hasPrefix("> ") }?.contains("album") == true, "\(sorted)")
  }

  @Test func `R235: a URL that cannot be used is refused before anything is read`() throws {
    let secret = try list("list", "postgresql://me:secret@localhost/x", expecting: 64)
    #expect(secret.errors.contains("contains a password") && !secret.errors.contains("secret@"))
    let odd = try list("list", "postgresql://localhost/x?nonsense=1", expecting: 64)
    #expect(odd.errors.contains("nonsense"), "\(odd)")
    let gone = try list("list", server.url(of: "no_such_database"), expecting: 69)
    #expect(gone.errors.contains("no_such_database"), "\(gone)")
  }
}
#endif
