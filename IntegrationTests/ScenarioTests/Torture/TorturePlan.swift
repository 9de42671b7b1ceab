import Foundation
import ResultsTesting
import Testing

/// How much is done to one store, and from which seed.
///
/// `RESULTS_TORTURE_OPERATIONS` sets the number of operations of all plans together, `RESULTS_TORTURE_SEED` the first seed.
struct TorturePlan: Sendable, CustomTestStringConvertible {
  /// What the random choices follow from.
  let seed: UInt64
  /// How many operations the four writers do together.
  let operations: Int
  /// Whether triggers of the file keep `simulate` off the pairs, so that it can be started again and again.
  let isGuarded: Bool

  var testDescription: String {
    "\(isGuarded ? "guarded pairs" : "emptied tables"), \(operations) operations, seed \(seed)"
  }

  /// What one of the four writers does.
  var share: Int { max(1, operations / 4) }

  /// Numbers that belong to one writer.
  func generator(_ writer: UInt64) -> SeededGenerator {
    SeededGenerator(seed: seed &* 97 &+ writer)
  }

  static let all = [true, false].enumerated().map { number, isGuarded in
    TorturePlan(
      seed: (setting("RESULTS_TORTURE_SEED").map { UInt64($0) } ?? 1) &+ UInt64(number),
      operations: (setting("RESULTS_TORTURE_OPERATIONS") ?? 2000) / 2,
      isGuarded: isGuarded
    )
  }

  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
  }
}
