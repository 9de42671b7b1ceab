@_spi(Measurement) import ResultsPresentation
import ResultsStoreKit

/// Measures the comparison of two orders of identities, against `CollectionDifference`: goal 16 and `shuffle`.
///
/// Goal 16 uses the cases that DifferenceKit publishes. The seconds in its README are 0.0019 against 0.0620 for 5,000 rows, and 0.0348
/// against 5.0281 for 100,000.
struct DifferenceBenchmark {
  /// A published case: the numbers of deleted, inserted and moved rows.
  private struct Case {
    var rows: Int
    var edits: Int
    var shuffled: Int
    var limit: Double
  }

  private static let cases = [
    Case(rows: 5000, edits: 1000, shuffled: 200, limit: 0.0019 / 0.0620),
    Case(rows: 100_000, edits: 10_000, shuffled: 2000, limit: 0.0348 / 5.0281),
  ]

  let runs: Int

  /// Goal 16: the published cases up to a number of rows.
  func edits(upTo rows: Int) throws -> [Measurement] {
    try Self.cases.filter { $0.rows <= max(5000, rows) }.map { try measure($0) }
  }

  private func measure(_ each: Case) throws -> Measurement {
    let (old, new) = lists(of: each)
    var (ours, theirs) = (Samples(), Samples())
    for _ in 0..<4 * runs {
      ours.add(
        try time {
          let comparison = IdentityComparison(from: old, to: new)
          guard comparison?.deletions == each.edits, comparison?.insertions == each.edits
          else { throw BenchmarkError.wrongResult("the comparison") }
        }
      )
    }
    // The reference takes seconds for many rows, so it runs only once.
    for _ in 0..<(each.rows > 10_000 ? 1 : runs) {
      theirs.add(
        try time {
          guard new.difference(from: old).count >= 2 * each.edits else {
            throw BenchmarkError.wrongResult("CollectionDifference")
          }
        }
      )
    }
    return Measurement(
      goal: 16,
      name: "arrays compared, \(each.edits) deleted, inserted each, \(each.shuffled) shuffled",
      rows: each.rows,
      value: ours.median,
      unit: "µs",
      reference: theirs.median,
      against: "CollectionDifference",
      limit: each.limit
    )
  }

  private func lists(of each: Case) -> (old: [Int64], new: [Int64]) {
    var draws = GeneratedBooks(rows: 1)
    let old = (0..<Int64(each.rows)).map { $0 * 3 }
    var new = old
    for _ in 0..<each.edits { new.remove(at: draws.draw(below: new.count)) }
    for number in 0..<each.edits {
      new.insert(Int64(number) * 3 + 1, at: draws.draw(below: new.count + 1))
    }
    for _ in 0..<each.shuffled / 2 {
      new.swapAt(draws.draw(below: new.count), draws.draw(below: new.count))
    }
    return (old, new)
  }
}

// MARK: - Shuffles

extension DifferenceBenchmark {
  /// Compares two random orders of the same identities.
  func shuffle(_ rows: Int) throws -> [Measurement] {
    var generator = GeneratedBooks(rows: rows)
    let old = (0..<rows).map { Int64($0 * 3) }
    var new = old
    for index in stride(from: rows - 1, to: 0, by: -1) {
      new.swapAt(index, generator.draw(below: index + 1))
    }
    var (ours, moves) = (Samples(), 0)
    for _ in 0..<runs * 4 {
      ours.add(time { moves = IdentityComparison(from: old, to: new)?.moves ?? 0 })
    }
    // The reference takes seconds, so it runs only once.
    var steps = 0
    let theirs = time { steps = new.difference(from: old).count }
    guard moves > 0, steps >= moves else { throw BenchmarkError.wrongResult("the shuffle") }
    return [
      Measurement(
        name: "shuffled rows compared",
        rows: rows,
        value: ours.median,
        unit: "µs",
        reference: theirs,
        against: "CollectionDifference",
        limit: 0.02
      )
    ]
  }
}
