import CFaultyFiles
import CSQLiteHooks
import Testing

/// One kind of failure of the file system.
struct Fault: Sendable, CustomTestStringConvertible, CustomStringConvertible {
  let name: String
  /// The kinds of calls that fail.
  let kinds: Int
  /// SQLite's result code.
  let code: Int32
  /// The number of consecutive calls that fail.
  var count: Int64 = 1

  var testDescription: String { description }
  var description: String { count == 1 ? name : "\(name), until it is mended" }

  /// The same fault, without end.
  var lasting: Fault { Fault(name: name, kinds: kinds, code: code, count: .max) }

  /// Starts to count calls, and makes them fail from a number on.
  func arm(from first: Int64) { faulty_arm(Int32(kinds), first, count, code) }

  static let diskFull = Fault(name: "disk full", kinds: writing, code: SQLITE_FULL)
  static let write = Fault(name: "write error", kinds: writing, code: SQLITE_IOERR | 3 << 8)
  static let sync = Fault(
    name: "sync error",
    kinds: faulty_sync,
    code: SQLITE_IOERR | 4 << 8
  )
  static let truncate = Fault(
    name: "truncate error",
    kinds: faulty_truncate,
    code: SQLITE_IOERR | 6 << 8
  )
  static let read = Fault(
    name: "read error",
    kinds: faulty_read,
    code: SQLITE_IOERR | 1 << 8
  )
  static let open = Fault(
    name: "open error",
    kinds: faulty_open,
    code: SQLITE_CANTOPEN
  )
  static let sharedMemory = Fault(
    name: "no shared memory",
    kinds: faulty_shared_memory,
    code: SQLITE_IOERR | 19 << 8
  )

  static let all = [diskFull, write, sync, truncate, read, open, sharedMemory]

  private static let writing = faulty_write | faulty_truncate
}
