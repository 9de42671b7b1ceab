/// Why a file could not be read at all.
public struct InputFailure: Error, Hashable, Sendable {
  /// The path, or `-` for standard input.
  public var path: String
  /// The system's error number, or 0 if the refusal is ours.
  public var code: Int32
  /// What happened, in the system's own words where it refused.
  public var reason: String
  /// What to do.
  public var remedy: String

  /// Why a file could not be read.
  public init(path: String, code: Int32, reason: String, remedy: String) {
    self.path = path
    self.code = code
    self.reason = reason
    self.remedy = remedy
  }
}

extension InputFailure: CustomStringConvertible {
  /// The path, what happened, and what to do.
  public var description: String { "\(path): cannot be read: \(reason). \(remedy)" }
}
