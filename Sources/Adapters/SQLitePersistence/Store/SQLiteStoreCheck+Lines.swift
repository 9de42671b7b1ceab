extension SQLiteStoreCheck {
  /// What was found, a line each, for a person to read.
  public var lines: [String] {
    var lines = ["sqlite     \(libraryVersion)", "size       \(byteCount) bytes"]
    if let log {
      lines.append("log        \(log.rowCount) rows, \(log.byteCount) bytes")
      lines.append("triggers   \(log.hasTriggers ? "as they should be" : "missing or changed")")
      lines += log.readers.map { reader in
        "reader     \(reader.behind) rows behind, heard of \(reader.age) s ago"
      }
    }
    if problems.isEmpty {
      lines.append("check      ok")
    } else {
      lines += problems.map { "problem    \($0)" }
    }
    return lines
  }
}
