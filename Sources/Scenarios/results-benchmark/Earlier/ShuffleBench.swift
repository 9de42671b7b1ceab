import OrderStatistics

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
