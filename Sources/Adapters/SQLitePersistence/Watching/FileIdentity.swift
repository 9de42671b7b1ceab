import CSQLiteHooks
import ResultsDomain
import SQLStoreSupport
import Synchronization

/// The identity of a file: two files that exist at the same time have different ones.
///
/// A new file may get the identity of a deleted one, unless a process still has that open.
struct FileIdentity: Hashable, Sendable {
  /// The result of a look-up.
  enum Finding: Hashable, Sendable {
    case file(FileIdentity)
    case missing
    /// The system does not provide it, for example without permission to search the folder.
    case unknown

    /// The file, if there is one.
    var file: FileIdentity? { if case .file(let identity) = self { identity } else { nil } }
  }

  let device: UInt64
  let number: UInt64

  /// Looks up the file of a path, without opening it.
  static func find(_ path: String) -> Finding {
    var (device, number): (UInt64, UInt64) = (0, 0)
    return switch results_file_identity(path, &device, &number) {
    case 1: .file(FileIdentity(device: device, number: number))
    case 0: .missing
    default: .unknown
    }
  }

  /// Looks up the file that a connection has open; missing if that file no longer has its path.
  static func find(openedBy connection: OpaquePointer?) -> Finding {
    var (device, number): (UInt64, UInt64) = (0, 0)
    return switch results_connection_identity(connection, &device, &number) {
    case 1: .file(FileIdentity(device: device, number: number))
    case 0: .missing
    default: .unknown
    }
  }
}

/// Keeps the connections of a database on the file that the first of them has opened.
///
/// SQLite opens a file by its name, and finds the write-ahead log and its index by that name too. A connection that opened the file that
/// has taken the name since would use the index of the former file, which the other connections of this process have mapped. The locks of a
/// process do not exclude its own connections, so SQLite would take the index for a forgotten one and truncate it (`unixLockSharedMemory`
/// in os_unix.c): the process would end with SIGBUS, or read what belongs to neither file.
final class ConnectedFile: Sendable {
  private let first = Mutex<FileIdentity?>(nil)

  /// Checks the file of a new connection, which must not have read anything yet.
  /// - Parameter connection: The connection.
  /// - Throws: `OpenFailureError` if the file has lost its path, or is not the one of the earlier connections.
  func check(_ connection: OpaquePointer?) throws(OpenFailureError) {
    let found = FileIdentity.find(openedBy: connection)
    guard found != .unknown else { return }
    let kept = first.withLock { first in
      first = first ?? found.file
      return first
    }
    guard kept != nil, kept == found.file else { throw OpenFailureError(.missingFile) }
  }
}
