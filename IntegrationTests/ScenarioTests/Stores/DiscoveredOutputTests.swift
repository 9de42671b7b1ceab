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

  @Test func `R192: what a list leaves out is said`() throws {
    try execute(
      """
      PRAGMA foreign_keys = OFF;
      CREATE TABLE t (id INTEGER PRIMARY KEY, "" TEXT, a, gone INT REFERENCES nowhere (id));
      INSERT INTO t VALUES (1, 'x', 2, NULL), (2, 'y', 'z', NULL);
      """
    )
    let list = try list("t")
    #expect(list.lines == ["id\ta\tgone", "1\t2\t", "2\tz\t"])
    let notes = [
      "column 2 of t has no name and is not listed",
      "gone of t refers to the table nowhere, which does not exist",
    ]
    #expect(list.errors == notes.map { "live-list: \($0)\n" }.joined())
    let tables = try run.run("live-list", "tables", "t.sqlite", "t")
    #expect(tables.lines.contains("(column 2)\t\thas no name: not listed\t"))
    #expect(tables.errors == list.errors)
    let schema = try run.run("results-schema", "t.sqlite", "t").output
    #expect(schema.contains("var a: String?  // has no declared type, and other values than text"))
    for line in [
      "  // column 2: left out, because it has no name.",
      "  // gone: no relationship, since there is no table nowhere.",
    ] {
      #expect(schema.split(separator: "\n").contains { $0 == line }, "\(line) in \(schema)")
    }
  }

  #if !PostgreSQL
  @Test func `R235: a build without PostgreSQL says how to make one that takes a URL`() throws {
    for words in [["live-list", "list"], ["live-list", "tables"], ["results-schema"]] {
      let url = "postgresql://localhost/shop"
      let refused = try run.run(words[0], Array(words.dropFirst()) + [url])
      #expect(refused.status == 64)
      #expect(
        refused.errors.contains(
          "\(words[0]) was built without PostgreSQL. Build it with 'swift build --traits PostgreSQL', or name a file."
        ),
        "\(refused)"
      )
    }
  }
  #endif

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
    #expect(
      refused.errors.hasSuffix(
        "computed cannot be listed: it has calculated columns, and the collation unicase, which only its application has.\n"
      ),
      "\(refused)"
    )
    let advice =
      "A table with row numbers, which is not WITHOUT ROWID, could be watched; so could this one with a key that compares by bytes."
    for verb in ["watch", "doctor"] {
      let refused = try run.run("live-list", [verb, "t.sqlite", "tags"])
      #expect(refused.status == 65)
      #expect(
        refused.errors.hasSuffix(
          "tags cannot be watched: its rows are in the order of the collation unicase, which only its application has."
            + " 'list' and 'export' read it once. \(advice)\n"
        ),
        "\(refused)"
      )
    }
  }

  @Test func `R192: rows are counted where an index has a collation that only the application has`()
    throws
  {
    let other = "a TEXT, b TEXT, c TEXT, d TEXT"
    try execute(
      """
      CREATE TABLE named (name TEXT PRIMARY KEY COLLATE unicase, \(other));
      INSERT INTO named VALUES ('b', '', '', '', ''), ('A', '', '', '', '');
      CREATE TABLE indexed (id INTEGER PRIMARY KEY, name TEXT, \(other));
      CREATE INDEX byName ON indexed (name COLLATE unicase);
      INSERT INTO indexed VALUES (1, 'b', '', '', '', ''), (2, 'A', '', '', '', '');
      """
    )
    for table in ["named", "indexed"] {
      let doctor = try run.run("live-list", ["doctor", "t.sqlite", table])
      #expect(doctor.status == 0, "\(doctor)")
      #expect(doctor.lines.contains { $0.hasPrefix("entity     \(table), 2 objects") }, "\(doctor)")
      #expect(doctor.errors.contains("the collation unicase") == (table == "named"), "\(doctor)")
      #expect(
        try run.run("live-list", "t.sqlite").lines.contains { $0.hasPrefix("\(table)\ttable\t2\t") }
      )
      #expect(try list(table, "--where", "name > 'a'", "--columns", "name").lines == ["name", "b"])
    }
  }

  @Test(arguments: [1, 500])
  func `R194: a calculated column that fails in a row stops no list without it`(_ row: Int) throws {
    try execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, n INT);
      INSERT INTO t WITH i(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM i WHERE i < 1000)
        SELECT i, iif(i = \(row), -9223372036854775808, i) FROM i;
      ALTER TABLE t ADD COLUMN size AS (abs(n));
      """
    )
    let verbs = [["list"], ["watch", "--deltas", "0"], ["browse", "--print", "--no-state"]]
    for verb in verbs where verb[0] != "browse" || row == 1 {
      let words = [verb[0], "t.sqlite", "t"] + verb.dropFirst()
      let refused = try run.run("live-list", words)
      #expect(refused.status == 78, "\(refused)")
      #expect(refused.errors.contains("fails in a row (integer overflow)"), "\(refused)")
    }
    #expect(
      try list("t", "--columns", "id", "--limit", "2", "--sort", "n").lines == ["id", "\(row)"]
        + [row == 1 ? "2" : "1"]
    )
    let columns = try run.run("live-list", "tables", "t.sqlite", "t").lines
    #expect(columns.contains { $0.hasPrefix("size\t") && $0.contains("calculated") })
    try run.run("live-list", "doctor", "t.sqlite", "t")
    #expect(try run.run("results-schema", "t.sqlite", "t").output.contains("var size: "))
  }

  @Test func `R103: a file that is shorter than its header says is called that`() throws {
    try execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO t WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        SELECT i, hex(zeroblob(50)) FROM n;
      CREATE TABLE last (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO last SELECT * FROM t;
      """
    )
    let whole = try Data(contentsOf: URL(fileURLWithPath: run.path("t.sqlite")))
    let count = whole.count / 4096
    /// Writes the first pages of the file; with a version, the number of pages in the header does not count
    /// (sqlite.org/fileformat2.html, 1.3.8).
    func write(_ pages: Int, claiming claimed: Int? = nil, version: UInt8? = nil) throws {
      var bytes = whole.prefix(pages * 4096)
      if let claimed {
        bytes[31] = UInt8(truncatingIfNeeded: claimed); bytes[30] = UInt8(claimed >> 8)
      }
      if let version { bytes[95] = version }
      try bytes.write(to: URL(fileURLWithPath: run.path("t.sqlite")))
    }
    let verbs = [
      ["live-list", "t.sqlite"], ["live-list", "tables", "t.sqlite", "t"],
      ["live-list", "list", "t.sqlite", "t"], ["live-list", "doctor", "t.sqlite", "t"],
      ["live-list", "list", "t.sqlite", "t", "--copy"], ["results-schema", "t.sqlite"],
    ]
    for pages in [1, 5, count - 1] {
      try write(pages)
      for verb in verbs {
        let refused = try run.run(verb[0], Array(verb.dropFirst()))
        #expect(
          refused.errors.contains(
            "the file ends at page \(pages) of \(count); perhaps it is still being copied"
          ),
          "\(verb) \(refused)"
        )
        #expect([65, 66, 74].contains(refused.status), "\(refused)")
      }
    }
    // A program that does not know the number of pages leaves a wrong one behind, and does not call it right.
    try write(count, claiming: 5000, version: 200)
    for verb in verbs { #expect(try run.run(verb[0], Array(verb.dropFirst())).status == 0) }
    try write(5, claiming: 5000, version: 200)
    let refused = try run.run("live-list", ["t.sqlite"])
    #expect(refused.errors.contains("is a damaged database (malformed"), "\(refused)")
  }

  @Test func `R103: damaged rows refuse their own table alone`() throws {
    try execute(
      """
      PRAGMA foreign_keys = OFF;
      CREATE TABLE good (id INTEGER PRIMARY KEY, bad INT REFERENCES middle (id));
      INSERT INTO good VALUES (1, 1), (2, NULL);
      CREATE TABLE middle (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO middle WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        SELECT i, hex(zeroblob(50)) FROM n;
      CREATE TABLE start (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO start SELECT * FROM middle;
      CREATE VIEW seen AS SELECT name FROM start;
      """
    )
    let file = URL(fileURLWithPath: run.path("t.sqlite"))
    var bytes = try Data(contentsOf: file)
    /// Fills the page with a row of a table with zeros.
    func damage(_ table: String, fromLeaf first: Int, count: Int) throws {
      let queue = try DatabaseQueue(path: file.path)
      let leaves = try queue.read { database in
        try Int.fetchAll(
          database,
          sql: "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno",
          arguments: [table]
        )
      }
      for leaf in leaves.dropFirst(first).prefix(count) {
        bytes.replaceSubrange((leaf - 1) * 4096..<leaf * 4096, with: Data(count: 4096))
      }
    }
    try damage("middle", fromLeaf: 20, count: 4)
    try damage("start", fromLeaf: 0, count: 1)
    try bytes.write(to: file)
    let tables = try run.run("live-list", "tables", "t.sqlite").lines
    #expect(tables.contains("good\ttable\t2\tid\tbad → middle"), "\(tables)")
    #expect(tables.contains("middle\ttable\tdamaged\tid\t"), "\(tables)")
    let reason = "none: its rows are damaged (database disk image is malformed)"
    #expect(tables.contains("start\ttable\tdamaged\t\(reason)\t"), "\(tables)")
    #expect(tables.contains("seen\tview\t\t\(reason)\t"), "\(tables)")
    let screen = try run.run("live-list", ["browse", "t.sqlite", "--print", "--no-state"]).lines
    #expect(screen.count { $0.contains("table, damaged") } == 2, "\(screen)")
    #expect(try self.list("good").lines == ["id\tbad", "1\t1", "2\t"])
    for words in [
      ["list", "t.sqlite", "middle"], ["list", "t.sqlite", "start"],
      ["tables", "t.sqlite", "start"],
      ["doctor", "t.sqlite", "seen"],
    ] {
      let refused = try run.run("live-list", words)
      #expect(refused.status == 65 && refused.errors.contains("is malformed"), "\(refused)")
    }
    let schema = try run.run("results-schema", "t.sqlite")
    #expect(schema.output.contains("its rows are damaged"), "\(schema)")
    #expect(schema.output.contains("struct Good"), "\(schema)")
  }

  @Test func `R104: a view without a key is listed and exported, and not watched`() throws {
    try execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, at DATETIME, flag BOOLEAN);
      INSERT INTO t VALUES (1, 'b', '2024-01-01 12:00:00', 1), (2, 'a', NULL, 0), (3, 'b', '2024-01-01 12:00:00', 1);
      CREATE VIEW v AS SELECT name, at, flag AS "row" FROM t ORDER BY id;
      CREATE TABLE hidden (rowid TEXT, _rowid_ TEXT, oid TEXT);
      INSERT INTO hidden VALUES ('x', 'y', 'z'), ('x', 'y', 'z');
      """
    )
    #expect(
      try list("v").lines == [
        "name\tat\trow", "b\t2024-01-01T12:00:00Z\ttrue", "a\t\tfalse",
        "b\t2024-01-01T12:00:00Z\ttrue",
      ]
    )
    #expect(
      try list("v", "--sort", "name", "--section-by", "name", "--format", "jsonl").lines == [
        #"{"section":"a","name":"a","at":null,"row":false}"#,
        #"{"section":"b","name":"b","at":"2024-01-01T12:00:00Z","row":true}"#,
        #"{"section":"b","name":"b","at":"2024-01-01T12:00:00Z","row":true}"#,
      ]
    )
    #expect(
      try list("v", "--where", "at >= '2024-01-01T00:00:00Z'", "--columns", "name").lines
        == ["name", "b", "b"]
    )
    #expect(
      try run.run("live-list", "export", "t.sqlite", "v", "-", "--format", "csv").lines
        == [
          "name,at,row", "b,2024-01-01T12:00:00Z,true", "a,,false",
          "b,2024-01-01T12:00:00Z,true",
        ]
    )
    #expect(try list("hidden").lines == ["rowid\t_rowid_\toid", "x\ty\tz", "x\ty\tz"])
    let columns = try run.run("live-list", "tables", "t.sqlite", "v").lines
    #expect(columns.contains("row\tboolean\tmay be null\t"), "\(columns)")
    #expect(
      try run.run("live-list", "t.sqlite").lines.contains { $0.hasPrefix("v\tview\t3\tnone") }
    )
    for verb in ["watch", "doctor"] {
      let refused = try run.run("live-list", [verb, "t.sqlite", "v"])
      #expect(refused.status == 65)
      #expect(
        refused.errors.hasSuffix(
          "v cannot be watched: no column of the view identifies its rows: each has equal or missing values. 'list' and 'export' read it once.\n"
        ),
        "\(refused)"
      )
    }
  }
}
