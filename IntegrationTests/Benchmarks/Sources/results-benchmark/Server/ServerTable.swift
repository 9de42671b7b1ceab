#if PostgreSQL
import FetchedResults
import Foundation
import PostgreSQLPersistence
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import SectionCacheFiles

/// One size of the large table in PostgreSQL, in a database of its own: its store, and plain connections to it.
final class ServerTable: MeasuredTable {
  let rows: Int
  let runs: Int
  let isLargest: Bool
  let url: String
  let store: any Store
  /// The connection of the references that only read.
  let plain: PlainServer
  /// The connection of another writer.
  let writer: PlainServer
  let caches: SectionCacheFolder
  var numbers = GeneratedBooks(rows: 1)
  private let server: ServerAddress

  /// Creates the database, which is dropped at the end.
  ///
  /// If `keeps` is true, it is a copy of one that stays for later runs as it was created, since this run changes its rows.
  init(
    rows: Int,
    runs: Int,
    isLargest: Bool,
    on server: ServerAddress,
    keeps: Bool,
    in folder: BenchmarkFolder
  ) throws {
    (self.rows, self.runs, self.isLargest, self.server) = (rows, runs, isLargest, server)
    let database = Self.database(rows)
    url = server.url(of: database)
    if keeps {
      let kept = database + "_kept"
      if try !Self.isComplete(kept, rows, on: server) { try Self.create(kept, rows, on: server) }
      try server.drop(database)
      try server.create(database, from: kept)
    } else {
      try Self.create(database, rows, on: server)
    }
    store = try Self.open(url)
    plain = try PlainServer(url: url)
    // The plans of the references are the best there are.
    try plain.run(
      """
      SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan;
      SET max_parallel_workers_per_gather = 0; SET jit = off
      """
    )
    writer = try PlainServer(url: url)
    let name = "\(database)-caches"
    caches = SectionCacheFolder(at: URL(fileURLWithPath: folder.path(of: name), isDirectory: true))
  }

  func openStore() throws -> any Store { try Self.open(url) }

  private static func open(_ url: String) throws -> PostgreSQLStore {
    try PostgreSQLStore(
      url: url,
      entities: [Message.entity],
      options: PostgreSQLStoreOptions(adoptsTables: true, maintainsChangeLog: true)
    )
  }

  func close() throws {
    try store.close()
    plain.close()
    writer.close()
    try server.drop(Self.database(rows))
  }

  // MARK: - The database

  private static func database(_ rows: Int) -> String { "results_benchmark_\(rows)" }

  private static func isComplete(
    _ database: String,
    _ rows: Int,
    on server: ServerAddress
  ) throws -> Bool {
    guard try server.has(database) else { return false }
    let present = try PlainServer(url: server.url(of: database))
    defer { present.close() }
    let count = try? present.integer("SELECT count(*) FROM \"Message\"")
    let last = try? present.integer("SELECT max(id) FROM \"Message\"")
    return count == Int64(rows) && last == Int64(rows)
  }

  private static func create(_ database: String, _ rows: Int, on server: ServerAddress) throws {
    try server.drop(database)
    try server.create(database)
    let present = try PlainServer(url: server.url(of: database))
    defer { present.close() }
    try present.run(table)
    for start in stride(from: 1, through: rows, by: 1_000_000) {
      try present.run(insertion(start...min(rows, start + 999_999)))
    }
    try present.run("ALTER TABLE \"Message\" ADD PRIMARY KEY (id)")
    try present.run("CREATE INDEX by_folder_date ON \"Message\" (folder, date, id)")
    try present.run("VACUUM (ANALYZE) \"Message\"")
    try present.run("CHECKPOINT")
  }

  /// The columns of `Message`, as a store makes them.
  static let table = """
    CREATE TABLE "Message" (id bigint NOT NULL, folder bigint NOT NULL, date bigint NOT NULL,
      subject text COLLATE "C" NOT NULL, room bigint NOT NULL, thread bigint NOT NULL, mark bigint NOT NULL,
      body text COLLATE "C" NOT NULL)
    """

  /// Rows like those of `MessageFile`, drawn from their numbers by a hash.
  static func insertion(_ range: ClosedRange<Int>, into table: String = "Message") -> String {
    """
    INSERT INTO "\(table)" SELECT n, (hashint8(n) & 1073741823) % \(Message.folders),
      \(Message.dates.lowerBound) + (hashint8(n * 7919) & 2147483647)::bigint * 146973,
      chr(65 + (n % 26)::int) || ' subject of ' || n, n % 10, hashint8(n * 31) & 65535, (n % 100 = 7)::int,
      substr(repeat(md5(n::text), 2), 1, 60) FROM generate_series(\(range.lowerBound)::bigint, \(range.upperBound)) n
    """
  }
}

// MARK: - Changes

extension ServerTable {
  /// Moves a random row to another folder, on the connection of another writer.
  func moveOne() throws {
    _ = try writer.call(
      """
      UPDATE "Message" SET folder = (folder + 1 + $2::int8) % \(Message.folders) WHERE id = $1::int8
      """,
      [anyID(), Int64(numbers.draw(below: Message.folders - 2))]
    )
  }
}

// MARK: - The server

/// The server of a run: databases are created and dropped on it.
struct ServerAddress {
  private let base: String
  private let query: String

  /// - Parameter url: The URL of any database of the server.
  init(url: String) {
    let parts = url.split(separator: "?", maxSplits: 1).map(String.init)
    let path = parts.first ?? url
    let authority = path.range(of: "://").map { path[$0.upperBound...] } ?? path[...]
    let slash = authority.firstIndex(of: "/") ?? path.endIndex
    base = String(path[..<slash])
    query = parts.count > 1 ? "?" + parts[1] : ""
  }

  /// The URL of a database of the server.
  func url(of database: String) -> String { "\(base)/\(database)\(query)" }

  func has(_ database: String) throws -> Bool {
    try withServer {
      try $0.integer("SELECT count(*) FROM pg_database WHERE datname = '\(database)'") > 0
    }
  }

  func create(_ database: String, from template: String = "template0") throws {
    _ = try withServer {
      try $0.run("CREATE DATABASE \(database) ENCODING 'UTF8' TEMPLATE \(template)")
    }
  }

  func drop(_ database: String) throws {
    _ = try withServer { try $0.run("DROP DATABASE IF EXISTS \(database) WITH (FORCE)") }
  }

  private func withServer<Result>(_ body: (PlainServer) throws -> Result) throws -> Result {
    let server = try PlainServer(url: url(of: "postgres"))
    defer { server.close() }
    return try body(server)
  }
}
#endif
