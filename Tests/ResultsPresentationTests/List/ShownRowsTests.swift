import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R90: a front end that holds a page of rows shows exactly the list, after any changes.
@Suite("Rows that a front end holds")
struct ShownRowsTests {
  @Test(arguments: 1..<UInt64(31))
  func `R90: what stays is kept, and what is missing is all that has to be read`(seed: UInt64)
    async throws
  {
    var world = try ListWorld(seed: seed)
    try world.commit(rows: 40)
    let controller = FetchedResultsController(world.definition(), in: world.store)
    try await controller.performFetch()
    var changes = controller.changes.makeAsyncIterator()
    _ = await changes.next(isolation: nil)
    var shown = ShownRows<Row>()
    var read = 0
    for step in 0..<60 {
      let context: Comment = "seed \(seed), step \(step)"
      let list = try controller.results
      if step.isMultiple(of: 9) {
        let start = world.generator.below(list.count + 1)
        let page = start..<min(start + 12, list.count)
        shown.show(page)
        if step.isMultiple(of: 2) {
          controller.observedRows = page
        } else {
          controller.observedRows = nil
        }
        // Two pages at once, as around folded sections.
        if step.isMultiple(of: 3) { shown.show(RangeSet([page, 0..<min(3, list.count)])) }
      }
      try fill(&shown, from: list, &read)
      try world.commit(rows: 1 + world.generator.below(5))
      guard try controller.results.position != list.position else { continue }
      guard case .change(let change)? = await changes.next(isolation: nil) else {
        shown.invalidate()
        continue
      }
      let before = read
      shown.follow(change)
      if change.delta.unobserved == nil, change.delta.sections.isEmpty,
        shown.positions.ranges.count == 1
      {
        // No more is read than changed or came.
        let touched = change.delta.rows.count
        try fill(&shown, from: change.after, &read, onlyMissing: true)
        #expect(read - before <= 2 * touched, context)
      }
      try fill(&shown, from: change.after, &read)
      let rows = try change.after.objects()
      for range in shown.positions.ranges {
        for position in range {
          #expect(shown[position]?.id == rows[position].id, context)
          #expect(shown[position]?.content == rows[position], context)
        }
      }
      #expect(shown.all.allSatisfy { shown.positions.contains($0.key) }, context)
      if controller.observedRows != nil, shown.positions.ranges.count == 1 {
        controller.observedRows = shown.positions.ranges.first
      }
    }
    controller.cancel()
  }

  private func fill(
    _ shown: inout ShownRows<Row>,
    from list: ResultsList<Row>,
    _ read: inout Int,
    onlyMissing: Bool = false
  ) throws {
    while let missing = shown.missing {
      let needed = onlyMissing ? missing.lowerBound..<missing.lowerBound + 1 : missing
      shown.fill(try list.objects(at: needed).map { ($0.id, $0) }, from: needed.lowerBound)
      read += needed.count
    }
  }
}
