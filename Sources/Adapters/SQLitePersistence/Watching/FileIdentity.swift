import CSQLiteHooks

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
