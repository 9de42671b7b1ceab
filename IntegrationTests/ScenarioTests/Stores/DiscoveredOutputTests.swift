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
}
