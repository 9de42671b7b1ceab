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
      "    \"PlaylistTrack\", compoundIdentity: [\"PlaylistId\", \"TrackId\"]",
      "/// - artist: Artist, to one, by ArtistId", "/// A row of the view AlbumList.",
    ] {
      #expect(source.split(separator: "\n").contains { $0 == line }, "\(line) in \(source)")
    }
    let result = try compile(source)
    #expect(result.status == 0, "\(result)")
    let album = try run.run("results-schema", "app.sqlite", "album").output
    #expect(album.contains("struct Album") && !album.contains("struct Track"))
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
}
