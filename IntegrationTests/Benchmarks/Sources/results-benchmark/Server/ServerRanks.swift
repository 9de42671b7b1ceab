#if PostgreSQL
/// The reference for following a change in C: every 512th key in memory, the log read by snapshots, two positions by counts.
///
/// Its statements are the fewest that an exact list can do with. It measures costs and is not a list: its keys are those at the time of
/// its creation.
struct ServerRanks {
  /// Which transactions a snapshot does not see: those from a number on, and some before.
  struct Mark {
    var first: String
    var running: String
  }

  static let stride = 512
  private static let order = "folder, date, id"
  private var pivots: [MessageKey] = []
  private(set) var mark: Mark
  /// The number that the log gives the entity.
  private let entity: Int64

  /// Reads every 512th key, in one recursive statement that skips.
  init(_ server: PlainServer) throws {
    let rows = try server.query(
      """
      WITH RECURSIVE p AS ((SELECT folder, date, id FROM "Message" ORDER BY folder, date, id LIMIT 1)
        UNION ALL SELECT q.* FROM p, LATERAL (SELECT folder, date, id FROM "Message"
          WHERE (folder, date, id) >= (p.folder, p.date, p.id) ORDER BY folder, date, id
          OFFSET \(Self.stride) LIMIT 1) q)
      SELECT folder, date, id FROM p
      """
    )
    pivots.reserveCapacity(rows.count)
    for row in 0..<rows.count { pivots.append(Self.key(rows, row)) }
    entity = try server.integer("SELECT number FROM fetched_results.entity WHERE name = 'Message'")
    mark = try Self.present(server)
  }

  private static func key(_ rows: PlainRows, _ row: Int) -> MessageKey {
    MessageKey(
      folder: rows.integer(row, 0),
      date: rows.integer(row, 1),
      id: rows.integer(row, 2)
    )
  }

  private static func present(_ server: PlainServer) throws -> Mark {
    let rows = try server.run(
      """
      SELECT pg_snapshot_xmax(s)::text, ARRAY(SELECT pg_snapshot_xip(s))::text FROM pg_current_snapshot() s
      """
    )
    return Mark(first: rows.text(0, 0), running: rows.text(0, 1))
  }

  /// Forgets what has been committed so far.
  mutating func skip(_ server: PlainServer) throws { mark = try Self.present(server) }

  /// Looks for what is new, in one flight.
  func look(_ server: PlainServer) throws -> [PlainRows] {
    let fresh = """
      SELECT ki FROM (SELECT * FROM fetched_results.log WHERE xid >= $1::text::xid8
        UNION ALL SELECT * FROM fetched_results.log WHERE xid = ANY ($2::text::xid8[])) f ORDER BY step
      """
    return try server.flight([
      .init(sql: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
      .init(sql: "LOCK TABLE \"Message\", fetched_results.log IN ACCESS SHARE MODE"),
      .init(sql: "SELECT pg_current_snapshot()::text, trimmed::text FROM fetched_results.store"),
      .init(sql: fresh, texts: [mark.first, mark.running]), .init(sql: "COMMIT"),
    ])
  }

  /// Reads what is new, and finds the old and the new position of each moved row: two flights.
  /// - Returns: The number of changed rows.
  @discardableResult
  mutating func follow(_ server: PlainServer) throws -> Int {
    let fresh = """
      SELECT ki, old FROM (SELECT * FROM fetched_results.log WHERE xid >= $1::text::xid8
        UNION ALL SELECT * FROM fetched_results.log WHERE xid = ANY ($2::text::xid8[])) f
      WHERE entity = \(entity) AND kind = 'u' ORDER BY step
      """
    let after = """
      SELECT folder, date, id, body FROM "Message" WHERE id = ANY (ARRAY(
        SELECT ki FROM fetched_results.log WHERE xid >= $1::text::xid8 AND entity = \(entity)
        UNION ALL SELECT ki FROM fetched_results.log WHERE xid = ANY ($2::text::xid8[]) AND entity = \(entity)))
      """
    let marks = [mark.first, mark.running]
    let results = try server.flight([
      .init(sql: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
      .init(sql: "LOCK TABLE \"Message\", fetched_results.log IN ACCESS SHARE MODE"),
      .init(
        sql: """
          SELECT pg_snapshot_xmax(s)::text, ARRAY(SELECT pg_snapshot_xip(s))::text, trimmed::text
          FROM pg_current_snapshot() s, fetched_results.store
          """
      ),
      .init(sql: fresh, texts: marks), .init(sql: after, texts: marks),
    ])
    let (old, new) = (results[3], results[4])
    var keys: [MessageKey] = []
    // An old image is a composite value: a count, and before each column its type and length.
    for row in 0..<old.count {
      let (folder, date) = (old.integer(row, 1, at: 12), old.integer(row, 1, at: 28))
      keys.append(MessageKey(folder: folder, date: date, id: old.integer(row, 0)))
    }
    for row in 0..<new.count { keys.append(Self.key(new, row)) }
    _ = try count(keys, server)
    mark = Mark(first: results[2].text(0, 0), running: results[2].text(0, 1))
    return old.count
  }

  /// Counts the keys between each key and the pivot before it, and ends the transaction: one flight.
  private func count(_ keys: [MessageKey], _ server: PlainServer) throws -> [PlainRows] {
    let calls = keys.count > 8 ? [countOfMany(keys)] : keys.map { countOfOne($0) }
    return try server.flight(calls + [.init(sql: "COMMIT")])
  }

  private func countOfOne(_ key: MessageKey) -> PlainServer.Call {
    let pivot = pivot(before: key)
    let parameters = [pivot.folder, pivot.date, pivot.id, key.folder, key.date, key.id]
    let message = "SELECT count(*) FROM \"Message\" WHERE"
    let sql: String
    if pivot.folder == key.folder, pivot.date == key.date {
      sql = """
        \(message) folder = $1::int8 AND date = $2::int8 AND id >= $3::int8 AND id < $6::int8
          AND $4::int8 = $1::int8 AND $5::int8 = $2::int8
        """
    } else if pivot.folder == key.folder {
      sql = """
        SELECT (\(message) folder = $1::int8 AND date = $2::int8 AND id >= $3::int8)
          + (\(message) folder = $4::int8 AND date > $2::int8 AND date < $5::int8)
          + (\(message) folder = $4::int8 AND date = $5::int8 AND id < $6::int8)
        """
    } else {
      sql = """
        SELECT (\(message) folder = $1::int8 AND date = $2::int8 AND id >= $3::int8)
          + (\(message) folder = $1::int8 AND date > $2::int8)
          + (\(message) folder > $1::int8 AND folder < $4::int8)
          + (\(message) folder = $4::int8 AND date < $5::int8)
          + (\(message) folder = $4::int8 AND date = $5::int8 AND id < $6::int8)
        """
    }
    return .init(sql: sql, integers: parameters)
  }

  /// One statement over arrays, for many keys.
  private func countOfMany(_ keys: [MessageKey]) -> PlainServer.Call {
    let pivots = keys.map { pivot(before: $0) }
    func array(_ numbers: [Int64]) -> String {
      "{\(numbers.map(String.init).joined(separator: ","))}"
    }
    let message = "SELECT count(*) FROM \"Message\" WHERE"
    let sql = """
      SELECT CASE WHEN a = d AND b = e
          THEN (\(message) folder = a AND date = b AND id >= c AND id < f)
        WHEN a = d THEN (\(message) folder = a AND date = b AND id >= c)
          + (\(message) folder = a AND date > b AND date < e)
          + (\(message) folder = a AND date = e AND id < f)
        ELSE (\(message) folder = a AND date = b AND id >= c) + (\(message) folder = a AND date > b)
          + (\(message) folder > a AND folder < d) + (\(message) folder = d AND date < e)
          + (\(message) folder = d AND date = e AND id < f) END
      FROM unnest($1::text::int8[], $2::text::int8[], $3::text::int8[], $4::text::int8[],
        $5::text::int8[], $6::text::int8[]) k (a, b, c, d, e, f)
      """
    return .init(
      sql: sql,
      texts: [
        array(pivots.map(\.folder)), array(pivots.map(\.date)), array(pivots.map(\.id)),
        array(keys.map(\.folder)), array(keys.map(\.date)), array(keys.map(\.id)),
      ]
    )
  }

  private func pivot(before key: MessageKey) -> MessageKey {
    pivots.isEmpty ? key : pivots[pivots.lastIndex(notAbove: key) ?? 0]
  }
}
#endif
