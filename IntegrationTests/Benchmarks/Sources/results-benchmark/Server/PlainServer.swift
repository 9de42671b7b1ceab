#if PostgreSQL
import CServerLibrary
import Foundation

/// A plain connection to PostgreSQL: the reference for all work in C.
///
/// Statements are prepared once and sent with binary integers through the functions of libpq, as a C program does it.
final class PlainServer {
  /// The error message of the server, or of libpq.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// A prepared statement with its parameters.
  struct Call {
    let sql: String
    var integers: [Int64] = []
    /// Texts, whose parameters follow those of the integers.
    var texts: [String] = []
  }

  private var connection: OpaquePointer?
  private var names: [String: String] = [:]

  init(url: String) throws {
    connection = PQconnectdb(url)
    guard PQstatus(connection) == CONNECTION_OK else { throw failure }
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
  }

  deinit { close() }

  func close() {
    PQfinish(connection)
    connection = nil
  }

  /// Runs statements without parameters.
  @discardableResult
  func run(_ sql: String) throws -> PlainRows { try checked(PQexec(connection, sql)) }

  /// Runs one statement without parameters whose result has binary values.
  func query(_ sql: String) throws -> PlainRows {
    try checked(PQexecParams(connection, sql, 0, nil, nil, nil, nil, 1))
  }

  /// The number in the first column of the first row.
  func integer(_ sql: String) throws -> Int64 {
    let rows = try run(sql)
    guard rows.count > 0, let number = Int64(rows.text(0, 0)) else {
      throw Failure(description: "\(sql) returned no number")
    }
    return number
  }

  /// Runs a prepared statement.
  func call(_ sql: String, _ integers: [Int64] = [], texts: [String] = []) throws -> PlainRows {
    let call = Call(sql: sql, integers: integers, texts: texts)
    let name = try name(of: call)
    return try withValues(of: call) { values, lengths, formats in
      let count = Int32(values.count)
      return try checked(
        PQexecPrepared(connection, name, count, values, lengths, formats, 1)
      )
    }
  }

  /// Runs prepared statements in one round trip (libpq's pipeline mode).
  func flight(_ calls: [Call]) throws -> [PlainRows] {
    let names = try calls.map { try name(of: $0) }
    guard PQenterPipelineMode(connection) == 1 else { throw failure }
    defer { PQexitPipelineMode(connection) }
    for (call, name) in zip(calls, names) {
      let isSent = withValues(of: call) { values, lengths, formats in
        PQsendQueryPrepared(connection, name, Int32(values.count), values, lengths, formats, 1)
      }
      guard isSent == 1 else { throw failure }
    }
    guard PQpipelineSync(connection) == 1 else { throw failure }
    var results: [PlainRows] = []
    for _ in calls {
      results.append(try checked(PQgetResult(connection)))
      // A null pointer ends the results of a statement.
      PQclear(PQgetResult(connection))
    }
    PQclear(PQgetResult(connection))
    return results
  }

  /// Waits for a notification.
  /// - Returns: The number of notifications that have arrived; 0 after the time.
  func notifications(within milliseconds: Int32) throws -> Int {
    var count = taken()
    guard count == 0 else { return count }
    var descriptor = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, milliseconds) > 0 else { return 0 }
    guard PQconsumeInput(connection) == 1 else { throw failure }
    count = taken()
    return count
  }

  private func taken() -> Int {
    var count = 0
    while let notification = PQnotifies(connection) {
      PQfreemem(notification)
      count += 1
    }
    return count
  }

  // MARK: - Parameters and results

  private func name(of call: Call) throws -> String {
    if let name = names[call.sql] { return name }
    let name = "p\(names.count)"
    _ = try checked(PQprepare(connection, name, call.sql, 0, nil))
    names[call.sql] = name
    return name
  }

  private func withValues<Result>(
    of call: Call,
    _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) throws -> Result
  ) rethrows -> Result {
    var bytes: [UInt8] = []
    var (offsets, lengths, formats) = ([Int](), [Int32](), [Int32]())
    for number in call.integers {
      offsets.append(bytes.count)
      withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
      lengths.append(8)
      formats.append(1)
    }
    for text in call.texts {
      offsets.append(bytes.count)
      bytes += Array(text.utf8) + [0]
      lengths.append(0)
      formats.append(0)
    }
    return try bytes.withUnsafeBytes { buffer in
      let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      return try body(offsets.map { base?.advanced(by: $0) }, lengths, formats)
    }
  }

  private func checked(_ result: OpaquePointer?) throws -> PlainRows {
    let status = PQresultStatus(result)
    guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
      PQclear(result)
      throw failure
    }
    return PlainRows(result)
  }

  private var failure: Failure {
    let message = PQerrorMessage(connection).map { String(cString: $0) } ?? "out of memory"
    return Failure(description: message.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}

/// The rows that a statement has returned.
final class PlainRows {
  private let result: OpaquePointer?

  fileprivate init(_ result: OpaquePointer?) { self.result = result }

  deinit { PQclear(result) }

  var count: Int { Int(PQntuples(result)) }

  /// A text, or the text form of a value that is not binary.
  func text(_ row: Int, _ column: Int) -> String {
    PQgetvalue(result, Int32(row), Int32(column)).map { String(cString: $0) } ?? ""
  }

  /// A binary integer of eight bytes at an offset of a value.
  func integer(_ row: Int, _ column: Int, at offset: Int = 0) -> Int64 {
    guard Int(PQgetlength(result, Int32(row), Int32(column))) >= offset + 8,
      let value = PQgetvalue(result, Int32(row), Int32(column))
    else { return 0 }
    let bytes = UnsafeRawPointer(value).advanced(by: offset)
    return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
  }
}
#endif
