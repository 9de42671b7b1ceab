#if PostgreSQL
import ResultsDomain
import Synchronization

/// How a server folds letters as this process does: `lower(translate(x, from, to) COLLATE collation)`.
///
/// The server's mapping and that of this process are of different versions of Unicode, and the server's knows the final sigma. What
/// differs is found once for a server and replaced before.
struct FoldingTable: Hashable, Sendable {
  /// The collation in SQL.
  let collation: String
  /// The letters that the server folds otherwise.
  let from: String
  /// What this process folds them to, in the same order.
  let to: String

  /// The collations that map letters independently of a language, the best first.
  private static let collations = ["und-x-icu", "pg_c_utf8", "C.utf8"]

  private static let known = Mutex<[String: FoldingTable?]>([:])

  /// The table for the server of a connection; `nil` if it has none with which the folding is exact.
  /// - Complexity: O(1) after the first use in this process.
  static func find(on connection: Connection) throws(PostgreSQLFailure) -> FoldingTable? {
    let found = try connection.run(
      """
      SELECT collname, version() || ' ' || collname || ' ' || coalesce(pg_collation_actual_version(oid), '')
      FROM pg_collation WHERE collname = ANY ($1) AND collnamespace = 'pg_catalog'::regnamespace
        AND collencoding IN (-1, 6) ORDER BY array_position($1, collname::text) LIMIT 1
      """,
      [.texts(collations)]
    )
    guard found.count > 0, let name = found.text(0, 0), let server = found.text(0, 1) else {
      return nil
    }
    if let table = known.withLock({ $0[server] }) { return table }
    let table = try compare(name, on: connection)
    known.withLock { $0[server] = .some(table) }
    return table
  }

  /// Compares every letter of the planes that have letters with two cases.
  private static func compare(
    _ name: String,
    on connection: Connection
  ) throws(PostgreSQLFailure) -> FoldingTable? {
    let collation = Connection.quoted(name)
    let changed = try connection.run(
      """
      SELECT n, lower(chr(n) COLLATE \(collation)) FROM generate_series(1, 131071) n
      WHERE n NOT BETWEEN 55296 AND 57343
        AND lower(chr(n) COLLATE \(collation)) COLLATE "C" <> chr(n)
      """
    )
    var server: [UInt32: String] = [:]
    for row in 0..<changed.count {
      server[UInt32(changed.integer(row, 0) ?? 0)] = changed.text(row, 1)
    }
    // A sigma at the end of a word is another letter for the server, whatever it maps the letter alone to.
    var from = "\u{3A3}"
    var to = "\u{3C3}"
    for number in UInt32(1)...0x1FFFF {
      guard let scalar = Unicode.Scalar(number), number != 0x3A3 else { continue }
      let letter = String(scalar)
      let folded = TextFolding.folded(letter)
      guard !Value.text(folded).isEqual(server[number] ?? letter) else { continue }
      // The replacement must be one letter, which the server leaves as it is.
      guard let target = folded.unicodeScalars.first, folded.unicodeScalars.count == 1,
        target != scalar, server[target.value] == nil
      else { return nil }
      from.unicodeScalars.append(scalar)
      to.unicodeScalars.append(target)
    }
    return FoldingTable(collation: collation, from: from, to: to)
  }
}

extension Value {
  /// Whether the value is a text, by bytes.
  fileprivate func isEqual(_ text: String) -> Bool { self == .text(text) }
}
#endif
