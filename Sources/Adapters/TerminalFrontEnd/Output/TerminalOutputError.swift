/// Why text could not be written.
public enum TerminalOutputError: Error, Hashable, Sendable {
  /// The reader of the pipe went away; the program ends in silence with status 141.
  case readerIsGone
  /// The system refused.
  /// - Parameters:
  ///   - code: The system's error number.
  ///   - reason: The system's own words for it.
  case failed(code: Int32, reason: String)
}

extension TerminalOutputError {
  /// The exit status a program ends with: 141 for a reader that went away, 74 for everything else.
  public var exitStatus: Int32 {
    switch self {
    case .readerIsGone: 141
    case .failed: 74
    }
  }
}

extension TerminalOutputError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    switch self {
    case .readerIsGone: "the reader of the output went away"
    case .failed(_, let reason):
      "the output cannot be written: \(reason). Check the disk's free space and where the output goes."
    }
  }
}
