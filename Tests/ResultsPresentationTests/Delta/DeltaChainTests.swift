import ResultsDomain
import ResultsTesting
import Testing

@testable import ResultsPresentation

@Suite("Deltas in a row that nobody has taken yet")
struct DeltaChainTests {
  private static let count = 10_000

  private func delta(_ generation: Int, _ rows: RowChanges) -> ResultsDelta {
    ResultsDelta(
      from: generation,
      to: generation + 1,
      cause: .own,
      rows: rows,
      oldSectionCount: 1,
      newSectionCount: 1
    )
  }

  private func insert(_ number: Int) -> ResultsDelta {
    let id = ObjectID(entity: "Item", key: .integer(Int64(number)))
    return delta(number, RowChanges(inserts: [.init(id: id, to: NewPath(section: 0, row: 0))]))
  }

  private func delete(_ number: Int, at generation: Int) -> ResultsDelta {
    let id = ObjectID(entity: "Item", key: .integer(Int64(number)))
    return delta(
      generation,
      RowChanges(deletes: [.init(id: id, from: OldPath(section: 0, row: 0))])
    )
  }

  private func update(_ generation: Int) -> ResultsDelta {
    let paths = (OldPath(section: 0, row: 3), NewPath(section: 0, row: 3))
    let id = ObjectID(entity: "Item", key: .integer(0))
    return delta(
      generation,
      RowChanges(updates: [.init(id: id, from: paths.0, to: paths.1, changed: nil)])
    )
  }

  @Test(.timeLimit(.minutes(1)))
  func `R28: ten thousand deltas of a row each are composed in near linear work`() throws {
    var chain = DeltaChain(insert(0))
    for number in 1..<DeltaChainTests.count { try chain.append(insert(number)) }
    let whole = try chain.composed()
    #expect((whole.from, whole.to) == (0, DeltaChainTests.count))
    #expect(
      whole.rows.inserts.map(\.id.key)
        == (0..<DeltaChainTests.count).reversed().map { .integer(Int64($0)) }
    )
    let logarithm = 14
    #expect(chain.work <= 4 * DeltaChainTests.count * logarithm)
  }

  @Test(.timeLimit(.minutes(1)))
  func `the memory of a chain is bounded by the rows, not by the deltas`() throws {
    var chain = DeltaChain(update(0))
    for generation in 1..<DeltaChainTests.count { try chain.append(update(generation)) }
    #expect(chain.weight <= 4)
    #expect(try chain.composed().rows.updates.count == 1)
    #expect(chain.work <= 4 * DeltaChainTests.count)
  }

  @Test func `C9: a row that was inserted and deleted again is not in the chain`() throws {
    var chain = DeltaChain(insert(0))
    try chain.append(delete(0, at: 1))
    #expect(chain.isEmpty)
    for number in 2..<102 { try chain.append(insert(number)) }
    for number in (2..<102).reversed() { try chain.append(delete(number, at: 203 - number)) }
    let whole = try chain.composed()
    #expect(whole.isEmpty)
    #expect((whole.from, whole.to) == (0, 202))
  }

  @Test func `R44: a delta that does not follow is refused`() throws {
    var chain = DeltaChain(insert(0))
    for number in 1..<9 { try chain.append(insert(number)) }
    #expect(throws: DeltaError.outOfSync(expected: 12, found: 9)) { try chain.append(insert(12)) }
  }

  @Test(arguments: 1...20)
  func `R26, R28: in any grouping, a chain composes to the difference between its ends`(
    seed: Int
  ) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var model = ListModel()
    model.isSectioned = seed % 5 != 0
    let first = model
    var chain: DeltaChain?
    for step in 0..<60 {
      let before = model
      model.step(rows: 3 + seed % 7, using: &random)
      let delta = before.delta(to: model, generation: step)
      if chain == nil { chain = DeltaChain(delta) } else { try chain?.append(delta) }
      var copy = chain
      let whole = try #require(try copy?.composed())
      #expect(throws: Never.self, "seed \(seed), step \(step)") {
        try whole.verify(from: first.content, to: model.content)
      }
      #expect((whole.from, whole.to) == (0, step + 1))
    }
  }
}
