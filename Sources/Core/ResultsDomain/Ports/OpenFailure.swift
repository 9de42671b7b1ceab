/// Why a store could not be opened.
public enum OpenFailure: Hashable, Sendable {
  /// The path names a folder.
  case isDirectory
  /// The path names a device, a pipe or a socket.
  case notAFile
  /// The full path is longer than the store supports.
  case pathTooLong(byteCount: Int, limit: Int)
  /// The file is not writable; `canBeRead` is false if reading it needs a permission that is missing as well.
  case notWritable(canBeRead: Bool)
  /// The folder of the file does not exist.
  case missingFolder(String)
  /// The file does not exist, and opening for reading only does not create it.
  case missingFile
  /// The system denies access.
  case noPermission(detail: String)
  /// The file is not a database.
  case notADatabase
  /// The file is a damaged database.
  case damaged(detail: String)
  /// The file has a newer version of the format.
  case newerFormat(found: Int, supported: Int)
  /// The file belongs to another application.
  case otherApplication(tables: [String])
  /// The stored schema differs in a way that is not migrated automatically.
  case schemaMismatch(entity: String, detail: String)
  /// The table was changed since the store was opened, so that the entity does not fit it any more.
  case tableChanged(entity: String, detail: String)
  /// The file was written by an earlier version of the program, whose entity has the attribute, and is opened for reading only.
  case earlierVersion(entity: String, attribute: String)
  /// Another application's database lacks an entity's table, and tables are not created in it; `similar` are the nearest names.
  case missingTable(entity: String, similar: [String])
  /// The file could not be created.
  case cannotCreate(detail: String)
  /// The database lacks what the store needs, and this user may not create it; the statements are for its administrator.
  case needsRights(statements: [String])
  /// The server is too old, or lacks what the store needs.
  case unsupportedServer(found: String, needed: String)
  /// The file holds another model than the requested one.
  case modelMismatch(detail: String)
}

extension OpenFailure {
  /// What happened, and what to do.
  public func message(for path: String) -> String {
    switch self {
    case .isDirectory: "\(path) is a folder. Name a file inside it."
    case .notAFile:
      "\(path) is a device, a pipe or a socket. Name a file; this one was not touched."
    case .pathTooLong(let count, let limit):
      "The full path of \(path) has \(count) bytes; at most \(limit) are possible."
        + " Choose a shorter path."
    case .notWritable(canBeRead: true):
      "\(path) cannot be opened for writing. To only look at it, open it for reading only."
    case .notWritable(canBeRead: false):
      "\(path) cannot be opened for writing, and reading it needs permission to create files in its"
        + " folder. Copy it to read it."
    case .missingFolder(let folder):
      "The folder \(folder) does not exist, so \(path) cannot be created. Create the folder first."
    case .missingFile:
      "\(path) does not exist. Check the path."
    case .noPermission(let detail):
      "\(path) cannot be opened: \(detail). Check its permissions and those of its folder, or on a server what"
        + " the role has been granted."
    case .notADatabase: "\(path) is not a database. Name another file; this one was not touched."
    case .damaged(let detail):
      "\(path) is a damaged database (\(detail)). Restore it from a copy; it was not touched."
    case .newerFormat(let found, let supported):
      "\(path) has version \(found) of the format; this program supports version \(supported)."
        + " Update the program; the file was not touched."
    case .otherApplication(let tables):
      "\(path) belongs to another application (its tables: \(tables.joined(separator: ", ")))."
        + " Name another file; this one was not touched."
    case .schemaMismatch(let entity, let detail):
      "The table \(entity) of \(path) does not match the entity (\(detail)), and it is not converted"
        + " automatically. Convert the file, or use a new one; it was not touched."
    case .tableChanged(let entity, let detail):
      "\(entity.isEmpty ? "A table" : "The table \(entity)") of \(path) has changed since it was opened (\(detail))."
        + " Open it again to use it as it is now."
    case .earlierVersion(let entity, let attribute):
      "\(path) was written by an earlier version of the program (\(entity) has the attribute \(attribute)), and is"
        + " not converted while it is open for reading only. Open it once for writing; it was not touched."
    case .missingTable(let entity, let similar):
      "\(path) has no table \(entity), and tables are not created in another application's database."
        + (similar.isEmpty ? " " : " It has \(similar.joined(separator: ", ")). ")
        + "Correct the entity's name, or allow tables to be created (createsTables)."
    case .cannotCreate(let detail): "\(path) cannot be created: \(detail). Name another file."
    case .needsRights(let statements):
      "\(path) lacks what the store needs, and this user may not create it. Let its owner run: "
        + statements.joined(separator: "; ") + "."
    case .unsupportedServer(let found, let needed):
      "\(path) has \(found); the store needs \(needed). Nothing in it was touched."
    case .modelMismatch(let detail): "\(path): \(detail)"
    }
  }
}
