/// Why a store could not be opened.
public enum OpenFailure: Hashable, Sendable {
  /// The path names a folder.
  case isDirectory
  /// The path names a device, a pipe or a socket.
  case notAFile
  /// The full path has more bytes than the store can open.
  case pathTooLong(byteCount: Int, limit: Int)
  /// The file may not be written; it can be read if the system permits what reading needs, too.
  case notWritable(canBeRead: Bool)
  /// The folder that would hold the file does not exist.
  case missingFolder(String)
  /// The file does not exist, and opening for reading only does not make one.
  case missingFile
  /// The system does not permit it.
  case noPermission(detail: String)
  /// The file is not a database.
  case notADatabase
  /// The file is a damaged database.
  case damaged(detail: String)
  /// The file was written by a newer version of the format.
  case newerFormat(found: Int, supported: Int)
  /// The file belongs to another application.
  case otherApplication(tables: [String])
  /// The stored schema differs in a way that is not migrated by itself.
  case schemaMismatch(entity: String, detail: String)
  /// A database of an application's own lacks an entity's table, and none is made in it unasked; similar are the names nearest to it.
  case missingTable(entity: String, similar: [String])
  /// The file could not be made.
  case cannotCreate(detail: String)
  /// The file holds another model than the one asked for.
  case modelMismatch(detail: String)
}

extension OpenFailure {
  /// What happened and what to do, for a path.
  public func message(for path: String) -> String {
    switch self {
    case .isDirectory: "\(path) is a folder. Name a file inside it."
    case .notAFile:
      "\(path) is a device, a pipe or a socket. Name a file; this one was not touched."
    case .pathTooLong(let count, let limit):
      "The full path of \(path) has \(count) bytes, and at most \(limit) are possible."
        + " Choose a shorter one."
    case .notWritable(canBeRead: true):
      "\(path) cannot be opened for writing. To only look at it, open it for reading only."
    case .notWritable(canBeRead: false):
      "\(path) cannot be opened for writing, nor read without the right to make files in its folder."
        + " Copy it to look at it."
    case .missingFolder(let folder):
      "The folder \(folder) does not exist, so \(path) cannot be made. Make the folder first."
    case .missingFile:
      "\(path) does not exist. Check the path."
    case .noPermission(let detail):
      "\(path) may not be opened (\(detail)). Check its permissions and those of its folder."
    case .notADatabase: "\(path) is not a database. Name another file; this one was not touched."
    case .damaged(let detail):
      "\(path) is a damaged database (\(detail)). Restore it from a copy; it was not touched."
    case .newerFormat(let found, let supported):
      "\(path) was written by version \(found) of the format; this program knows version \(supported)."
        + " Update the program; the file was not touched."
    case .otherApplication(let tables):
      "\(path) belongs to another application (its tables: \(tables.joined(separator: ", ")))."
        + " Name another file; this one was not touched."
    case .schemaMismatch(let entity, let detail):
      "The table \(entity) of \(path) does not fit (\(detail)), and such a change is not made by itself."
        + " Convert the file, or use a new one; it was not touched."
    case .missingTable(let entity, let similar):
      "\(path) has no table \(entity), and none is made in a database of an application's own."
        + (similar.isEmpty ? " " : " It has \(similar.joined(separator: ", ")). ")
        + "Correct the entity's name, or have tables made (createsTables)."
    case .cannotCreate(let detail): "\(path) cannot be created: \(detail). Name another file."
    case .modelMismatch(let detail): "\(path): \(detail)"
    }
  }
}
