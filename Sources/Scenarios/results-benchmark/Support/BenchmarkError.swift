import Foundation
import ResultsDomain

/// Why a benchmark cannot go on.
enum BenchmarkError: Error, CustomStringConvertible {
  /// What was measured gave a wrong result, so its time means nothing.
  case wrongResult(String)
  /// Another program did not do its work.
  case program(String, status: Int32)
  /// A folder or a file cannot be made or written.
  case cannotWrite(path: String, detail: String)
  /// A file is no report of an earlier run.
  case noReport(path: String, detail: String)
  /// A document has no place for the figures.
  case noPlace(path: String)

  var description: String {
    switch self {
    case .wrongResult(let what): "\(what) gave a wrong result, so nothing is measured."
    case .program(let path, let status): "\(path) ended with status \(status)."
    case .cannotWrite(let path, let detail):
      "\(path) cannot be written (\(detail)). Choose another place, or make room there."
    case .noReport(let path, let detail):
      "\(path) is no report of --format json (\(detail))."
    case .noPlace(let path):
      "\(path) has no lines \(PerformanceDocument.start) and \(PerformanceDocument.end)."
    }
  }

  /// With what status a run ends that failed so, as `sysexits.h` numbers them.
  var status: Int32 {
    switch self {
    case .wrongResult, .program: 70
    case .noReport, .noPlace: 65
    case .cannotWrite: 73
    }
  }

  /// With what status a run ends that failed in any way.
  static func status(of error: any Error) -> Int32 {
    if let error = error as? BenchmarkError { return error.status }
    guard let error = error as? StoreError else {
      return error is PlainDatabase.Failure ? 74 : 70
    }
    return switch error {
    case .diskFull, .inputOutput: 74
    case .cannotOpen: 73
    case .busy: 75
    default: 70
    }
  }

  /// A failure in the words of whoever met it.
  static func words(for error: any Error) -> String {
    switch error {
    case is BenchmarkError, is StoreError, is PlainDatabase.Failure: "\(error)"
    default: (error as NSError).localizedDescription
    }
  }
}
