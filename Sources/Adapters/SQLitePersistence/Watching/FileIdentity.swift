import CSQLiteHooks

/// Which file a path names: two files that exist at the same time have different identities.
///
/// A file that is gone may lend its identity to a new one, unless somebody still has it open.
struct FileIdentity: Hashable, Sendable {
  /// What the system says of a path.
  enum Finding: Hashable, Sendable {
    case file(FileIdentity)
    case missing
    /// The system does not tell, as where a folder may not be searched.
    case unknown

    /// The file, if there is one.
    var file: FileIdentity? { if case .file(let identity) = self { identity } else { nil } }
  }

  let device: UInt64
  let number: UInt64

  /// Looks at a path; the file is not opened.
  static func find(_ path: String) -> Finding {
    var (device, number): (UInt64, UInt64) = (0, 0)
    return switch results_file_identity(path, &device, &number) {
    case 1: .file(FileIdentity(device: device, number: number))
    case 0: .missing
    default: .unknown
    }
  }

  /// The file that a connection has open; missing if that file is no longer the one of its name.
  static func find(openedBy connection: OpaquePointer?) -> Finding {
    var (device, number): (UInt64, UInt64) = (0, 0)
    return switch results_connection_identity(connection, &device, &number) {
    case 1: .file(FileIdentity(device: device, number: number))
    case 0: .missing
    default: .unknown
    }
  }
}
