import ArgumentParser
import FetchedResults
import Foundation
import ResultsDomain
import ResultsStoreKit

/// The command `results-benchmark`: measures live lists against plain statements in C and against a peer, in one run.
@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "results-benchmark",
    abstract: "Measure live lists against plain SQLite statements and GRDB's observations.",
    discussion: """
      Every figure is printed next to a reference of the same run. Read the ratios: times differ between machines. Limits of times are \
      ratios to the same kind of work in C, measured in interleaved pairs; the median of the pairs counts.

      Goals are numbered 1 to 31 in docs/performance.md. Other cases have names: first-fetch, section-counts, lookups, own-change, \
      changes-of-others, wake-up, peer, capture, many-lists, shuffle, adoption, browse, and import, which needs --books.

      A run takes about three minutes and two gigabytes of disk; --rows 10000000 takes several minutes and six gigabytes.

      Exits with 0 if everything was measured, whether or not the limits hold; with 64 for invalid options, 65 for a file that is not \
      a report or a document, 70 for a wrong result, 73 for a file or folder that cannot be written, 74 for a full or failing disk.
      """,
    subcommands: [MeasureCommand.self, MemoryCommand.self, PrintCommand.self, DropCommand.self],
    defaultSubcommand: MeasureCommand.self
  )

  static func main() async {
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch let error as BenchmarkFailure {
      FileHandle.standardError.write(Data("results-benchmark: \(error.message)\n".utf8))
      Foundation.exit(error.status)
    } catch {
      exit(withError: error)
    }
  }
}

/// The failure of a run, thrown after all temporary files are removed.
struct BenchmarkFailure: Error {
  let message: String
  let status: Int32

  init(_ error: any Error) {
    message = BenchmarkError.message(for: error)
    status = BenchmarkError.status(of: error)
  }
}

// MARK: - Errors

/// The reason why a benchmark stops.
enum BenchmarkError: Error, CustomStringConvertible {
  /// The measured code returned a wrong result, so its time is meaningless.
  case wrongResult(String)
  /// Another program failed.
  case program(String, status: Int32)
  /// A folder or a file cannot be created or written.
  case cannotWrite(path: String, detail: String)
  /// A file is not a report of an earlier run.
  case noReport(path: String, detail: String)
  /// A document lacks the two lines that enclose the figures.
  case noMarkers(path: String)

  var description: String {
    switch self {
    case .wrongResult(let what): "\(what) returned a wrong result, so its time is not reported."
    case .program(let path, let status): "\(path) exited with status \(status)."
    case .cannotWrite(let path, let detail):
      "\(path) cannot be written (\(detail)). Choose another folder, or free disk space."
    case .noReport(let path, let detail):
      "\(path) is no report of --format json (\(detail))."
    case .noMarkers(let path):
      "\(path) has no lines \(PerformanceDocument.start) and \(PerformanceDocument.end)."
    }
  }

  /// The exit status for this error, as defined by `sysexits.h`.
  var status: Int32 {
    switch self {
    case .wrongResult, .program: 70
    case .noReport, .noMarkers: 65
    case .cannotWrite: 73
    }
  }

  /// Returns the exit status for any error.
  static func status(of error: any Error) -> Int32 {
    if let error = error as? BenchmarkError { return error.status }
    guard let error = error as? StoreError else {
      return error is PlainDatabase.Failure ? 74 : 70
    }
    return switch error {
    case .diskFull, .inputOutput: 74
    case .cannotOpen: 73
    case .busy, .writeConflict, .commitOutcomeUnknown: 75
    case .unreachable: 69
    default: 70
    }
  }

  /// Returns the message of any error.
  static func message(for error: any Error) -> String {
    switch error {
    case is BenchmarkError, is StoreError, is PlainDatabase.Failure: "\(error)"
    default: (error as NSError).localizedDescription
    }
  }
}
