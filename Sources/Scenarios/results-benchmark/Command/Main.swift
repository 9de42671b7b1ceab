import ArgumentParser
import Foundation
import ResultsDomain

/// The command `results-benchmark`: measures lists against plain statements and against a peer, in one run.
@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "results-benchmark",
    abstract: "Measure live lists against plain SQLite statements and GRDB's observations.",
    discussion: """
      Every figure stands beside a reference of the same run. Read the ratios: times belong to one machine and one moment.

      Goals are numbered 1 to 16 in docs/performance.md. Other cases have names: first-fetch, section-counts, lookups, own-change, \
      changes-of-others, wake-up, peer, capture, many-lists, shuffle, and import, which needs --books.

      A run takes at most three minutes and two gigabytes of disk; --rows 10000000 takes some minutes and six gigabytes.

      It ends with 0 when everything was measured, whether limits hold or not; 64 for options that make no sense, 65 for a file that \
      is no report or no document, 70 for a wrong result, 73 for a place that cannot be written, 74 for a full or failing disk.
      """,
    subcommands: [MeasureCommand.self, MemoryCommand.self, ForgetCommand.self],
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
      FileHandle.standardError.write(Data("results-benchmark: \(error.words)\n".utf8))
      Foundation.exit(error.status)
    } catch {
      exit(withError: error)
    }
  }
}

/// How a run ended that has failed; everything temporary is removed by then.
struct BenchmarkFailure: Error {
  let words: String
  let status: Int32

  init(_ error: any Error) {
    words = BenchmarkError.words(for: error)
    status = BenchmarkError.status(of: error)
  }
}

// MARK: - Errors

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
