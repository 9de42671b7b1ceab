import ArgumentParser
import Foundation

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
