import FetchedResults
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit

/// Measures what the lists of programs have besides order and sections: goals 29 to 31.
struct ProgramListBenchmark {
  private static let blocks = 8
  /// The size up to which the filing order is measured, since such a list holds its keys.
  static let mostFiled = 100_000

  let table: MessageTable

  init(_ table: MessageTable) { self.table = table }

  // MARK: - Running values

  /// Goal 29: the running sums of forty rows at any depth, against the sum of the rows before them in their section and the rows
  /// themselves in C, which is given the key that the page begins with.
  func running() async throws -> Measurement {
    let controller = FetchedResultsController(
      summed([SectionAggregate("marked", .sum("mark"))]),
      in: table.store
    )
    try await controller.performFetch()
    let results = try controller.results
    var pairs = Pairs()
    for round in 0..<20 + 5 * table.runs {
      let start = table.numbers.draw(below: max(1, table.rows - 40))
      var values: [AggregateValue] = []
      let ours = try time {
        values = try results.runningValues(of: "marked", at: start..<start + 40)
      }
      let first = try results.rows[start].object
      var last: Int64 = 0
      let plain = try time { last = try sums(from: first) }
      guard values.count == 40, case .integer(let end)? = values.last?.value, last <= end else {
        throw BenchmarkError.wrongResult("running values")
      }
      if round >= 5 { pairs.add(ours, plain) }
    }
    controller.cancel()
    return table.figure(
      29,
      "running values of 40 rows",
      pairs,
      against: "the rest of the section and the page in C",
      limit: table.atLargest(3),
      target: 2
    )
  }

  /// Sums the marks of a section before a message, and of forty from it on.
  private func sums(from first: Message) throws -> Int64 {
    let key: [PlainDatabase.Parameter] = [
      .integer(first.folder), .integer(first.date.microseconds), .integer(first.id ?? 0),
    ]
    var sum = try table.plain.integer(
      "SELECT ifnull(sum(mark), 0) FROM Message WHERE folder = ?1 AND (date, id) < (?2, ?3)",
      key
    )
    try table.plain.each(
      """
      SELECT mark FROM Message WHERE (folder, date, id) >= (?1, ?2, ?3)
      ORDER BY folder, date, id LIMIT 40
      """,
      key
    ) { sum += PlainDatabase.integer(of: $0) }
    return sum
  }

  // MARK: - Conditions

  /// Goal 30: opening a list and a change beside it, if the aggregate of its sections has a condition, against one without.
  func conditions() async throws -> [Measurement] {
    let plain = summed([SectionAggregate("all", .count("mark"))])
    let conditioned = summed([
      SectionAggregate("marked", .count("mark"), of: Message.self, where: \.mark != 0)
    ])
    var (opening, change) = (Pairs(), Pairs())
    for _ in 0..<Self.blocks {
      let (ours, reference) = (try await following(conditioned), try await following(plain))
      opening.add(ours.opened, reference.opened)
      change.add(ours.changed, reference.changed)
    }
    return [
      table.figure(
        30,
        "a list with a condition in its aggregate, opened",
        opening,
        against: "the list with an aggregate of all rows",
        limit: table.atLargest(1.1)
      ),
      table.figure(
        30,
        "the same, a change, commit to delta",
        change,
        against: "the list with an aggregate of all rows",
        limit: table.atLargest(1.2)
      ),
    ]
  }

  // MARK: - Filing order

  /// Goal 31: a list in the order in which a library files titles, against the order of their bytes, neither with an index: the first
  /// twenty rows, and a change.
  func filing() async throws -> [Measurement] {
    func list(_ expression: FetchExpression) -> ResultsDefinition<Message> {
      ResultsDefinition(
        FetchRequest<Message>(
          entity: Message.entity,
          sortedBy: [FetchSortDescriptor(expression, .ascending)]
        )
      )
    }
    let (filed, plain) = (
      list(.transformed(.filing, .attribute("subject"))), list(.attribute("subject"))
    )
    var (opening, change) = (Pairs(), Pairs())
    for _ in 0..<Self.blocks {
      let (ours, reference) = (try await following(filed), try await following(plain))
      opening.add(ours.opened, reference.opened)
      change.add(ours.changed, reference.changed)
    }
    let isLimited = table.rows == Self.mostFiled
    return [
      table.figure(
        31,
        "titles in filing order, to the first 20",
        opening,
        against: "the order of their bytes",
        limit: isLimited ? 4 : nil
      ),
      table.figure(
        31,
        "the same, a change, commit to delta",
        change,
        against: "the order of their bytes",
        limit: isLimited ? 1.1 : nil
      ),
    ]
  }

  // MARK: - Both

  private func summed(_ aggregates: [SectionAggregate]) -> ResultsDefinition<Message> {
    var definition = MessageList.folders.definition(of: Message.self)
    definition.aggregates = aggregates
    definition.cacheName = nil
    return definition
  }

  /// The time until a list shows its first twenty rows with all counts, and the median time of a change beside it.
  private func following(
    _ definition: ResultsDefinition<Message>
  ) async throws -> (opened: Double, changed: Double) {
    let controller = FetchedResultsController(definition, in: table.store)
    let opened = try await time {
      try await controller.performFetch()
      try controller.readFirst(20)
    }
    var samples = Samples()
    for round in 0..<5 + 5 * table.runs {
      let written = try table.change(table.anyID(), moving: true)
      if round >= 5 { samples.add((ContinuousClock.now - written).microseconds) }
    }
    controller.cancel()
    return (opened, samples.median)
  }
}
