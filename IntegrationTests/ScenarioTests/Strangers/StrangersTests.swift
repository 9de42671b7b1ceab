import ResultsStoreKit
import Foundation
import ResultsTesting
import Testing

/// R213: lists over random databases as nobody here would make them, while others change rows and schemas.
///
/// `script/strangers` is the long form.
@Suite("Strangers' databases", .serialized, .enabled(if: SQLiteShell.isThere))
struct StrangersTests {
  @Test(.timeLimit(.minutes(600)))
  func `R213: a list is what the shell reads or says why not, and no writer is disturbed`()
    async throws
  {
    let plan = StrangersPlan.current
    let report = try await OwnThread.run {
      var report = StrangerReport()
      let deadline = ContinuousClock.now.advanced(by: .seconds(plan.seconds))
      var number: UInt64 = 0
      while ContinuousClock.now < deadline, number < UInt64(plan.databases),
        report.defects.count < 8
      {
        var life = try StrangerLife(seed: plan.seed &+ number, plan.features)
        do {
          try life.live(steps: plan.steps, until: deadline, &report)
        } catch {
          // A shell that does not end, for example: the seed repeats it.
          report.defects.append("seed \(plan.seed &+ number), step \(report.steps): \(error)")
        }
        number += 1
      }
      return report
    }
    for defect in report.defects { Issue.record("\(defect)") }
    try plan.print(report.line(plan.seed))
  }
}

/// How long the databases of strangers live, and from which seed.
///
/// `RESULTS_STRANGERS_SECONDS`, `RESULTS_STRANGERS_SEED`; the result is appended to the file `RESULTS_STRANGERS_REPORT`.
struct StrangersPlan: Sendable {
  let seconds: Double
  let seed: UInt64
  let databases: Int
  let steps: Int
  let features: Set<StrangerFeature>

  static var current: StrangersPlan {
    let environment = ProcessInfo.processInfo.environment
    let seconds = environment["RESULTS_STRANGERS_SECONDS"].flatMap { Double($0) }
    return StrangersPlan(
      seconds: seconds ?? 60,
      seed: environment["RESULTS_STRANGERS_SEED"].flatMap { UInt64($0) } ?? 1,
      databases: seconds == nil ? 3 : Int.max,
      steps: seconds == nil ? 8 : 25,
      features: StrangerFeature.used
    )
  }

  /// Appends a line to the report, if there is one.
  func print(_ line: String) throws {
    guard let path = ProcessInfo.processInfo.environment["RESULTS_STRANGERS_REPORT"] else { return }
    let earlier = FileManager.default.contents(atPath: path) ?? Data()
    try (earlier + Data((line + "\n").utf8)).write(to: URL(fileURLWithPath: path))
  }
}
