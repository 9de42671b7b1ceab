public import ResultsPresentation

/// Why a line of the wire form cannot be read or applied.
public enum WireError: Error, Hashable, Sendable {
  /// The line is not JSON.
  case malformed(JSONError)
  /// The line is of a version this reader does not know.
  case unsupportedVersion(String)
  /// A key that must be there is not, or has a value of another kind.
  case invalid(key: String)
  /// The number of rows is not the one the line says.
  case rowCount(expected: Int, found: Int)
  /// A change came before any list.
  case noSnapshot
  /// Another row or section stands where the change expects one.
  case wrongIdentity(at: String)
  /// The change does not fit the list, or another generation or another list's came (R44).
  case delta(DeltaError)
}

extension WireError: CustomStringConvertible {
  /// What is wrong, and where.
  public var description: String {
    switch self {
    case .malformed(let error): error.description
    case .unsupportedVersion(let version):
      "The line is of version \(version); this reader knows version \(WireEncoder.version)."
    case .invalid(let key): "\(key) is missing or of another kind than expected."
    case .rowCount(let expected, let found): "There are \(found) rows, not \(expected)."
    case .noSnapshot: "A change came before any list."
    case .wrongIdentity(let place): "Another one stands at \(place) than the change expects."
    case .delta(let error): error.description
    }
  }
}
