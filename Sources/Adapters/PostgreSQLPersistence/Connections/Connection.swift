#if PostgreSQL
import CLibPQ
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A connection to a server, which belongs to one thread at a time.
///
/// Statements travel in flights: all are sent at once, up to one synchronization, and the results are read together, so a flight costs one
/// round trip (libpq's pipeline mode). If one fails, those after it are not run.
final class Connection {
  private var connection: OpaquePointer?
  /// The names of the statements that the server has prepared, by their texts and the types of their parameters.
  private var prepared: [PreparedText: String] = [:]
  /// The number of results of flights that were sent and not read yet.
  private var pending: [PendingFlight] = []
  private var nextName = 0
  private var cursorCount = 0
  /// How the server plans now; `nil` after a failure, which may have taken the setting back.
  private var planning: Statement.Planning? = .usual
  /// What identified the form of the tables at the last reading, or `nil`.
  private var seenMarks: [Int64]?
  /// Whether the server has prepared statements that it cannot run any more.
  private var isPlanStale = false
  /// Whether statements may be prepared by name; a pooler in transaction mode forbids it.
  let preparesByName: Bool
  /// Settings of the session beside those that every store makes.
  let ownSettings: [ConnectionSettings.Entry]
  /// Cancels what the server runs for this connection; usable from any thread.
  let canceller: Canceller
  /// The statements that change the schema or the log's own rows, while they are rehearsed in a transaction that is rolled back; otherwise
  /// `nil`.
  private var rehearsed: [String]?
  /// The server that the last reading has found.
  var seenInstance: ServerInstance?
  /// The version that flights outside of a transaction are expected to see.
  private var expected: ExpectedVersion?
  /// The mark of the version that flights outside of a transaction are expected to see, while one is.
  var expectedMark: Mark? { expected?.mark }
  /// The number of flights that were sent, for tests and measurements.
  private(set) var flightCount = 0

  /// The most statements that a connection keeps prepared.
  private static let preparedLimit = 512

  private struct PreparedText: Hashable {
    let text: String
    let types: [UInt32]
  }

  /// A flight whose results have not been read.
  private struct PendingFlight {
    /// A query that was sent.
    struct Query {
      /// The statement that it prepares.
      var preparing: PreparedText?
      var name: String
      /// Whether nobody asked for its result.
      var isHidden = false
    }

    var queries: [Query] = []
    /// Whether it ends a transaction.
    var endsTransaction = false
  }

  /// Connects to a server.
  /// - Throws: `PostgreSQLFailure` without a code if the server cannot be reached, or refuses the user.
  init(_ settings: ConnectionSettings) throws(PostgreSQLFailure) {
    preparesByName = !settings.isPooled
    ownSettings = settings.session
    let parameters = settings.parameters
    let opened = PostgreSQLText.withCStrings(parameters.map(\.keyword)) { keywords in
      PostgreSQLText.withCStrings(parameters.map(\.value)) { values in
        PQconnectdbParams(keywords, values, 0)
      }
    }
    guard let opened, PQstatus(opened) == CONNECTION_OK else {
      defer { PQfinish(opened) }
      var failure = PostgreSQLFailure.ofConnection(opened)
      failure.needsPassword = opened.map { PQconnectionNeedsPassword($0) == 1 } ?? false
      throw failure
    }
    connection = opened
    canceller = Canceller(opened)
    PQsetNoticeProcessor(opened, { _, _ in }, nil)
    guard PQenterPipelineMode(opened) == 1 else { throw .ofConnection(opened) }
  }

  deinit { close() }

  /// Closes the connection; the server rolls back what is open.
  func close() {
    canceller.end()
    PQfinish(connection)
    connection = nil
  }

  /// Whether the connection has not failed so far.
  var isUsable: Bool { connection.map { PQstatus($0) == CONNECTION_OK } ?? false }

  /// Whether a transaction is open, or has failed and waits for its end.
  ///
  /// Unread flights are read first, unless the last one ends the transaction.
  var isInTransaction: Bool {
    guard let connection, isUsable else { return false }
    if pending.last?.endsTransaction == true { return false }
    try? drain()
    let status = PQtransactionStatus(connection)
    return status != PQTRANS_IDLE
  }

  /// The server's process for this connection; behind a pooler it is not known.
  var processID: Int64? {
    guard let connection, preparesByName else { return nil }
    return Int64(PQbackendPID(connection))
  }

  /// The socket, to wait for notifications.
  var socket: Int32 { connection.map { PQsocket($0) } ?? -1 }

  /// A name for a cursor that no other one of the connection has.
  func newCursorName() -> String {
    cursorCount += 1
    return "results_\(cursorCount)"
  }

  // MARK: - Flights

  /// Runs statements in one round trip.
  /// - Returns: A result for each statement.
  /// - Throws: `PostgreSQLFailure` for the first statement that failed; those after it were not run, and a transaction that is open has
  ///   failed. `57014` if the read is not wanted any more (`ReadingInterest`).
  @discardableResult
  func run(_ statements: [Statement]) throws(PostgreSQLFailure) -> [QueryResult] {
    guard let expected else {
      try send(statements)
      return try results()
    }
    try send([ExpectedVersion.impatience] + statements + [ExpectedVersion.question])
    var results = try results()
    guard expected.isConfirmed(by: results.popLast()) else { throw .unexpectedVersion }
    return Array(results.dropFirst())
  }

  /// Runs a closure whose flights are not in a transaction, and all see one expected version.
  ///
  /// A flight that sees another one fails (`PostgreSQLFailure.unexpectedVersion`), as does one that needs a transaction.
  func expecting<Result>(
    _ version: ExpectedVersion,
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    expected = version
    defer { expected = nil }
    return try body()
  }

  /// Runs one statement.
  @discardableResult
  func run(_ text: String, _ parameters: [Parameter] = []) throws(PostgreSQLFailure) -> QueryResult
  {
    try run([Statement(text, parameters)])[0]
  }

  /// Runs a statement that is not prepared, such as one that changes the schema.
  @discardableResult
  func runOnce(_ text: String, _ parameters: [Parameter] = []) throws(PostgreSQLFailure)
    -> QueryResult
  {
    try run([Statement(text, parameters, isPrepared: false)])[0]
  }

  /// Sends statements whose results nobody needs, without waiting; the next flight reads and drops them.
  ///
  /// An error of theirs is dropped too, unless the connection is lost.
  func post(_ statements: [Statement]) throws(PostgreSQLFailure) { try send(statements) }

  private func send(_ statements: [Statement]) throws(PostgreSQLFailure) {
    guard let connection else {
      throw PostgreSQLFailure(
        state: "",
        message: "the connection was closed",
        isConnectionLost: true
      )
    }
    // A name that the unread flight prepares is known only when its results are read.
    if !pending.isEmpty { try drain() }
    if prepared.count > Connection.preparedLimit
      || isPlanStale && PQtransactionStatus(connection) == PQTRANS_IDLE
    {
      forgetPrepared()
    }
    var flight = PendingFlight()
    var preparing: [PreparedText: String] = [:]
    for statement in statements.map(rehearse) {
      if let change = planningChange(for: statement) {
        try send(change, isHidden: true, in: &flight, &preparing, on: connection)
      }
      try send(statement, isHidden: false, in: &flight, &preparing, on: connection)
    }
    // Behind others it would not be run if one of them failed.
    flight.endsTransaction = statements.count == 1 && statements[0].kind == .commit
    guard PQpipelineSync(connection) == 1 else { throw .ofConnection(connection) }
    pending.append(flight)
    flightCount += 1
  }

  private func send(
    _ statement: Statement,
    isHidden: Bool,
    in flight: inout PendingFlight,
    _ preparing: inout [PreparedText: String],
    on connection: OpaquePointer
  ) throws(PostgreSQLFailure) {
    let types = statement.parameters.map(\.type)
    var name = ""
    if statement.isPrepared, preparesByName {
      let key = PreparedText(text: statement.text, types: types)
      if let known = prepared[key] ?? preparing[key] {
        name = known
      } else {
        nextName += 1
        name = "s\(nextName)"
        guard
          PQsendPrepare(connection, name, statement.text, Int32(types.count), types) == 1
        else { throw .ofConnection(connection) }
        preparing[key] = name
        flight.queries.append(PendingFlight.Query(preparing: key, name: name))
      }
    }
    guard Connection.sendQuery(statement, name: name, types, on: connection) == 1 else {
      throw .ofConnection(connection)
    }
    flight.queries.append(PendingFlight.Query(name: name, isHidden: isHidden))
  }

  /// The statement that lets the server plan as another one needs it, unless it does so already.
  private func planningChange(for statement: Statement) -> Statement? {
    switch statement.kind {
    // Through a pooler a setting ends with the transaction.
    case .begin, .commit: if !preparesByName { planning = .usual }
    case .rollback: planning = nil
    case .query: break
    }
    guard statement.planning != .either, statement.planning != planning else { return nil }
    planning = statement.planning
    return Connection.planning(
      isOrdered: statement.planning == .ordered,
      isLocal: !preparesByName
    )
  }

  private static func sendQuery(
    _ statement: Statement,
    name: String,
    _ types: [UInt32],
    on connection: OpaquePointer
  ) -> Int32 {
    let count = Int32(statement.parameters.count)
    let lengths = statement.parameters.map { Int32(clamping: $0.bytes?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: statement.parameters.count)
    // All values lie behind each other; an empty one still needs an address, since a null pointer means null.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(lengths.reduce(1) { $0 + Int($1) })
    var offsets: [Int?] = []
    for parameter in statement.parameters {
      offsets.append(parameter.bytes == nil ? nil : bytes.count)
      bytes += parameter.bytes ?? []
    }
    bytes.append(0)
    return bytes.withUnsafeBytes { buffer in
      let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      let values = offsets.map { offset in offset.flatMap { base?.advanced(by: $0) } }
      return name.isEmpty
        ? PQsendQueryParams(
          connection,
          statement.text,
          count,
          types,
          values,
          lengths,
          formats,
          1
        ) : PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1)
    }
  }

  private func results() throws(PostgreSQLFailure) -> [QueryResult] {
    while pending.count > 1 { _ = try? readFlight() }
    return try readFlight()
  }

  /// Reads the results of flights that nobody waits for.
  private func drain() throws(PostgreSQLFailure) {
    while !pending.isEmpty {
      do {
        _ = try readFlight()
      } catch {
        if error.isConnectionLost { throw error }
      }
    }
  }

  /// Reads the results of the first unread flight, up to its synchronization.
  private func readFlight() throws(PostgreSQLFailure) -> [QueryResult] {
    guard let connection else { return [] }
    let flight = pending.removeFirst()
    var results: [QueryResult] = []
    var failure: PostgreSQLFailure?
    for query in flight.queries {
      let result = nextResult(on: connection)
      guard let result else {
        failure = failure ?? .ofConnection(connection)
        break
      }
      switch PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
        if let text = query.preparing {
          prepared[text] = query.name
          PQclear(result)
        } else {
          if query.isHidden { PQclear(result) } else { results.append(QueryResult(result)) }
        }
      case PGRES_PIPELINE_ABORTED: PQclear(result)
      default:
        let isLost = PQstatus(connection) != CONNECTION_OK
        if failure == nil {
          failure = PostgreSQLFailure(result, isConnectionLost: isLost)
          failure?.statement = results.count
        }
        PQclear(result)
      }
      // A null pointer ends the results of a query.
      while let extra = nextResult(on: connection) { PQclear(extra) }
      if PQstatus(connection) != CONNECTION_OK {
        pending = []
        throw failure ?? .ofConnection(connection)
      }
    }
    if let synchronization = nextResult(on: connection) { PQclear(synchronization) }
    if let failure {
      planning = nil
      // The type of a column may have changed since a statement that returns it was prepared.
      if failure.state == "0A000" {
        prepared = [:]
        isPlanStale = true
      }
      throw failure
    }
    return results
  }

  /// Waits for a result; while a long read is not wanted any more, it cancels the read once.
  private func nextResult(on connection: OpaquePointer) -> OpaquePointer? {
    guard let isWanted = ReadingInterest.isWanted else { return PQgetResult(connection) }
    var isCancelled = false
    while PQisBusy(connection) == 1 {
      PQflush(connection)
      var descriptor = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
      _ = poll(&descriptor, 1, isCancelled ? -1 : 5)
      if descriptor.revents != 0, PQconsumeInput(connection) == 0 { break }
      if !isCancelled, !isWanted() {
        isCancelled = true
        canceller.cancel()
      }
    }
    return PQgetResult(connection)
  }

  /// Forgets the prepared statements if the tables were altered since the last reading on this connection: they could return other types.
  /// - Parameter marks: What identifies the present form of the tables.
  func note(marks: [Int64]) {
    if let seenMarks, seenMarks != marks { forgetPrepared() }
    seenMarks = marks
  }

  /// Forgets all prepared statements, here and on the server.
  private func forgetPrepared() {
    prepared = [:]
    isPlanStale = false
    guard let connection else { return }
    if PQsendQueryParams(connection, "DEALLOCATE ALL", 0, nil, nil, nil, nil, 1) == 1,
      PQpipelineSync(connection) == 1
    {
      pending.append(PendingFlight(queries: [PendingFlight.Query(name: "")]))
      try? drain()
    }
  }

  // MARK: - Rehearsal

  /// Runs a closure whose statements are rolled back, with those that begin and end its transactions left out.
  /// - Returns: The statements that change the schema.
  func rehearsing(
    _ body: () throws(StoreError) -> Void,
    path: String
  ) throws(StoreError) -> [String] {
    do {
      try run([.begin(.readCommitted)])
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
    rehearsed = []
    defer {
      rehearsed = nil
      _ = try? run([.rollback])
    }
    try body()
    return rehearsed ?? []
  }

  /// Whether statements are rolled back in the end (`rehearsing(_:path:)`).
  var isRehearsing: Bool { rehearsed != nil }

  private func rehearse(_ statement: Statement) -> Statement {
    guard rehearsed != nil else { return statement }
    switch statement.kind {
    case .begin, .commit: return Statement("SELECT 1")
    case .rollback, .query: break
    }
    let text = statement.text
    let verbs = [
      "CREATE ", "ALTER ", "DROP ", "COMMENT ", "GRANT ", "REVOKE ", "INSERT ", "UPDATE ", "DO ",
    ]
    if verbs.contains(where: text.hasPrefix) { rehearsed?.append(text) }
    return statement
  }

  // MARK: - Notifications

  /// The payloads of the notifications that have arrived, after the socket was found readable.
  /// - Throws: `PostgreSQLFailure` if the connection is lost.
  func notifications() throws(PostgreSQLFailure) -> [String] {
    guard let connection else { return [] }
    guard PQconsumeInput(connection) == 1 else { throw .ofConnection(connection) }
    var payloads: [String] = []
    while let notification = PQnotifies(connection) {
      payloads.append(String(cString: notification.pointee.extra))
      PQfreemem(notification)
    }
    return payloads
  }
}

/// Cancels what a connection runs, from any thread.
///
/// `handle` is guarded by its lock, which is held while the request travels, so that the handle cannot be freed meanwhile.
final class Canceller: Sendable {
  private struct Handle: @unchecked Sendable {
    // The lock guards the pointer.
    var pointer: OpaquePointer?
  }

  private let handle: Mutex<Handle>

  init(_ connection: OpaquePointer) { handle = Mutex(Handle(pointer: PQgetCancel(connection))) }

  /// Asks the server to end the running statement, which then fails with `57014`.
  func cancel() {
    handle.withLock { handle in
      guard let pointer = handle.pointer else { return }
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        _ = PQcancel(pointer, buffer.baseAddress, 256)
      }
    }
  }

  /// Frees the handle.
  func end() {
    handle.withLock { handle in
      if let pointer = handle.pointer { PQfreeCancel(pointer) }
      handle.pointer = nil
    }
  }
}

/// Texts for C.
enum PostgreSQLText {
  /// Calls a closure with an array of C strings that ends with a null pointer.
  static func withCStrings<Result>(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for string in strings {
      offsets.append(bytes.count)
      bytes += string.utf8CString
    }
    return bytes.withUnsafeBufferPointer { buffer in
      var pointers: [UnsafePointer<CChar>?] = offsets.map { buffer.baseAddress?.advanced(by: $0) }
      pointers.append(nil)
      return pointers.withUnsafeBufferPointer { pointers in
        // The array has at least the null pointer.
        withExtendedLifetime(pointers) { body(pointers.baseAddress.unsafelyUnwrapped) }
      }
    }
  }
}
#endif
