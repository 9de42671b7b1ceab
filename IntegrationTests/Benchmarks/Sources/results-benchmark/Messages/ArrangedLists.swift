import FetchedResults
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit

/// Measures lists whose sections are arranged: goal 27.
struct ArrangedListBenchmark {
  private static let blocks = 8

  let table: MessageTable

  init(_ table: MessageTable) { self.table = table }

  /// Goal 27: changes beside limits, and fixed sections, against the same list without; and a section that is opened.
  func measure() async throws -> [Measurement] {
    // Those beyond the folders are empty, and shown.
    let folders = (0..<10_000).map { folder in
      SectionArrangement.FixedSection(.integer(Int64(folder)))
    }
    let arrangements = [
      ("every section collapsed", SectionArrangement(limits: SectionLimits(all: 0))),
      ("three rows of each section", SectionArrangement(limits: SectionLimits(all: 3))),
      ("ten fixed sections", SectionArrangement(fixed: Array(folders.prefix(10)))),
      ("ten thousand fixed sections", SectionArrangement(fixed: folders)),
    ]
    var pairs = arrangements.map { _ in Pairs() }
    for _ in 0..<Self.blocks {
      let plain = try await following(.none)
      for (index, (_, arrangement)) in arrangements.enumerated() {
        pairs[index].add(try await following(arrangement), plain)
      }
    }
    var figures = zip(arrangements, pairs).map { arrangement, pairs in
      table.figure(
        27,
        "a change, commit to delta: \(arrangement.0)",
        pairs,
        against: "the list without an arrangement",
        limit: table.atLargest(1.5)
      )
    }
    figures.append(try await opening())
    return figures
  }

  /// The median time that a commit takes beside a list, from the end of its closure to its return.
  private func following(_ arrangement: SectionArrangement) async throws -> Double {
    var definition = MessageList.folders.definition(of: Message.self)
    definition.arrangement = arrangement
    definition.cacheName = nil
    let controller = FetchedResultsController(definition, in: table.store)
    try await controller.performFetch()
    var samples = Samples()
    for round in 0..<5 + 5 * table.runs {
      let written = try table.change(table.anyID(), moving: true)
      if round >= 5 { samples.add((ContinuousClock.now - written).microseconds) }
    }
    guard try controller.results.generation > 1 else {
      throw BenchmarkError.wrongResult("an arranged list")
    }
    controller.cancel()
    return samples.median
  }

  /// Opens a collapsed section up to fifty rows and closes it, against reading as many rows of a section that nothing has read before
  /// either, in a list that shows fifty of each.
  private func opening() async throws -> Measurement {
    var definition = MessageList.folders.definition(of: Message.self)
    definition.cacheName = nil
    definition.arrangement.limits.all = 0
    let controller = FetchedResultsController(definition, in: table.store)
    try await controller.performFetch()
    definition.arrangement.limits.all = 50
    let shown = FetchedResultsController(definition, in: table.store)
    try await shown.performFetch()
    let results = try shown.results
    var pairs = Pairs()
    let count = try controller.results.sections.count
    for round in 0..<10 + table.runs {
      let section = round % count
      let id = try controller.results.sections[section].id
      let opened = try await time { try await controller.update { $0.arrangement.limits[id] = 50 } }
      guard try controller.results.sections[section].count > 0 else {
        throw BenchmarkError.wrongResult("an opened section")
      }
      let rows = try time {
        let read = try results.sections[(section + count / 2) % count].objects()
        guard !read.isEmpty else { throw BenchmarkError.wrongResult("an opened section") }
      }
      try await controller.update { $0.arrangement.limits.reset(id) }
      pairs.add(opened, rows)
    }
    controller.cancel()
    shown.cancel()
    return table.figure(
      27,
      "a collapsed section opened up to 50 rows",
      pairs,
      against: "reading as many rows of another section",
      limit: table.atLargest(1.2)
    )
  }
}
