extension SQLiteStoreCheck {
  /// What was found, a line each, for a person to read.
  public var lines: [String] {
    var lines = ["sqlite     \(libraryVersion)", "size       \(byteCount) bytes"]
    if problems.isEmpty {
      lines.append("check      ok")
    } else {
      lines += problems.map { "problem    \($0)" }
    }
    return lines
  }
}
