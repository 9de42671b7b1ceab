import OrderStatistics

/// Goal 16: two orders of identities compared, beside `CollectionDifference` on the cases that DifferenceKit publishes.
///
/// The published seconds stand in its README: 0.0019 beside 0.0620 for 5,000 rows, 0.0348 beside 5.0281 for 100,000.
struct ArrayDifferenceBench {
  /// A published case: how many rows are deleted, inserted and moved.
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
  /// Larger cases are left out.
  let most: Int

  func measure() throws -> [Measurement] {
    try Self.cases.filter { $0.rows <= max(5000, most) }.map { try measure($0) }
  }

  private func measure(_ each: Case) throws -> Measurement {
    let (old, new) = lists(of: each)
    var (ours, theirs) = (Samples(), Samples())
    for _ in 0..<4 * runs {
      ours.add(
        try time {
          let difference = try KeyedDifference(from: old, to: new)
          guard difference.deletions.count == each.edits, difference.insertions.count == each.edits
          else { throw BenchmarkError.wrongResult("the comparison") }
        }
      )
    }
    // The reference takes seconds where there are many rows, so once is enough there.
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

/// Two orders of the same identities, compared by both.
struct ShuffleBench {
  let rows: Int
  let runs: Int

  init(rows: Int, runs: Int) {
    self.rows = rows
    self.runs = runs
  }

  func measure() throws -> [Measurement] {
    var generator = GeneratedBooks(rows: rows)
    let old = (0..<rows).map { Int64($0 * 3) }
    var new = old
    for place in stride(from: rows - 1, to: 0, by: -1) {
      new.swapAt(place, generator.draw(below: place + 1))
    }
    var (ours, moves) = (Samples(), 0)
    for _ in 0..<runs * 4 {
      ours.add(try time { moves = try KeyedDifference(from: old, to: new).moves.count })
    }
    // The reference takes seconds, so once is enough.
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
