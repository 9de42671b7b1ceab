import ResultsStoreKit
import OrderStatistics
import ResultsTesting
import Testing

@Suite struct SectionCountsTests {
  @Test func `a list of no runs contains no position`() {
    let counts = SectionCounts()
    #expect(counts.isEmpty)
    #expect(counts.total == 0)
    #expect(counts.start(of: 0) == 0)
    #expect(counts.run(containing: 0) == nil)
    #expect(counts.checkInvariants() == nil)
  }

  @Test func `runs of length zero never contain a position`() throws {
    let counts = SectionCounts([0, 0, 2, 0, 1, 0])
    #expect(counts.count == 6)
    #expect(counts.total == 3)
    #expect((0...6).map { counts.start(of: $0) } == [0, 0, 0, 2, 2, 3, 3])
    let runs = try (0..<3).map { try #require(counts.run(containing: $0)) }
    #expect(runs.map(\.run) == [2, 2, 4])
    #expect(runs.map(\.offset) == [0, 1, 0])
    #expect(counts.run(containing: 3) == nil)
    #expect(counts.run(containing: -1) == nil)
  }

  @Test func `a hundred thousand runs have the right starts`() throws {
    var counts = SectionCounts((0..<100_000).map { $0 % 7 })
    counts.add(5, at: 40_000)
    #expect(counts.remove(at: 10) == 3)
    counts.insert(100, at: 99_999)
    let lengths = counts.lengths
    var start = 0
    for run in lengths.indices {
      if run % 997 == 0 || run > 99_990 {
        #expect(counts.start(of: run) == start)
        #expect(counts[run] == lengths[run])
        if lengths[run] > 0 {
          let found = try #require(counts.run(containing: start + lengths[run] - 1))
          #expect(found.run == run && found.offset == lengths[run] - 1)
        }
      }
      start += lengths[run]
    }
    #expect(counts.total == start)
    #expect(counts.checkInvariants() == nil)
  }

  @Test func `lists are equal by their lengths, not by how they grew`() {
    var grown = SectionCounts([], maximumBlockCount: 4)
    for run in 0..<50 { grown.insert(run, at: run) }
    #expect(grown == SectionCounts(0..<50))
    grown.add(1, at: 3)
    grown.add(-1, at: 4)
    #expect(grown != SectionCounts(0..<50))
  }

  @Test func `blocks fill up in order and merge when they shrink`() {
    var counts = SectionCounts([], maximumBlockCount: 8)
    for run in 0..<800 { counts.insert(1, at: run) }
    #expect(counts.blockCount == 100)
    for run in (0..<800).reversed() where run % 40 != 0 { counts.remove(at: run) }
    #expect(counts.count == 20)
    #expect(counts.blockCount <= 10)
  }

  @Test(arguments: (41...46).map(UInt64.init))
  func `random edits behave as on a plain array`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var model: [Int] = []
    var counts = SectionCounts([], maximumBlockCount: 4 + Int(seed % 5))
    var snapshots: [(SectionCounts, [Int])] = []
    for step in 0..<6_000 {
      let isGrowing = step / 400 % 2 == 0
      let choice = Int.random(in: 0..<10, using: &generator)
      if choice < (isGrowing ? 6 : 2) {
        let run = Int.random(in: 0...model.count, using: &generator)
        let length = max(0, Int.random(in: -2...4, using: &generator))
        counts.insert(length, at: run)
        model.insert(length, at: run)
      } else if let run = model.indices.randomElement(using: &generator) {
        if choice < 8 {
          try #require(counts.remove(at: run) == model.remove(at: run), "seed \(seed)")
        } else {
          let difference = Int.random(in: -model[run]...3, using: &generator)
          counts.add(difference, at: run)
          model[run] += difference
        }
      }
      let total = model.reduce(0, +)
      try #require(counts.count == model.count, "seed \(seed) step \(step)")
      try #require(counts.total == total, "seed \(seed) step \(step)")
      let run = Int.random(in: 0...model.count, using: &generator)
      let start = model[..<run].reduce(0, +)
      try #require(counts.start(of: run) == start, "seed \(seed) step \(step)")
      let position = Int.random(in: -1...(total + 1), using: &generator)
      let found = counts.run(containing: position)
      let flat = model.enumerated().flatMap { run, length in
        (0..<length).map { (run: run, offset: $0) }
      }
      let expected = flat.indices.contains(position) ? flat[position] : nil
      try #require(found?.run == expected?.run, "seed \(seed) step \(step)")
      try #require(found?.offset == expected?.offset, "seed \(seed) step \(step)")
      guard step % 60 == 0 else { continue }
      try #require(counts.lengths == model, "seed \(seed) step \(step)")
      try #require(counts.checkInvariants() == nil, "seed \(seed) step \(step)")
      snapshots.append((counts, model))
      if snapshots.count > 5 { snapshots.removeFirst() }
      for (snapshot, model) in snapshots {
        try #require(snapshot.lengths == model, "seed \(seed) step \(step)")
      }
    }
  }
}
