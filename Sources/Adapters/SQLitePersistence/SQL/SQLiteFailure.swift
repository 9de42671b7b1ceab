import CSQLiteHooks
import GRDB
public import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// A failure of a call to SQLite's own functions.
struct SQLiteFailure: Error {
  /// SQLite's extended result code.
  let code: Int32
  let message: String

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// The latest failure of a connection.
  init(_ connection: OpaquePointer?) {
    code = sqlite3_extended_errcode(connection)
    message = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "no message"
  }

  /// The failure behind an error of GRDB or of this adapter, or `nil` for other errors.
  init?(_ error: any Error) {
    switch error {
    case let failure as SQLiteFailure: self = failure
    case let error as DatabaseError:
      code = error.extendedResultCode.rawValue
      message = error.message ?? "no message"
    case let error as RowDecodingError:
      // A column of the store's own tables holds a value that no store has written.
      code = SQLITE_CORRUPT
      message = error.description
    default: return nil
    }
  }

  /// A table needs a collation that the connection does not have (sqlite.org/rescode.html, SQLITE_ERROR_MISSING_COLLSEQ).
  static let missingCollation = SQLITE_ERROR | 1 << 8

  /// A journal must be rolled back by a connection that may write (sqlite.org/rescode.html, SQLITE_READONLY_ROLLBACK).
  static let unfinishedWork = SQLITE_READONLY | 3 << 8

  /// Extended codes that Swift does not import: SQLITE_CONSTRAINT with a detail.
  static let primaryKey = SQLITE_CONSTRAINT | 6 << 8
  static let rowNumber = SQLITE_CONSTRAINT | 10 << 8
  static let notNull = SQLITE_CONSTRAINT | 5 << 8
  static let check = SQLITE_CONSTRAINT | 1 << 8
  static let dataType = SQLITE_CONSTRAINT | 12 << 8
  static let foreignKey = SQLITE_CONSTRAINT | 3 << 8

  /// What is said of a calculated column, or of a view, that fails in a row; `nil` for a failure that it cannot have.
  var ofCalculation: String? {
    guard code == SQLITE_ERROR else { return nil }
    return
      "a calculated column or a view fails in a row (\(message)). Correct that row, or leave out the column: by a view, or by --columns"
      + " of list, export or watch."
  }

  /// SQLite's primary result code.
  var primaryCode: Int32 { code & 0xFF }
}

extension StoreError {
  /// The store error for an error while reading or writing.
  ///
  /// An error that is neither SQLite's nor the store's is from a transaction's closure.
  init(_ error: any Error, path: String, waited: Duration) {
    if let error = error as? StoreError {
      self = error
    } else if let error = error as? OpenFailureError {
      self = .cannotOpen(path: path, error.failure)
    } else if let failure = SQLiteFailure(error) {
      self.init(failure, path: path, waited: waited)
    } else {
      self = .aborted(by: error)
    }
  }

  private init(_ failure: SQLiteFailure, path: String, waited: Duration) {
    self =
      switch failure.primaryCode {
      case SQLITE_BUSY, SQLITE_LOCKED:
        .busy(path: path, waited: WriterWait.span(orLimit: waited), holder: .writing(path))
      case SQLITE_FULL: .diskFull(path: path)
      case SQLITE_IOERR: .inputOutput(path: path, detail: failure.message)
      case SQLITE_TOOBIG:
        .cannotOpen(
          path: path,
          .modelMismatch(
            detail: "a value or a statement is longer than is permitted, 256 MB in a file of others"
              + ". Shorten it, or leave out the column that has it: by a view, or by --columns of list, export or watch."
          )
        )
      case SQLITE_CORRUPT, SQLITE_NOTADB:
        .damaged(path: path, detail: FileState.truncation(at: path) ?? failure.message)
      case SQLITE_ERROR where failure.missingTable != nil:
        .cannotOpen(
          path: path,
          .tableChanged(
            entity: failure.missingTable ?? "",
            detail: "there is no such table any more"
          )
        )
      case SQLITE_ERROR where failure.isAboutColumn && !failure.isAboutOwnTables:
        .cannotOpen(path: path, .tableChanged(entity: "", detail: failure.message))
      case SQLITE_ERROR where failure.code == SQLiteFailure.missingCollation:
        // A damaged schema can name any collation, and another program can have registered one.
        .cannotOpen(
          path: path,
          .modelMismatch(
            detail:
              "a table needs a collation that this program does not have (\(failure.message))."
              + " Register it, or restore the file from a copy if it never had it."
          )
        )
      case SQLITE_ERROR where failure.isAboutOwnTables,
        SQLITE_CONSTRAINT where failure.isAboutOwnTables,
        SQLITE_MISMATCH where failure.isAboutOwnTables:
        .damaged(path: path, detail: failure.message)
      case SQLITE_READONLY: .readOnly(path: path)
      case SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN:
        .inputOutput(path: path, detail: failure.message)
      case SQLITE_CONSTRAINT where failure.code == SQLiteFailure.foreignKey:
        .aborted(by: SQLiteForeignKeyError())
      default: .unexpected(path: path, detail: "\(failure.message), code \(failure.code)")
      }
  }

  /// The store error for a row that could not be written, with details of the row.
  init(
    writing failure: SQLiteFailure,
    id: ObjectID?,
    entity: EntityDescription,
    path: String,
    waited: Duration
  ) {
    let column = failure.column(of: entity)
    switch (failure.code, id) {
    case (SQLiteFailure.primaryKey, .some(let id)), (SQLiteFailure.rowNumber, .some(let id)):
      self = .alreadyExists(id)
    case (SQLiteFailure.notNull, _):
      self = .invalid([.missing(entity: entity.name, attribute: column)])
    case (SQLiteFailure.check, _):
      // The message is `CHECK constraint failed: ` and the constraint's name or text.
      let constraint = failure.message.split(separator: ":", maxSplits: 1).last ?? ""
      self = .invalid([
        .refused(entity: entity.name, constraint: String(constraint.drop { $0 == " " }))
      ])
    case (SQLiteFailure.dataType, _):
      let expected = entity.attribute(named: column)?.type ?? .blob
      self = .invalid([.wrongValue(entity: entity.name, attribute: column, expected: expected)])
    case (_, .some(let id)) where failure.primaryCode == SQLITE_CONSTRAINT:
      self = .aborted(by: SQLiteConstraintError(id: id, message: failure.message))
    default: self.init(failure, path: path, waited: waited)
    }
  }

  /// The store error for an error while opening.
  init(opening path: String, _ error: any Error, waited: Duration, isNew: Bool) {
    guard let failure = SQLiteFailure(error) else {
      self.init(error, path: path, waited: waited)
      return
    }
    switch failure.primaryCode {
    case SQLITE_NOTADB: self = .cannotOpen(path: path, .notADatabase)
    case SQLITE_CORRUPT:
      let detail = FileState.truncation(at: path) ?? failure.message
      self = .cannotOpen(path: path, .damaged(detail: detail))
    case SQLITE_PERM, SQLITE_AUTH, SQLITE_READONLY:
      self = .cannotOpen(path: path, .noPermission(detail: failure.message))
    case SQLITE_CANTOPEN:
      self = .cannotOpen(
        path: path,
        isNew ? .cannotCreate(detail: failure.message) : .noPermission(detail: failure.message)
      )
    case SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH:
      // Opening runs only statements of the store, which do not fail over tables that a store has created.
      self = .cannotOpen(path: path, .damaged(detail: failure.message))
    default: self.init(failure, path: path, waited: waited)
    }
  }
}

extension SQLiteFailure {
  /// The name of an entity's table that another program has dropped or renamed since the store was opened.
  fileprivate var missingTable: String? {
    let prefix = "no such table: "
    guard message.hasPrefix(prefix), !isAboutOwnTables else { return nil }
    let name = message.dropFirst(prefix.count)
    return String(name.hasPrefix("main.") ? name.dropFirst("main.".count) : name)
  }

  /// Whether a statement names a column that another program has dropped or renamed.
  fileprivate var isAboutColumn: Bool {
    message.hasPrefix("no such column: ") || message.contains(" has no column named ")
  }

  /// Whether a statement failed because the store's own tables were changed, or the file's format is unknown.
  fileprivate var isAboutOwnTables: Bool {
    message.contains(StoreFormat.reservedPrefix) || message.contains("unsupported file format")
  }

  /// The column that a constraint's message names, as in `NOT NULL constraint failed: Book.title`.
  ///
  /// Names are not quoted there, so those of the entity are matched against the end of the message.
  fileprivate func column(of entity: EntityDescription) -> String {
    let bytes = message.caselessIdentifier
    let names = (entity.identity.columns + entity.attributes.map(\.name)).filter { name in
      bytes.reversed().starts(with: ("." + name).caselessIdentifier.reversed())
    }
    if let longest = names.max(by: { $0.utf8.count < $1.utf8.count }) { return longest }
    return String(message.split(separator: ".").last ?? "")
  }
}

/// A violation of a constraint that the database declares, such as a unique index or a foreign key.
///
/// It is the reason in `StoreError.aborted(by:)`.
public struct SQLiteConstraintError: Error, Hashable, Sendable {
  /// The object that was being written.
  public let id: ObjectID
  /// SQLite's message, which names the constraint.
  public let message: String
}

extension SQLiteConstraintError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    "\(id) violates a constraint of the database (\(message)). Nothing was written. Change the values."
  }
}

/// A violation of foreign keys that the database checks at the end of a transaction.
///
/// It is the reason in `StoreError.aborted(by:)`.
public struct SQLiteForeignKeyError: Error, Hashable, Sendable {}

extension SQLiteForeignKeyError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    "A foreign key names an object that does not exist at the end of the transaction. Nothing was written."
      + " Insert that object in the same transaction, or make the foreign key null."
  }
}

extension SQLiteStore: WriterReporting {
  package var presentWriter: LockHolder? { .writing(path) }
}

extension LockHolder {
  /// The process that keeps a database's file from being written at present; `nil` where the system does not report it (only Linux does).
  static func writing(_ path: String) -> LockHolder? {
    var name = [CChar](repeating: 0, count: 64)
    let process = results_lock_holder(path, &name, Int32(name.count))
    guard process > 0 else { return nil }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    // A process chooses its name, which may contain anything.
    let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
      !$0.properties.isDefaultIgnorableCodePoint && $0.properties.generalCategory != .control
    }
    return LockHolder(
      processID: process,
      name: String(String.UnicodeScalarView(scalars)),
      isThisProcess: process == results_process_id()
    )
  }
}
