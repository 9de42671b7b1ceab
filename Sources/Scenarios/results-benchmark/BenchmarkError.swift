/// Why a benchmark cannot go on.
enum BenchmarkError: Error, CustomStringConvertible {
  /// What was measured gave a wrong result, so its time means nothing.
  case wrongResult(String)
  /// Another program did not do its work.
  case program(String, status: Int32)

  var description: String {
    switch self {
    case .wrongResult(let what): "\(what) gave a wrong result, so nothing is measured."
    case .program(let path, let status): "\(path) ended with status \(status)."
    }
  }
}
