import ResultsStoreKit
import Foundation
import GRDB
import Testing

/// The program `results-schema`: the Swift that it prints compiles.
@Suite struct SchemaProgramTests {
  private let run: ProgramRun

  init() throws { run = try ProgramRun() }

  private func execute(_ sql: String) throws {
    let queue = try DatabaseQueue(path: run.path("app.sqlite"))
    try queue.inDatabase { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// The compiler's output for a source file that uses the modules of this build.
  private func compile(_ source: String) throws -> ProgramResult {
    try run.write(source, to: "Entities.swift")
    let program = try ProgramFolder.executable("results-schema")
    let modules = URL(fileURLWithPath: program).deletingLastPathComponent()
      .appendingPathComponent("Modules").path
    run.environment["PATH"] = ProcessInfo.processInfo.environment["PATH"]
    return try run.run(
      "/usr/bin/env",
      ["swiftc", "-typecheck", "-swift-version", "6", "-I", modules, run.path("Entities.swift")]
    )
  }

  @Test func `entities for a database of another application compile`() throws {
    try execute(
      String(contentsOfFile: ProgramFolder.fixture("Databases/music.sql"), encoding: .utf8)
    )
    let source = try run.run("results-schema", "app.sqlite").output
    for line in [
      "struct Album: Entity {", "  var albumID: Int64?", "  var title: String = \"\"",
      "    \"Album\", identity: \\.albumID, column: \"AlbumId\"",
      "    Attribute(\\.added, \"Added\", as: .dateText(digits: 0))",
      "  var seconds: Int64?  // calculated: read only",
      #"  static let artist = ToOne<Album, Artist>("artist", \.artistID)"#,
      #"  static let albums = ToMany<Artist, Album>("albums", inverse: Album.artist)"#,
      #"    "tracks", through: Link("PlaylistTrack", "PlaylistId", "TrackId")"#,
      "    Relationship(tracks)", "/// A row of the view AlbumList.",
      "// The table PlaylistTrack is the link of Playlist.tracks and Track.playlists.",
      #"  //   CREATE INDEX "TrackByAlbumId" ON "Track" ("AlbumId");"#,
    ] {
      #expect(source.split(separator: "\n").contains { $0 == line }, "\(line) in \(source)")
    }
    let result = try compile(source)
    #expect(result.status == 0, "\(result)")
    let album = try run.run("results-schema", "app.sqlite", "album").output
    #expect(album.contains("struct Album") && !album.contains("struct Track"))
    #expect(album.contains("// artist: to Artist, which is not printed here."))
    #expect(try compile(album).status == 0)
    let missing = try run.run("results-schema", "app.sqlite", "Albm", expecting: 66)
    #expect(missing.errors.contains("It has Album."))
  }

  @Test func `names that Swift does not have are changed, and the columns' names are not`() throws {
    try execute(
      """
      CREATE TABLE "string" ("class" TEXT, "a b" INT, "a_b" INT, "1st" REAL, "é""\\" BLOB, "" TEXT, "schema" TEXT);
      CREATE TABLE "order items" ("ID" INTEGER PRIMARY KEY, "URL" TEXT NOT NULL, "self" INT, "$" DECIMAL);
      CREATE TABLE "東京" ("名前" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
      CREATE TABLE "only" ("id" INTEGER PRIMARY KEY);
      CREATE VIEW "broken" AS SELECT x FROM gone;
      """
    )
    let source = try run.run("results-schema", "app.sqlite").output
    #expect(
      source.contains("struct String2: Entity") && source.contains("struct OrderItems: Entity")
    )
    #expect(source.contains("Attribute(\\.`class`, \"class\")"))
    #expect(source.contains("// view broken: no entity"))
    let result = try compile(source)
    #expect(result.status == 0, "\(result)\(source)")
  }

  @Test func `R91: relationships of every kind compile`() throws {
    try execute(
      """
      CREATE TABLE "link" ("self" INTEGER PRIMARY KEY, "Type" TEXT, "parent_id" INT REFERENCES "link" ON DELETE CASCADE,
        "schema" INT REFERENCES "link", "home team" INT REFERENCES "Team" ON DELETE SET NULL, "HomeTeam" INT REFERENCES "Team");
      CREATE TABLE "Team" ("code" TEXT PRIMARY KEY NOT NULL, "link" TEXT, "price" TEXT, "extra" TEXT);
      CREATE TABLE "team_member" ("team" TEXT REFERENCES "Team", "person" INT, "year" INT NOT NULL,
        PRIMARY KEY ("team", "person", "year"), FOREIGN KEY ("person") REFERENCES "link" ("self")) WITHOUT ROWID;
      CREATE TABLE "Award" ("id" INTEGER PRIMARY KEY, "team" TEXT, "person" INT, "year" INT, "class" INT REFERENCES "gone",
        FOREIGN KEY ("team", "person", "year") REFERENCES "team_member" ON DELETE RESTRICT);
      CREATE TABLE "friend" ("a" INT NOT NULL REFERENCES "link", "b" INT NOT NULL REFERENCES "link", PRIMARY KEY ("b", "a"));
      CREATE TABLE "log" ("text" TEXT, "team_code" TEXT REFERENCES "Team");
      INSERT INTO "Team" VALUES ('x', NULL, '1.50', '{"a": [1, 2]}');
      """
    )
    let source = try run.run("results-schema", "app.sqlite").output
    for line in [
      #"  static let parent = ToOne<Link2, Link2>("parent", \.parentID, onDelete: .cascade)"#,
      #"  static let linksByParent = ToMany<Link2, Link2>("linksByParent", inverse: Link2.parent)"#,
      #"    Attribute(\.price, "price", as: .decimalText)"#,
      #"    Attribute(\.extra, "extra", as: .json)"#,
      "// The table friend is the link of Link2.bs and Link2.`as`.",
    ] {
      #expect(source.split(separator: "\n").contains { $0 == line }, "\(line) in \(source)")
    }
    #expect(source.contains("// class: no relationship, since there is no table gone."))
    let result = try compile(source)
    #expect(result.status == 0, "\(result)\(source)")
  }

  @Test func `R91: links with a key of their own or without one, and keys by convention, compile`()
    throws
  {
    try execute(
      """
      CREATE TABLE "ar_internal_metadata" ("key" varchar NOT NULL PRIMARY KEY, "value" varchar);
      CREATE TABLE "books" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "category_id" integer, "created_at" datetime(6), "meta" json);
      CREATE TABLE "categories" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar);
      CREATE TABLE "tags" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar);
      CREATE TABLE "books_tags" ("book_id" integer NOT NULL, "tag_id" integer NOT NULL);
      CREATE TABLE "shelvings" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "category_id" integer, "tag_id" integer);
      """
    )
    let source = try run.run("results-schema", "app.sqlite").output
    for line in [
      #"  static let category = ToOne<Books, Categories>("category", \.categoryID)"#,
      "  // By the column's name: the table declares no foreign key.",
      #"    "tags", through: Link("books_tags", "book_id", "tag_id", identity: "rowid")"#,
      #"    "tags", through: Link("shelvings", "category_id", "tag_id", identity: "id")"#,
      "// The table books_tags is the link of Books.tags and Tags.books.",
      "  // meta: left out, because its declared type turns some values into others.",
      #"    Attribute(\.createdAt, "created_at", as: .dateTextOmittingZeroFraction)"#,
    ] {
      #expect(source.split(separator: "\n").contains { $0 == line }, "\(line) in \(source)")
    }
    let result = try compile(source)
    #expect(result.status == 0, "\(result)\(source)")
  }
}
