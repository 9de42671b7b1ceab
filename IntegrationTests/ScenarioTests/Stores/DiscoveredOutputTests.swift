import Foundation
import GRDB
import Testing

/// What `live-list` and `results-schema` print and say of the tables and views of other applications.
@Suite struct DiscoveredOutputTests {
  private let run: ProgramRun

  init() throws { run = try ProgramRun() }

  /// Runs statements as another application would, which has a collation of its own.
  private func execute(_ sql: String) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      database.add(
        collation: DatabaseCollation("unicase") { left, right in left.caseInsensitiveCompare(right)
        }
      )
    }
    let queue = try DatabaseQueue(path: run.path("t.sqlite"), configuration: configuration)
    try queue.inDatabase { try $0.execute(sql: sql) }
    try queue.close()
  }

  private func list(_ words: String...) throws -> ProgramResult {
    try run.run("live-list", ["list", "t.sqlite"] + words)
  }

  @Test func `R211: whole numbers of a decimal column are printed as they are stored`() throws {
    try execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, price DECIMAL(10,2), flag BOOLEAN, size REAL, next INT REFERENCES t);
      INSERT INTO t VALUES (1, 7, 1, 7, 2), (2, 'free', 2.5, 2.5, 3), (3, 2.5, 'maybe', NULL, 1);
      """
    )
    #expect(
      try list("t", "--columns", "price,flag,size,next.price,next.size").lines == [
        "price\tflag\tsize\tnext.price\tnext.size", "7\t1\t7.0\tfree\t2.5", "free\t2.5\t2.5\t2.5\t",
        "2.5\tmaybe\t\t7\t7.0",
      ]
    )
    #expect(
      try list("t", "--section-by", "price", "--columns", "id", "--sort", "price,id").lines
        == ["section\tid", "2.5\t3", "7\t1", "free\t2"]
    )
    #expect(
      try run.run("live-list", "export", "t.sqlite", "t", "-", "--format", "csv").lines
        == ["id,price,flag,size,next", "1,7,1,7,2", "2,free,2.5,2.5,3", "3,2.5,maybe,,1"]
    )
    let schema = try run.run("results-schema", "t.sqlite").output
    #expect(schema.contains("var price: Double?"))
  }

  @Test func `R197: booleans are booleans in JSON lines`() throws {
    try execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, flag BOOLEAN, text TEXT);
      INSERT INTO t VALUES (1, 1, 'true'), (2, 0, 'false'), (3, NULL, NULL);
      """
    )
    let lines = [
      #"{"id":1,"flag":true,"text":"true"}"#, #"{"id":2,"flag":false,"text":"false"}"#,
      #"{"id":3,"flag":null,"text":null}"#,
    ]
    #expect(try list("t", "--format", "jsonl").lines == lines)
    #expect(try run.run("live-list", "export", "t.sqlite", "t", "-").lines == lines)
    #expect(
      try run.run("live-list", "export", "t.sqlite", "t", "-", "--format", "csv").lines
        == ["id,flag,text", "1,true,true", "2,false,false", "3,,"]
    )
  }

  @Test
  func `R192: a collation that only the application has is named, and rows are in byte order`()
    throws
  {
    try execute(
      """
      CREATE TABLE tags (tag TEXT NOT NULL PRIMARY KEY COLLATE unicase, n INT) WITHOUT ROWID;
      INSERT INTO tags VALUES ('B', 1), ('a', 2), ('C', 3);
      CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT COLLATE unicase);
      INSERT INTO names VALUES (1, 'b'), (2, 'A');
      CREATE INDEX byName ON names (name);
      CREATE TABLE words (word TEXT NOT NULL PRIMARY KEY COLLATE NOCASE) WITHOUT ROWID;
      INSERT INTO words VALUES ('B'), ('a');
      CREATE TABLE computed (tag TEXT PRIMARY KEY COLLATE unicase, isA INT AS (tag = 'A')) WITHOUT ROWID;
      """
    )
    func note(_ table: String, _ program: String = "live-list") -> String {
      "\(program): \(table) uses the collation unicase, which only its application has; listed in byte order\n"
    }
    let tags = try list("tags")
    #expect(tags.lines == ["tag\tn", "B\t1", "C\t3", "a\t2"])
    #expect(tags.errors == note("tags"))
    #expect(
      try list("tags", "--where", "tag > 'B'", "--sort", "-n").lines == ["tag\tn", "C\t3", "a\t2"]
    )
    let export = try run.run("live-list", ["export", "t.sqlite", "tags", "-"])
    #expect(export.lines.first == #"{"tag":"B","n":1}"#)
    #expect(export.errors == note("tags"))
    let names = try list("names", "--sort", "name")
    #expect(names.lines == ["id\tname", "2\tA", "1\tb"])
    #expect(names.errors == note("names"))
    let columns = try run.run("live-list", "tables", "t.sqlite", "tags")
    #expect(columns.errors == note("tags"))
    #expect(columns.lines.contains("tag\ttext\t\t"))
    #expect(
      try run.run("live-list", "t.sqlite").lines.contains { $0.hasPrefix("tags\ttable\t3\t") }
    )
    let schema = try run.run("results-schema", "t.sqlite").output
    #expect(
      schema.contains(
        "///\n/// It uses the collation unicase, which only its application has; listed in byte order.\nstruct Names"
      ),
      "\(schema)"
    )
    #expect(try list("words").lines == ["word", "B", "a"])
    // What the application would calculate is not known without its collation.
    let refused = try list("computed")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("the collation unicase, which only its application has"))
    let watched = try run.run("live-list", ["watch", "t.sqlite", "tags", "--for", "1ms"])
    #expect(watched.status == 65)
    #expect(
      watched.errors.hasSuffix(
        "tags cannot be watched: its rows are in the order of the collation unicase, which only its application has. 'list' and 'export' read it once.\n"
      ),
      "\(watched)"
    )
  }
}
