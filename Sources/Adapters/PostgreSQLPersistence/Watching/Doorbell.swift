#if PostgreSQL
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lets commits notify, for ten seconds at a time and only while a watch sleeps: a notification in each commit would hold up all writers.
///
/// A statement of a writer tests the bell after its transaction has got its number. If that number is younger than the arming's own
/// transaction, it finds the bell armed. Otherwise a snapshot that is taken after the arming names it as running, or sees its changes.
///
/// Every role may notify on every channel, so a notification is a hint to look, and its payload is not believed.
struct Doorbell {
  let schema: LogSchema

  /// How long commits notify after an arming.
  static let duration = Duration.seconds(10)

  /// An arming of the bell.
  struct Arming {
    /// The bell's value.
    let rung: Int64
    /// A transaction that is younger than the arming.
    let own: UInt64
  }

  /// Arms the bell.
  /// - Returns: `nil` without the right, or where a watch must poll for another reason.
  func arm(on connection: Connection) throws(PostgreSQLFailure) -> Arming? {
    do {
      let result = try connection.run("SELECT a.rung, a.own FROM \(schema.quoted).arm() a")
      guard let rung = result.integer(0, 0), let own = result.unsigned(0, 1) else { return nil }
      return Arming(rung: rung, own: own)
    } catch {
      guard error.state == "42501" || error.state == "25006" else { throw error }
      return nil
    }
  }

  /// Whether commits notify at least as long as an arming has asked for.
  func isArmed(since arming: Arming, on connection: Connection) throws(PostgreSQLFailure) -> Bool {
    try isValue(.equalOrLater, arming, on: connection)
  }

  private enum Comparison: String {
    case equal = "="
    case equalOrLater = ">="
  }

  /// Whether the bell's present value is the one of an arming, or of a later one.
  private func isValue(
    _ comparison: Comparison,
    _ arming: Arming,
    on connection: Connection
  ) throws(PostgreSQLFailure) -> Bool {
    let value = "pg_catalog.pg_sequence_last_value(\(schema.literal("bell"))::pg_catalog.regclass)"
    let result = try connection.run(
      "SELECT coalesce(\(value) \(comparison.rawValue) $1, false)",
      [.integer(arming.rung)]
    )
    return result.boolean(0, 0) ?? false
  }

  /// Ends the notifying, unless another process has armed the bell since.
  ///
  /// The notification that named this arming has reached all who sleep.
  func disarm(_ arming: Arming, on connection: Connection) throws(PostgreSQLFailure) {
    try connection.run("SELECT \(schema.quoted).disarm($1)", [.integer(arming.rung)])
  }

  /// Ends the notifying of a watch that stops while it sleeps; others that sleep are woken, and arm the bell again if they need it.
  func leave(_ arming: Arming, on connection: Connection) throws(PostgreSQLFailure) {
    // Another watch that has armed it since leaves it when it wakes, and one that has disarmed it has notified.
    guard try isValue(.equal, arming, on: connection) else { return }
    // Who is notified finds the bell disarmed.
    try disarm(arming, on: connection)
    _ = try notify(String(arming.rung), on: connection)
  }

  /// Notifies those who listen.
  /// - Returns: `false` if the server's queue is full.
  private func notify(
    _ payload: String,
    on connection: Connection
  ) throws(PostgreSQLFailure) -> Bool {
    do {
      try connection.runOnce(
        "SELECT pg_catalog.pg_notify($1, $2)",
        [.text(schema.name), .text(payload)]
      )
      return true
    } catch {
      guard error.state == "54000" else { throw error }
      return false
    }
  }

  /// Whether notifications reach a connection: through a pooler they may not.
  /// - Parameters:
  ///   - connection: The connection that listens.
  ///   - other: A connection that notifies.
  /// - Returns: Whether a notification came within a second.
  /// - Throws: The server's failure.
  func reaches(_ connection: Connection, from other: Connection) throws(PostgreSQLFailure) -> Bool {
    let proof = "proof \(UInt64.random(in: .min ... .max))"
    try connection.runOnce("LISTEN \(schema.channel)")
    let isSent = try notify(proof, on: other)
    let clock = ContinuousClock()
    let end = clock.now + .seconds(1)
    while isSent, clock.now < end {
      var descriptor = pollfd(fd: connection.socket, events: Int16(POLLIN), revents: 0)
      _ = poll(&descriptor, 1, 50)
      if try connection.notifications().contains(proof) { return true }
    }
    try connection.runOnce("UNLISTEN *")
    return false
  }
}
#endif
