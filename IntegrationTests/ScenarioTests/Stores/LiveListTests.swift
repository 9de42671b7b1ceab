import ResultsStoreKit
import Foundation
import GRDB
import ResultsPresentation
import Testing
import WireFormat

/// The program `live-list` over a database of another application.
@Suite struct LiveListTests {
  private let music: MusicDatabase
  private var run: ProgramRun { music.run }

  init() throws { music = try MusicDatabase() }

  private func execute(reading sql: String) throws -> Int? {
    let queue = try DatabaseQueue(path: run.path("music.sqlite"))
    defer { try? queue.close() }
    return try queue.read { try Int.fetchOne($0, sql: sql) }
  }

  private func files() throws -> [String: Data] {
    try FileManager.default.contentsOfDirectory(atPath: run.folder)
      .reduce(into: [:]) { $0[$1] = try Data(contentsOf: URL(fileURLWithPath: run.path($1))) }
  }

  @Test func `shows the tables of a file with their keys and references`() throws {
    let lines = try run.run("live-list", "music.sqlite").lines
    #expect(
      lines == [
        "table\tkind\trows\tkey\trefers to",
        "Album\ttable\t3\tAlbumId\tArtistId → Artist",
        "AlbumList\tview\t3\tAlbumId\t",
        "Artist\ttable\t3\tArtistId\t",
        "Playlist\ttable\t2\tPlaylistId\t",
        "PlaylistTrack\ttable\t3\tPlaylistId, TrackId\tPlaylistId → Playlist, TrackId → Track",
        "Setting\ttable\t3\tname\t",
        "Track\ttable\t4\tTrackId\tAlbumId → Album",
        "Visit\ttable\t3\trowid\t",
      ]
    )
    let columns = try run.run("live-list", "tables", "music.sqlite", "track").lines
    #expect(columns.contains("AlbumId\tinteger64\tmay be null\tAlbum"))
    #expect(columns.contains("Seconds\tinteger64\tcalculated, may be null\t"))
  }

  @Test func `R277: a foreign key that makes no relationship says so beside its column`() throws {
    try music.execute(
      """
      CREATE TABLE untyped (id INTEGER PRIMARY KEY, artist REFERENCES Artist, album_id INTEGER REFERENCES Album);
      INSERT INTO untyped VALUES (1, 1, NULL)
      """
    )
    #expect(
      try run.run("live-list", "music.sqlite", "untyped").lines == [
        "id\tartist\talbum_id", "1\t1\t",
      ]
    )
    let columns = try run.run("live-list", "tables", "music.sqlite", "untyped").lines
    #expect(
      columns.contains { $0.hasPrefix("artist\t") && $0.contains("Artist (no relationship: ") }
    )
    #expect(columns.contains("album_id\tinteger64\tmay be null\tAlbum"), "\(columns)")
  }

  @Test func `R194: a view that never ends stops no verb on other tables, and is refused itself`()
    throws
  {
    try music.execute(
      "CREATE VIEW Endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    )
    #expect(try run.run("live-list", "list", "music.sqlite", "Artist").lines.count == 4)
    try run.run("live-list", "tables", "music.sqlite", "Artist")
    try run.run("live-list", "watch", "music.sqlite", "Artist", "--for", "300ms")
    try run.run("results-schema", "music.sqlite", "Artist")
    let refused = try run.run("live-list", ["watch", "music.sqlite", "Endless", "--for", "300ms"])
    #expect(refused.status == 65, "\(refused)")
    #expect(refused.errors.contains("has not ended within the time"), "\(refused)")
    let all = try run.run("live-list", "music.sqlite").lines
    #expect(all.contains { $0.hasPrefix("Endless\tview\t\tnone: reading its rows has not ended") })
    #expect(all.contains("Track\ttable\t4\tTrackId\tAlbumId → Album"))
    #expect(
      try run.run("results-schema", "music.sqlite").output.contains("// view Endless: no entity")
    )
  }

  @Test func `R278: signals end a watch while a view does not end`() throws {
    try music.execute(
      """
      CREATE TABLE bound (n INTEGER); INSERT INTO bound VALUES (3);
      CREATE VIEW Late AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c
        WHERE i < (SELECT n FROM bound)) SELECT i AS id, 'x' AS name FROM c
      """
    )
    let watch = try run.start("live-list", "watch", "music.sqlite", "Late", "--format", "jsonl")
    _ = try #require(try watch.line())
    try music.execute("UPDATE bound SET n = 1000000000000")
    // There is never another list; meanwhile the view is being read.
    #expect(watch.lineIfAny(within: 2) == nil)
    for _ in 1...2 { watch.send(SIGTERM) }
    #expect(try watch.status(within: 10) == 128 + SIGTERM)
  }

  @Test func `R196: a path beyond the limit is an error of the command line`() throws {
    try music.execute(
      "CREATE TABLE n (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES n (id), name TEXT)"
    )
    for steps in [33, 64, 3000] {
      let path = String(repeating: "parent.", count: steps) + "name == 'a'"
      let refused = try run.run("live-list", ["music.sqlite", "n", "--where", path])
      #expect(refused.status == 64, "\(refused)")
      #expect(refused.errors.contains("at most 32 relationships"), "\(refused)")
    }
    let path = String(repeating: "parent.", count: 32) + "name == 'a'"
    try run.run("live-list", "music.sqlite", "n", "--where", path)
  }

  @Test func `R197: infinity and null are different in every format`() throws {
    try music.execute(
      "CREATE TABLE r (id INTEGER PRIMARY KEY, a REAL); INSERT INTO r VALUES (1, 9e999), (2, -9e999), (3, NULL)"
    )
    #expect(
      try run.run("live-list", "music.sqlite", "r", "--format", "jsonl").lines
        == [#"{"id":1,"a":"inf"}"#, #"{"id":2,"a":"-inf"}"#, #"{"id":3,"a":null}"#]
    )
    #expect(
      try run.run("live-list", "export", "music.sqlite", "r", "-").lines
        == [#"{"id":1,"a":"inf"}"#, #"{"id":2,"a":"-inf"}"#, #"{"id":3,"a":null}"#]
    )
    #expect(
      try run.run("live-list", "music.sqlite", "r", "--format", "csv").lines
        == ["id,a", "1,inf", "2,-inf", "3,"]
    )
    let json = try run.run("live-list", "music.sqlite", "r", "--format", "json").output
    #expect(
      json.contains(#""a":"inf""#) && json.contains(#""a":"-inf""#) && json.contains(#""a":null"#)
    )
  }

  @Test(arguments: [
    (
      ["live-list", "wach", "x", "y"],
      "“wach” is neither a command nor a file. Did you mean “watch”?"
    ),
    (["live-list", "gone.sqlite"], "gone.sqlite does not exist."),
    (
      ["live-list", "frobnicate", "music.sqlite"],
      "“frobnicate” is neither a command nor a file. The commands are list, browse, serve, watch, tables, export, doctor, saved;"
    ),
  ])
  func `R211: a word that is no command here and no file is not taken for a path`(
    _ words: [String],
    _ message: String
  ) throws {
    let result = try run.run(words[0], Array(words.dropFirst()))
    #expect(result.status == 66)
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test func `R135: browse shows a table, or the only one, and is a list on a pipe`() throws {
    let screen = ["browse", "music.sqlite", "Track", "--print", "--size", "90x10"]
    let lines = try run.run("live-list", screen + ["--keys", "j"]).lines
    #expect(lines[0].hasPrefix(" live-list  music.sqlite ▸ Track  by TrackId "))
    #expect(lines[0].hasSuffix(" 4 rows  ● live"))
    #expect(lines[3].hasPrefix(">  Two ") && lines[3].contains(" 2 "))
    // Nothing of another application is changed.
    let refused = try run.run("live-list", screen + ["--keys", "d"]).output
    #expect(refused.contains("Rows cannot be changed here."), "\(refused)")
    #expect(try execute(reading: "SELECT count(*) FROM Track") == 4)
    let piped = try run.run("live-list", "browse", "music.sqlite", "Track")
    #expect(piped.output == (try run.run("live-list", "list", "music.sqlite", "Track").output))

    let several = try run.run("live-list", "browse", "music.sqlite")
    #expect(several.output == (try run.run("live-list", "list", "music.sqlite").output))
    try music.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)", in: "one.sqlite")
    let only = try run.run("live-list", "browse", "one.sqlite", "--print", "--size", "60x6")
    #expect(only.lines[0].contains("one.sqlite ▸ t"))
  }

  @Test func `R300: names are first and keys last for people, and programs read the table's order`()
    throws
  {
    let list = ["list", "music.sqlite", "Album", "--format"]
    let table = try run.run("live-list", list + ["table"]).lines
    #expect(table.first?.split(separator: " ") == ["Title", "AlbumId", "ArtistId"])
    let lines = try run.run("live-list", list + ["csv"]).lines
    #expect(lines.first == "AlbumId,Title,ArtistId")
    let screen = ["browse", "music.sqlite", "Album", "--print", "--size", "80x6"]
    let shown = try run.run("live-list", screen).lines
    #expect(shown[1].hasPrefix(">  First "))
  }

  @Test func `R225: the tables of a file are shown with their kinds, keys and numbers of rows`()
    throws
  {
    let screen = ["browse", "music.sqlite", "--print", "--size", "80x14"]
    var lines = try run.run("live-list", screen + ["--keys", "jj"]).lines
    #expect(
      lines.prefix(6) == [
        " live-list  music.sqlite  by table                              8 tables  ● live",
        "   table▲         kind   rows  key                  refers to",
        "   Album          table     3  AlbumId              ArtistId → Artist",
        "   AlbumList      view      3  AlbumId",
        ">  Artist         table     3  ArtistId",
        "   Playlist       table     2  PlaylistId",
      ]
    )
    lines = try run.run("live-list", screen + ["--keys", "jj\\r"]).lines
    #expect(lines[0].hasPrefix(" live-list  music.sqlite ▸ Artist  by ArtistId "))
    #expect(lines.contains { $0.hasPrefix(">  Alpha ") }, "\(lines)")
    // Another order and other sections are of the shown table, and the tables are as they were.
    lines = try run.run("live-list", screen + ["--keys", "jj\\rs-Name\\rqj\\r"]).lines
    #expect(lines[0].hasPrefix(" live-list  music.sqlite ▸ Playlist  by PlaylistId "))
    lines = try run.run("live-list", screen + ["--where", "rows > 3 OR kind = 'view'"]).lines
    #expect(lines[0].contains("2 tables") && lines[2].hasPrefix(">  AlbumList"))
  }

  /// The screen of a table after keys.
  private func screen(_ table: String, in file: String = "music.sqlite", keys: String) throws
    -> [String]
  {
    let arguments = ["browse", file, table, "--print", "--size", "80x10", "--keys", keys]
    return try run.run("live-list", arguments).lines
  }

  @Test func `R226: a foreign key is followed to the row, and back to those that refer to it`()
    throws
  {
    let menu = try screen("Album", keys: "jf")
    #expect(menu[1] == "  Go to:")
    #expect(
      menu[2] == ">  Artist         ArtistId = 2" && menu[3] == "   rows of Track  AlbumId = 2"
    )
    let artist = try screen("Album", keys: "jf\\r")
    #expect(artist[0].hasPrefix(" live-list  music.sqlite ▸ Artist  by ArtistId "))
    #expect(
      artist[0].contains(" 3 rows ") && artist.contains { $0.hasPrefix(">  Beta ") },
      "\(artist)"
    )
    let albums = try screen("Album", keys: "jf\\rf")
    #expect(albums[2] == ">  rows of Album  ArtistId = 2, 2 rows")
    let narrowed = try screen("Album", keys: "jf\\rf\\rj")
    #expect(narrowed[0].hasPrefix(" live-list  music.sqlite ▸ Album ▸ ArtistId = 2  by AlbumId "))
    #expect(narrowed[0].contains(" 2 rows ") && narrowed[3].hasPrefix(">  Third "))
    // Each way back shows the row from which the way began.
    let back = try screen("Album", keys: "jf\\rf\\rjq\\e")
    #expect(back[0].hasPrefix(" live-list  music.sqlite ▸ Album  by AlbumId "))
    #expect(back.contains { $0.hasPrefix(">  Second ") })
    // A filter is within the rows that refer to it, and its list is left before the rows are.
    let filtered = try screen("Artist", keys: "jf\\r/Third\\r")
    #expect(filtered[0].contains("ArtistId = 2") && filtered[0].contains("1 row "))
    let whole = try screen("Artist", keys: "jf\\r/Third\\r\\e")
    #expect(whole[0].contains("ArtistId = 2") && whole[0].contains("2 rows "))
    // The parts of a key are keys of others, and a key that is null refers to nothing.
    let parts = try screen("PlaylistTrack", keys: "Gf")
    #expect(parts[2] == ">  Playlist  PlaylistId = 2" && parts[3] == "   Track     TrackId = 2")
    let none = try screen("Track", keys: "Gf")
    #expect(none[2] == ">  rows of PlaylistTrack  TrackId = 4", "\(none)")
    let setting = try screen("Setting", keys: "f")
    #expect(setting.contains { $0.contains("f is not a key here") })
  }

  @Test func `R226: keys of several columns, of texts, to the same table and to no row`() throws {
    try music.execute(
      """
      PRAGMA foreign_keys = OFF;
      CREATE TABLE Land (code TEXT PRIMARY KEY, name TEXT);
      CREATE TABLE Town (land TEXT REFERENCES LAND (Code), number INTEGER, name TEXT, PRIMARY KEY (land, number));
      CREATE TABLE Street (
        id INTEGER PRIMARY KEY, land TEXT, number INTEGER, parent INTEGER REFERENCES Street, name TEXT,
        FOREIGN KEY (land, number) REFERENCES Town
      );
      INSERT INTO Land VALUES ('d\u{1B}e', 'D'), ('fr', 'F');
      INSERT INTO Town VALUES ('d\u{1B}e', 1, 'Ulm'), ('fr', 2, 'Metz'), ('xx', 3, 'Nowhere');
      INSERT INTO Street VALUES (1, 'fr', 2, NULL, 'Rue'), (2, 'fr', NULL, 1, 'Allee'), (3, 'fr', 9, 2, 'Gasse');
      """,
      in: "towns.sqlite"
    )
    let town = try screen("Street", in: "towns.sqlite", keys: "fTown\\r")
    #expect(
      town[0].contains("towns.sqlite ▸ Town ") && town.contains { $0.hasPrefix(">  Metz ") },
      "\(town)"
    )
    let streets = try screen("Town", in: "towns.sqlite", keys: "GkfStreet\\r")
    #expect(streets[0].contains("▸ Street ▸ land = fr, number = 2 "), "\(streets)")
    let half = try screen("Street", in: "towns.sqlite", keys: "jf")
    #expect(half[2].hasPrefix(">  Street ") && half[2].hasSuffix("id = 1"), "\(half)")
    #expect(half[3].hasPrefix("   rows of Street  parent = 2"))
    let parent = try screen("Street", in: "towns.sqlite", keys: "jf\\r")
    #expect(parent.contains { $0.hasPrefix(">  Rue ") }, "\(parent)")
    let missing = try screen("Street", in: "towns.sqlite", keys: "GfTown\\r")
    #expect(missing[0].contains("▸ Street "))
    #expect(
      missing.contains { $0.contains("Town has no row with land = fr, number = 9.") },
      "\(missing)"
    )
    // A text of a stranger is shown without what a terminal would obey.
    let land = try screen("Town", in: "towns.sqlite", keys: "f")
    #expect(land[2].hasPrefix(">  Land ") && !land.joined().contains("\u{1B}"), "\(land)")
    let found = try screen("Town", in: "towns.sqlite", keys: "f\\r")
    #expect(
      found[0].contains("▸ Land ") && found.contains { $0.hasPrefix(">  D ") }
    )
  }

  @Test func `R211: help is a word of every program`() throws {
    let help = try run.run("results-schema", "help")
    #expect(help.output == (try run.run("results-schema", "--help").output))
    #expect(help.output.contains("USAGE: results-schema"))
    let refused = try run.run("results-schema", ["help", "manual"])
    #expect(refused.status == 64)
    #expect(refused.errors == "results-schema: 'help' takes no further word. Leave out “manual”.\n")
    try music.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)", in: "help")
    #expect(try run.run("results-schema", "help").output.contains("struct T: Entity"))
  }

  @Test func `R211: values and references of others are shown as they are stored`() throws {
    try music.execute(
      """
      PRAGMA foreign_keys = OFF;
      CREATE TABLE geodetic_crs (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE town (
        id INTEGER PRIMARY KEY, flag BOOLEAN, price DECIMAL(10,2), picture BLOB,
        gone REFERENCES nowhere(id), its INTEGER REFERENCES geodetic_crs(id)
      );
      INSERT INTO geodetic_crs VALUES (1, 'c');
      INSERT INTO town VALUES (1, 1, 7, zeroblob(12345), NULL, 1), (2, 0, 'free', x'00', NULL, 1), (3, 'maybe', 9, NULL, NULL, 1);
      """,
      in: "others.sqlite"
    )
    let listed = try run.run("live-list", "others.sqlite", "town", "--format", "table").output
    #expect(listed.contains("⟨12 KB⟩") && listed.contains("⟨1 byte⟩"), "\(listed)")
    #expect(!listed.contains("1.0") && !listed.contains("7.0"), "\(listed)")
    let plain = try run.run("live-list", "others.sqlite", "town", "--format", "tsv").output
    #expect(plain.contains("AA==") && !plain.contains("⟨"))
    let tables = try run.run("live-list", "others.sqlite").output
    #expect(tables.contains("gone → nowhere (no such table)"), "\(tables)")
    let columns = try run.run("live-list", "tables", "others.sqlite", "town").output
    #expect(columns.contains("its\tto one\trelationship\tgeodetic_crs"), "\(columns)")
  }

  @Test func `R103: every verb leaves the file and its folder as they are`() throws {
    for mode in ["delete", "wal"] {
      try music.execute("PRAGMA journal_mode = \(mode)")
      let before = try files()
      for table in [
        "Artist", "Album", "Track", "Playlist", "PlaylistTrack", "Setting", "Visit", "AlbumList",
      ] {
        let list = try run.run("live-list", "list", "music.sqlite", table)
        #expect(list.lines.count >= 3)
        try run.run("live-list", "doctor", "music.sqlite", table)
        try run.run("live-list", "export", "music.sqlite", table, "-")
      }
      try run.run("live-list", "watch", "music.sqlite", "Track", "--for", "1ms")
      try run.run("live-list", "tables", "music.sqlite")
      #expect(try files() == before)
    }
  }

  @Test func `R94: foreign keys are paths in sections, columns and conditions`() throws {
    try music.execute(
      """
      CREATE TABLE Band(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE Disc(id INTEGER PRIMARY KEY, title TEXT, band_id INTEGER REFERENCES Band(id));
      INSERT INTO Band VALUES (1, 'Can'), (2, 'Low'), (3, 'Neu');
      INSERT INTO Disc VALUES (1, 'Tago', 1), (2, 'Hey', 2), (3, 'Ones', 2);
      """,
      in: "discs.sqlite"
    )
    let discs = try run.run(
      "live-list",
      "discs.sqlite",
      "Disc",
      "--section-by",
      "band.name",
      "--columns",
      "title,band.name"
    )
    #expect(
      discs.lines == [
        "section\ttitle\tband.name", "Can\tTago\tCan", "Low\tHey\tLow", "Low\tOnes\tLow",
      ]
    )
    let bands = try run.run("live-list", "discs.sqlite", "Band", "--columns", "name,discs.@count")
    #expect(bands.lines == ["name\tdiscs.@count", "Can\t1", "Low\t2", "Neu\t0"])
  }

  @Test
  func `R91: a database of Rails is listed by its conventions, and a link's change is followed`()
    throws
  {
    let sqlite3 = { (sql: String) throws -> Void in
      let shell = try RunningProgram(
        "/usr/bin/sqlite3",
        ["-cmd", ".timeout 20000", "rails.sqlite", sql],
        environment: run.environment,
        folder: run.folder
      )
      let result = try shell.finish()
      #expect(result.status == 0, "\(result)")
    }
    try sqlite3(
      """
      CREATE TABLE "ar_internal_metadata" ("key" varchar NOT NULL PRIMARY KEY, "value" varchar);
      CREATE TABLE "categories" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar);
      CREATE TABLE "books" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "title" varchar, "category_id" integer,
        "created_at" datetime(6) NOT NULL);
      CREATE TABLE "tags" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar);
      CREATE TABLE "books_tags" ("book_id" integer NOT NULL, "tag_id" integer NOT NULL);
      INSERT INTO categories (name) VALUES ('Novel'), ('Atlas'); INSERT INTO tags (name) VALUES ('sea');
      INSERT INTO books (title, category_id, created_at) VALUES ('B', 1, '2026-01-02 03:04:05'),
        ('A', 1, '2026-01-02 03:04:05.000001'), ('C', 2, '2026-01-01 00:00:00.500000');
      INSERT INTO books_tags VALUES (1, 1), (1, 1), (3, 1);
      """
    )
    let arguments = [
      "rails.sqlite", "books", "--section-by", "category.name", "--sort", "created_at", "--columns",
      "title,created_at,tags.@count",
    ]
    let list = try run.run("live-list", ["list"] + arguments)
    #expect(
      list.lines == [
        "section\ttitle\tcreated_at\ttags.@count", "Atlas\tC\t2026-01-01T00:00:00.5Z\t1",
        "Novel\tB\t2026-01-02T03:04:05Z\t2", "Novel\tA\t2026-01-02T03:04:05.000001Z\t0",
      ]
    )
    let tables = try run.run("live-list", "rails.sqlite")
    #expect(tables.lines.contains("books\ttable\t3\tid\tcategory_id → categories (by name)"))
    let watch = try RunningProgram(
      "live-list",
      ["watch"] + arguments + ["--deltas", "1"],
      environment: run.environment,
      folder: run.folder
    )
    while let line = try watch.line(), !line.hasPrefix("3 rows") {}
    try sqlite3("INSERT INTO books_tags VALUES (2, 1)")
    let delta = try #require(try watch.line())
    #expect(delta == "~ [1,1] Novel  A · 2026-01-02 03:04:05 · 1  changed")
    #expect(try watch.finish().status == 0)
  }

  @Test func `lists with conditions, order, sections and values of any class`() throws {
    let tracks = try run.run(
      "live-list",
      "music.sqlite",
      "Track",
      "--where",
      "Milliseconds > 100000 AND UnitPrice < 1.1",
      "--sort",
      "-Name",
      "--section-by",
      "AlbumId",
      "--columns",
      "TrackId,Name,UnitPrice"
    )
    #expect(
      tracks.lines == [
        "section\tTrackId\tName\tUnitPrice", "1\t2\tTwo\t1", "1\t1\tOne\t0.99",
        "2\t3\tThree\t0.99",
      ]
    )
    let visits = try run.run("live-list", "music.sqlite", "Visit", "--sort", "seen")
    #expect(visits.lines == ["rowid\tpage\tseen", "3\t\t2.5", "1\tstart\t3", "2\tend\tnever"])
    let key = try run.run("live-list", "music.sqlite", "Track", "--where", "TrackId IN {1, 4}")
    #expect(key.lines.count == 3)
    let added = try run.run(
      "live-list",
      "music.sqlite",
      "Track",
      "--where",
      "Added >= '2010-01-01'",
      "--columns",
      "Added"
    )
    #expect(added.lines == ["Added", "2010-05-01T12:00:00Z", "2011-02-03T04:05:06Z"])
    let settings = try run.run("live-list", "music.sqlite", "Setting", "--format", "jsonl").lines
    #expect(settings[0] == #"{"name":"key","value":{"base64":"AP8="}}"#)
  }

  @Test func `R89: a function orders a list, by an index without regard to case if there is one`()
    throws
  {
    try music.execute("INSERT INTO Artist (Name) VALUES ('abba'), ('a10'), ('a9')")
    func names(_ order: String) throws -> [String] {
      let list = try run.run(
        "live-list",
        "music.sqlite",
        "Artist",
        "--where",
        "Name != NULL",
        "--sort",
        order,
        "--columns",
        "Name"
      )
      return Array(list.lines.dropFirst())
    }
    #expect(try names("lowercase(Name)") == ["a10", "a9", "abba", "Alpha", "Beta"])
    #expect(try names("-natural(Name)") == ["Beta", "Alpha", "abba", "a10", "a9"])
    #expect(try names("filing(ifnull(Name, 'x'))") == ["a9", "a10", "abba", "Alpha", "Beta"])
    func explanation() throws -> [String] {
      try run.run("live-list", "music.sqlite", "Artist", "--sort", "lowercase(Name)", "--explain")
        .lines
    }
    #expect(try explanation().contains("list       sorted on every read (no index)"))
    try music.execute("CREATE INDEX byName ON Artist (Name COLLATE NOCASE)")
    #expect(try explanation().contains("list       read from the index byName"))
    let wrong = try run.run(
      "live-list",
      "music.sqlite",
      "Artist",
      "--sort",
      "lower(Name)",
      expecting: 64
    )
    #expect(wrong.errors.contains("lower"), "\(wrong)")
  }

  @Test func `names what was probably meant, and says what a file is not`() throws {
    let table = try run.run("live-list", "music.sqlite", "Albm", expecting: 66)
    #expect(table.errors.contains("no table “Albm”. Did you mean “Album”?"))
    let column = try run.run("live-list", "music.sqlite", "Album", "--sort", "Titel", expecting: 64)
    #expect(column.errors.contains("Did you mean “Title”?"))
    #expect(
      try run.run("live-list", "gone.sqlite", expecting: 66).errors.contains("does not exist")
    )
    try run.write(
      "This is a text, not a database; it is longer than a header of SQLite is, which has 100 bytes.",
      to: "text"
    )
    #expect(try run.run("live-list", "text", expecting: 65).errors.contains("is not a database"))
    #expect(try run.run("live-list", ".", "Album", expecting: 66).errors.contains("is a folder"))
    let view = try run.run(
      "live-list",
      "watch",
      "music.sqlite",
      "AlbumList",
      "--log",
      expecting: 64
    )
    #expect(view.errors.contains("is a view"))
  }

  @Test(arguments: [false, true], ["delete", "wal"])
  func `R103: watch follows other programs, by comparison or by a log, and says which`(
    _ usesLog: Bool,
    _ mode: String
  ) throws {
    try music.execute("PRAGMA journal_mode = \(mode)")
    let arguments = ["watch", "music.sqlite", "Track", "--format", "jsonl", "--deltas", "3"]
    let watch = try RunningProgram(
      "live-list",
      arguments + (usesLog ? ["--log"] : []),
      environment: run.environment,
      folder: run.folder
    )
    var replay = WireReplay()
    try replay.apply(line: try #require(try watch.line()))
    for statement in [
      "UPDATE Track SET Name = 'Uno', Milliseconds = 'long' WHERE TrackId = 1",
      "DELETE FROM Track WHERE TrackId = 4",
      "INSERT INTO Track VALUES (9, 'Nine', 3, 1, 1, NULL)",
    ] {
      try music.execute(statement)
      try replay.apply(line: try #require(try watch.line()))
    }
    let result = try watch.finish()
    #expect(result.status == 0, "\(result)")
    #expect(result.errors.contains(usesLog ? "row by row" : "by comparison"))
    let list = try run.run("live-list", "list", "music.sqlite", "Track", "--format", "json")
    var listed = WireReplay()
    try listed.apply(line: try #require(list.lines.first))
    #expect(replay.list?.sections == listed.list?.sections)
    let doctor = try run.run("live-list", "doctor", "music.sqlite", "Track").lines
    #expect(
      doctor.contains {
        $0.hasPrefix("history")
          && $0.contains(usesLog ? "of every writer" : "found by reading again")
      },
      "\(doctor)"
    )
  }

  @Test(arguments: [
    (["--sort", "Name"], ["PlaylistTrack", "Track"]),
    (["--where", "album.artist.Name != 'x'"], ["Album", "Artist", "PlaylistTrack", "Track"]),
    (["--columns", "Name,album.Title"], ["Album", "PlaylistTrack", "Track"]),
  ])
  func `R103: a log records the tables that the list reads, and their links, and no others`(
    _ options: [String],
    _ recorded: [String]
  ) throws {
    let arguments = ["watch", "music.sqlite", "Track", "--log", "--deltas", "0"] + options
    #expect(try run.run("live-list", arguments).status == 0)
    let queue = try DatabaseQueue(path: run.path("music.sqlite"))
    let tables = try queue.read { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT DISTINCT tbl_name FROM sqlite_master
          WHERE type = 'trigger' AND tbl_name <> '_results_log' ORDER BY tbl_name
          """
      )
    }
    try queue.close()
    #expect(tables == recorded)
    let doctor = try run.run("live-list", "doctor", "music.sqlite", "Track").lines
    #expect(doctor.contains { $0.hasPrefix("history") && $0.contains("of every writer") })
  }

  @Test func `R104: a view is followed by comparison`() throws {
    let watch = try run.start(
      "live-list",
      "watch",
      "music.sqlite",
      "AlbumList",
      "--format",
      "jsonl",
      "--deltas",
      "1"
    )
    var replay = WireReplay()
    try replay.apply(line: try #require(try watch.line()))
    try music.execute("UPDATE Artist SET Name = 'Gamma' WHERE ArtistId = 2")
    try replay.apply(line: try #require(try watch.line()))
    #expect(try watch.finish().status == 0)
    let rows = replay.list?.sections.flatMap(\.rows) ?? []
    #expect(rows.count == 3 && rows.filter { "\($0)".contains("Gamma") }.count == 2)
  }

  /// Starts to watch the table `t` of a file in the form of JSON lines, and reads the list.
  private func watching(_ sql: String) throws -> (watch: RunningProgram, replay: WireReplay) {
    try music.execute("PRAGMA journal_mode = WAL; " + sql, in: "t.sqlite")
    let watch = try run.start("live-list", "watch", "t.sqlite", "t", "--format", "jsonl")
    var replay = WireReplay()
    try replay.apply(line: try #require(try watch.line()))
    return (watch, replay)
  }

  @Test(arguments: [
    (
      "INSERT INTO t VALUES (NULL, 'n')",
      "The table t of t.sqlite has changed since it was opened (a row has no key: its k is null)."
    ),
    ("ALTER TABLE t RENAME COLUMN v TO w", "(there is no column v any more)"),
    (
      "BEGIN; DROP TABLE t; CREATE TABLE t (k TEXT, x TEXT); COMMIT",
      "(there is no column v any more)"
    ),
    ("DROP TABLE t", "(there is no such table any more)"),
  ])
  func `R188, R190: watch ends with status 65 and the reason when its table or a key is lost`(
    _ sql: String,
    _ reason: String
  ) throws {
    let (watch, _) = try watching(
      "CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT); INSERT INTO t VALUES ('a', '1'), ('c', '3')"
    )
    try music.execute(sql, in: "t.sqlite")
    let line = try #require(try watch.line())
    #expect(line.hasPrefix(#"{"v":1,"t":"error""#) && line.contains(reason), "\(line)")
    let result = try watch.finish()
    #expect(result.status == 65)
    #expect(result.errors.contains(reason), "\(result)")
    guard sql.hasPrefix("INSERT") else { return }
    let again = try run.run("live-list", "t.sqlite", "t").lines
    #expect(again == ["rowid\tk\tv", "1\ta\t1", "2\tc\t3", "3\t\tn"])
  }

  @Test func `R189: texts that are not UTF-8 are listed, sorted, divided and followed`() throws {
    var (watch, replay) = try watching(
      """
      CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT);
      INSERT INTO t VALUES (CAST(x'4bf66c6e' AS TEXT), 'x'), ('Bonn', CAST(x'e9' AS TEXT)), (CAST(x'4be46c6e' AS TEXT), CAST(x'e8' AS TEXT));
      """
    )
    for arguments in [
      ["--sort", "k"], ["--sort", "v"], ["--section-by", "v"],
    ] {
      let list = try run.run("live-list", ["t.sqlite", "t", "--format", "csv"] + arguments)
      #expect(list.status == 0 && list.lines.count == 4, "\(list)")
    }
    let köln = #"{"text":"K\#u{FFFD}ln","base64":"S/Zsbg=="}"#
    let lines = try run.run("live-list", "t.sqlite", "t", "--format", "jsonl").lines
    #expect(lines.last == #"{"k":\#(köln),"v":"x"}"#)
    let table = try run.run("live-list", "t.sqlite", "t", "--format", "table").output
    #expect(table.contains("x  K\u{FFFD}ln"), "\(table)")
    for sql in [
      "UPDATE t SET v = 'y' WHERE k = CAST(x'4bf66c6e' AS TEXT)",
      "INSERT INTO t VALUES (CAST(x'4bff' AS TEXT), CAST(x'c3' AS TEXT))",
      "DELETE FROM t WHERE k = CAST(x'4be46c6e' AS TEXT)",
    ] {
      try music.execute(sql, in: "t.sqlite")
      try replay.apply(line: try #require(try watch.line()))
      var listed = WireReplay()
      let list = try run.run("live-list", "t.sqlite", "t", "--format", "json")
      try listed.apply(line: try #require(list.lines.first))
      #expect(replay.list?.sections == listed.list?.sections)
    }
    watch.send(SIGTERM)
    _ = try watch.finish()
  }

  @Test func `R236: an export says that it does not keep the bytes of a text`() throws {
    try music.execute(
      """
      CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT);
      INSERT INTO t VALUES (CAST(x'4bf66c6e' AS TEXT), CAST(x'e9' AS TEXT)), ('Bonn', 'x');
      """,
      in: "t.sqlite"
    )
    let export = { try run.run("live-list", "export", "t.sqlite", "t", $0) }
    #expect(
      try export("t.csv").errors
        == "live-list: 2 texts are not UTF-8 and written with � in place of some bytes; --format jsonl keeps the bytes\n"
    )
    #expect(try export("t.jsonl").errors == "")
    try music.execute("DELETE FROM t WHERE k <> 'Bonn'", in: "t.sqlite")
    #expect(try export("t.tsv").errors == "")
  }

  @Test func `R228: a blob is no text in JSON, whatever the column is declared as`() throws {
    try music.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB, x, d DECIMAL(5,2));
      INSERT INTO t VALUES (1, x'00ff', 'AP8=', x''), (2, 'AP8=', x'00ff', 7);
      """,
      in: "blobs.sqlite"
    )
    let lines = [
      #"{"id":1,"b":{"base64":"AP8="},"x":"AP8=","d":{"base64":""}}"#,
      #"{"id":2,"b":"AP8=","x":{"base64":"AP8="},"d":7}"#,
    ]
    let list = ["list", "blobs.sqlite", "t", "--format"]
    #expect(try run.run("live-list", list + ["jsonl"]).lines == lines)
    #expect(try run.run("live-list", "export", "blobs.sqlite", "t", "-").lines == lines)
    let snapshot = try run.run("live-list", list + ["json"]).output
    #expect(snapshot.contains(#""b":{"base64":"AP8="},"x":"AP8=""#))
    #expect(snapshot.contains(#""b":"AP8=","x":{"base64":"AP8="}"#))
    // The other formats have no form for it.
    for verb in [list + ["csv"], ["export", "blobs.sqlite", "t", "-", "--format", "csv"]] {
      #expect(try run.run("live-list", verb).lines[1].hasPrefix("1,AP8=,AP8=,"))
    }
  }

  @Test func `R192: an export has the requested columns`() throws {
    let export = ["export", "music.sqlite", "Track", "-", "--limit", "1", "--columns"]
    #expect(
      try run.run("live-list", export + ["Name,album.Title,id"]).lines
        == [#"{"Name":"One","album.Title":"First","TrackId":1}"#]
    )
    let refused = try run.run("live-list", export + ["Nam"])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("--columns"), "\(refused)")
  }

  @Test func `R194: a value beyond the limit stops no list that does not need its column`() throws {
    // The bytes are made when the column is read, so that the file is small.
    try music.execute(
      """
      CREATE TABLE bomb (id INTEGER PRIMARY KEY, name TEXT, b AS (zeroblob(300000000 + id)), n INT,
        parent INT REFERENCES bomb);
      INSERT INTO bomb (id, name, n, parent) VALUES (1, 'b', 5, 2), (2, 'a', 6, 1), (3, 'a', 7, NULL)
      """
    )
    let refused = try run.run("live-list", ["list", "music.sqlite", "bomb"])
    #expect(refused.status == 78)
    #expect(
      refused.errors.contains("leave out the column that has it: by a view, or by --columns"),
      "\(refused)"
    )
    let order = ["--columns", "name,id", "--where", "n < 7", "--sort", "name,-n"]
    let expected = ["name\tid", "a\t2", "b\t1"]
    #expect(try run.run("live-list", ["list", "music.sqlite", "bomb"] + order).lines == expected)
    #expect(
      try run.run("live-list", ["export", "music.sqlite", "bomb", "-", "--format", "tsv"] + order)
        .lines == expected
    )
    let sections = ["--section-by", "name", "--sort", "name,-parent", "--columns", "n"]
    #expect(
      try run.run("live-list", ["list", "music.sqlite", "bomb"] + sections).lines
        == ["section\tn", "a\t6", "a\t7", "b\t5"]
    )
    let watch = try run.start(
      "live-list",
      "watch",
      "music.sqlite",
      "bomb",
      "--columns",
      "name",
      "--format",
      "jsonl",
      "--deltas",
      "1"
    )
    #expect(try watch.line()?.contains(#"{"id":1,"name":"b"}"#) == true)
    try music.execute("UPDATE bomb SET name = 'c' WHERE id = 1")
    #expect(try watch.line()?.contains(#""name":"c""#) == true)
    #expect(try watch.status(within: 10) == 0)
    // Rows that nothing identifies are read once, with what the list needs.
    try music.execute(
      """
      CREATE TABLE hidden (rowid TEXT, _rowid_ INT, oid TEXT, b AS (zeroblob(300000000)));
      INSERT INTO hidden VALUES ('y', 1, ''), ('x', 1, '');
      CREATE VIEW heap AS SELECT b, name, n % 2 AS odd FROM bomb;
      """
    )
    let heaps = [
      ("hidden", ["rowid", "_rowid_"], ["x", "y"]), ("heap", ["name", "odd"], ["a", "a", "c"]),
    ]
    for (table, columns, rows) in heaps {
      let refused = try run.run("live-list", ["list", "music.sqlite", table])
      #expect(refused.status == 78 && refused.errors.contains("or by --columns"), "\(refused)")
      let words = ["--columns", columns[0], "--sort", columns.joined(separator: ",")]
      #expect(
        try run.run("live-list", ["list", "music.sqlite", table] + words).lines
          == [columns[0]] + rows
      )
    }
    try music.execute("DROP VIEW heap")
    // With a path whole rows are read.
    try music.execute(
      "DELETE FROM bomb; ALTER TABLE bomb DROP b; INSERT INTO bomb VALUES (1, 'b', 5, 1)"
    )
    for options in [
      ["--where", "parent.n == 5"], ["--sort", "parent.name"], ["--section-by", "parent"],
    ] {
      let related = ["list", "music.sqlite", "bomb", "--columns", "n"] + options
      #expect(try run.run("live-list", related).lines.last?.hasSuffix("5") == true)
    }
  }
}
