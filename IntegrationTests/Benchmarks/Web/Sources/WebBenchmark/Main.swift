import ResultsStoreKit
import Foundation

/// Measures `serve`: the figures of a list in browsers, each beside its limit.
@main
enum WebBenchmark {
  static func main() {
    // A program that ends early must not end this one.
    signal(SIGPIPE, SIG_IGN)
    do {
      let arguments = CommandLine.arguments
      if arguments.dropFirst().first == "reference" { return try Reference.run() }
      let options = try Options(Array(arguments.dropFirst()))
      try run(options)
    } catch {
      FileHandle.standardError.write(Data("benchmark-web: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ options: Options) throws {
    let streams = StreamFigures(
      program: options.program,
      folder: options.folder,
      streams: options.streams,
      seconds: options.seconds
    )
    let page = PageFigures(
      program: options.program,
      folder: options.folder,
      rows: options.rows,
      deltas: options.deltas
    )
    let all: [(String, () throws -> [Figure])] = [
      ("streams", { try streams.commits(windows: false) }),
      ("windows", { try streams.commits(windows: true) }),
      ("commits", { try streams.throughput() }),
      ("page", { try page.commits() }),
      ("rows", { try page.windows() }),
    ]
    var figures: [Figure] = []
    var failures: [String] = []
    for (name, measure) in all where options.only.isEmpty || options.only.contains(name) {
      let (begin, load) = (Clock.monotonic, Machine.load)
      do {
        figures += try measure()
      } catch {
        failures.append("\(name): \(error)")
      }
      let seconds = (Clock.monotonic - begin) / 1_000_000_000
      let text = String(format: "%@: %d s, load %.1f to %.1f\n", name, seconds, load, Machine.load)
      FileHandle.standardError.write(Data(text.utf8))
    }
    print(Figure.table(figures))
    guard failures.isEmpty else {
      throw BenchmarkFailure("not measured:\n" + failures.joined(separator: "\n"))
    }
  }
}

/// The options of the command.
private struct Options {
  var program = ""
  var folder = ""
  var streams = 1000
  var rows = 10_000_000
  var seconds = 20
  var deltas = 2000
  var only: [String] = []

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func number(_ name: String, _ text: String, _ range: ClosedRange<Int>) throws -> Int {
      guard let number = Int(text), range.contains(number) else {
        throw BenchmarkFailure("\(name) must be \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { throw BenchmarkFailure("\(name) needs a value") }
      switch name {
      case "--program": program = value
      case "--folder": folder = value
      case "--streams": streams = try number(name, value, 8...10_000)
      case "--rows": rows = try number(name, value, 10_000...100_000_000)
      case "--seconds": seconds = try number(name, value, 5...3600)
      case "--deltas": deltas = try number(name, value, 100...10_000_000)
      case "--only": only = value.split(separator: ",").map(String.init)
      default: throw BenchmarkFailure("there is no option \(name)")
      }
    }
  }
}
