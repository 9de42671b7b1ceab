import Foundation
import Testing

/// R12: several tables of another application as one list of `live-list`.
@Suite struct ListedTablesTests {
  private let music: MusicDatabase
  private var run: ProgramRun { music.run }

  init() throws { music = try MusicDatabase() }

  @Test func `R12: several tables are one list, in the order of what they share`() throws {
    let together = ["music.sqlite", "Track", "--with", "Artist", "--with", "playlist"]
    let names = [
      "--columns", "table,key,Name,Milliseconds", "--sort", "Name", "--where", "Name != NULL",
    ]
    #expect(
      try run.run("live-list", ["list"] + together + names).output == """
        table\tkey\tName\tMilliseconds
        Artist\t1\tAlpha\t
        Artist\t2\tBeta\t
        Playlist\t2\tEvening\t
        Track\t4\tFour\t61000
        Playlist\t1\tMusic\t
        Track\t1\tOne\t343719
        Track\t3\tThree\t200500
        Track\t2\tTwo\t180000

        """
    )
    let screen = ["--print", "--size", "80x8", "--section-by", "table"]
    let lines = try run.run("live-list", ["browse"] + together + screen).lines
    #expect(lines[0].hasPrefix(" live-list  music.sqlite ▸ Artist, Playlist, Track "), "\(lines)")
  }

  @Test(arguments: [
    (["Track", "--with", "track"], "Track is named twice. Name each table once."),
    (["Track", "--with", "Visits"], "music.sqlite has no table “Visits”. Did you mean “Visit”?"),
    (["--with", "Track"], "--with Track needs another table before it"),
    (["Artist", "--with", "Names"], "Names cannot be listed with other tables:"),
    (["Artist", "--with", "Endless"], "a description. Leave it out."),
  ])
  func `R12: tables that cannot be one list are refused by name`(
    _ words: [String],
    _ message: String
  ) throws {
    try music.execute("CREATE VIEW Names AS SELECT Name FROM Artist")
    try music.execute(
      "CREATE VIEW Endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    )
    let result = try run.run("live-list", ["list", "music.sqlite"] + words)
    #expect(result.status != 0 && result.errors.contains(message), "\(result)")
  }

  @Test func `R12: a commit of another program to two tables is one change of the list`() throws {
    let watch = try RunningProgram(
      "live-list",
      [
        "watch", "music.sqlite", "Artist", "--with", "Playlist", "--columns", "table,Name",
        "--sort", "Name", "--deltas", "1",
      ],
      environment: run.environment,
      folder: run.folder
    )
    while let line = try watch.line(), !line.hasPrefix("5 rows") {}
    try music.execute(
      "BEGIN; INSERT INTO Artist VALUES (4, 'Kappa'); UPDATE Playlist SET Name = 'Aube' WHERE PlaylistId = 2; COMMIT"
    )
    let delta = [try watch.line() ?? "", try watch.line() ?? ""].joined(separator: "\n")
    #expect(delta.contains("Kappa") && delta.contains("Aube"), "\(delta)")
    #expect(try watch.finish().status == 0)
  }
}
