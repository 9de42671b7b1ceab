#if PostgreSQL
import CLibPQ
import ResultsDomain

/// An error of the server, or of the connection to it.
struct PostgreSQLFailure: Error, Hashable, Sendable {
  /// The error's code (SQLSTATE), or an empty text if the server did not answer.
  let state: String
  /// The error in the server's or libpq's words, on one line; it never contains a password.
  let message: String
  /// The name of the constraint that was violated, if any.
  var constraint: String?
  /// The name of the table that the error concerns, if any.
  var table: String?
  /// The name of the column that the error concerns, if any.
  var column: String?
  /// Whether the connection cannot be used any more.
  var isConnectionLost = false
  /// Whether the server asked for a password, and none was known.
  var needsPassword = false
  /// The index of the statement in its flight that failed.
  var statement: Int?

  /// Creates a failure.
  init(state: String, message: String, isConnectionLost: Bool = false) {
    self.state = state
    self.message = message
    self.isConnectionLost = isConnectionLost
  }

  /// Describes a result that is an error.
  init(_ result: OpaquePointer, isConnectionLost: Bool) {
    func field(_ code: Character) -> String? {
      guard let code = code.asciiValue,
        let text = PQresultErrorField(result, Int32(code))
      else { return nil }
      return String(cString: text)
    }
    state = field("C") ?? ""
    message = PostgreSQLFailure.line(field("M") ?? String(cString: PQresultErrorMessage(result)))
    constraint = field("n")
    table = field("t")
    column = field("c")
    self.isConnectionLost = isConnectionLost || PostgreSQLFailure.endsConnection(state)
  }

  /// Describes the state of a connection that failed.
  static func ofConnection(_ connection: OpaquePointer?) -> PostgreSQLFailure {
    let text = PQerrorMessage(connection).map { String(cString: $0) } ?? "out of memory"
    return PostgreSQLFailure(
      state: "",
      message: line(text.isEmpty ? "the connection was closed" : text),
      isConnectionLost: true
    )
  }

  /// The failure of a flight that has seen another version than was expected.
  static let unexpectedVersion = PostgreSQLFailure(state: "", message: "the version has changed")

  /// The failure of a transaction that finds more to change than it has locked.
  static let needsOtherLocks = PostgreSQLFailure(
    state: "55P03",
    message: "the tables have changed"
  )

  /// The errors after which the server closes the connection (PostgreSQL's manual, appendix A).
  private static func endsConnection(_ state: String) -> Bool {
    state.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05"].contains(state)
  }

  /// A text on one line.
  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }
      .joined(separator: " ")
  }
}

extension PostgreSQLFailure {
  /// A transaction was refused because of another one (serialization failure or deadlock).
  var isOutrun: Bool { state == "40001" || state == "40P01" }

  /// A statement waited for a lock until its time limit, or until it was cancelled.
  var endsWait: Bool { state == "55P03" || state == "57014" }

  /// A lock was not free at once, or not in time.
  var isLocked: Bool { state == "55P03" }

  /// What a statement was to make has been made, or changed, by another process meanwhile.
  var isMadeByOthers: Bool {
    ["42P06", "42P07", "42701", "42710", "42723", "23505", "40P01"].contains(state)
      || isOvertaken
  }

  /// A row of the catalog, such as the rights of a function, was changed by another process meanwhile: the server has no code for it, and
  /// does not translate the text (`simple_heap_update` in heapam.c).
  private var isOvertaken: Bool {
    state == "XX000" && message.utf8.starts(with: "tuple concurrently ".utf8)
  }

  /// The message without the name that the store's own statement has for the table of a missing column: `column t.a does not exist`.
  private var unqualifiedMessage: String {
    guard state == "42703" else { return message }
    let bytes = Array(message.utf8)
    guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")) else { return message }
    let start = (bytes[..<dot].lastIndex(of: UInt8(ascii: " ")) ?? -1) + 1
    // Only the name of a column alone is in quotes.
    guard start > 0, bytes[start] != UInt8(ascii: "\"") else { return message }
    return String(decoding: bytes[..<start] + bytes[(dot + 1)...], as: UTF8.self)
  }

  /// Returns the error for this failure where expressions of others are evaluated in each row, or another server is asked, which the
  /// store's own tables do not do.
  /// - Parameters:
  ///   - path: The database's name for messages.
  ///   - waited: How long a call waits for a lock.
  /// - Returns: The error.
  func readError(path: String, waited: Duration) -> StoreError {
    let error = storeError(path: path, waited: waited)
    switch error {
    case .unexpected, .aborted: break
    case .busy where state == "57014": break
    // The server answered: it is another one that cannot be reached.
    case .unreachable where state.hasPrefix("08"): break
    default: return error
    }
    let remedy = "leave out the column: by a view, or by --columns of list or export."
    let detail =
      state == "57014"
      ? "reading a view or a table has not ended in time (\(message)). Read less of it: \(remedy)"
      : "a view, a function or a foreign table fails where it is read (\(message)). Correct what it reads, or \(remedy)"
    return .cannotOpen(path: path, .modelMismatch(detail: detail))
  }

  /// Returns the error of a store for this failure, where its call knows nothing more exact.
  /// - Parameters:
  ///   - path: The store's name for messages.
  ///   - waited: How long a call waits for a lock.
  /// - Returns: The error.
  func storeError(path: String, waited: Duration) -> StoreError {
    if isConnectionLost {
      // The words are OpenSSL's.
      let remedy = "; name the file of its authority with sslrootcert=FILE in the URL"
      let isUnknown = message.contains("certificate verify failed")
      return .unreachable(path: path, detail: isUnknown ? message + remedy : message)
    }
    switch state {
    case "40001", "40P01": return .writeConflict(path: path)
    case _ where endsWait: return .busy(path: path, waited: waited)
    case "53100": return .diskFull(path: path)
    case "53200", "53300", "53400": return .unreachable(path: path, detail: message)
    case "25006": return .readOnly(path: path)
    case "42501": return .cannotOpen(path: path, .noPermission(detail: message))
    // The store's statements fitted the tables when it was opened: a name, an operator or a conversion is missing now, or a prepared
    // statement would return another type (0A000).
    case "42P01", "42703", "3F000", "42704", "42883", "42804", "42809", "42846", "22P02", "22007",
      "0A000":
      return .cannotOpen(path: path, .tableChanged(entity: table ?? "", detail: unqualifiedMessage))
    case "XX001", "XX002": return .damaged(path: path, detail: message)
    case "58030": return .inputOutput(path: path, detail: message)
    // A constraint that is checked at the end of a transaction, or what a trigger raises.
    case let state where state.hasPrefix("23") || state == "P0001":
      return .aborted(
        by: PostgreSQLConstraintError(id: nil, constraint: constraint ?? "", message: message)
      )
    case "26000", "42P05":
      // A prepared statement is known to another connection of the server, or to none.
      return .unreachable(
        path: path,
        detail:
          "\(message); if the URL names a pooler that gives a connection for each transaction, add pooled=1 to it"
      )
    default: return .unexpected(path: path, detail: "\(message) [\(state)]")
    }
  }
}
#endif
