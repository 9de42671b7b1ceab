import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R102: sections by days of dates that another application writes in a form of its own.
@Suite struct StoredFormGroupingTests {
  /// Days in UTC, with their bounds.
  private struct Days: SectionGrouping {
    func group(of value: Value) -> SectionGroup {
      guard case .integer(let date) = value else { return SectionGroup(id: .null) }
      let day: Int64 = 86_400_000_000
      let first = date - ((date % day) + day) % day
      return SectionGroup(id: .integer(first), first: .integer(first), next: .integer(first + day))
    }

    func title(of id: Value) -> String { "\(id)" }
    var groupingIdentity: String { "day" }
    var titleIdentity: String { "" }
  }

  private static let forms: [StoredForm] = [
    .dateText(digits: 0), .dateText(digits: 3), .dateTextOmittingZeroFraction, .iso8601(digits: 0),
    .iso8601(digits: 6),
    .epochSeconds, .epochMilliseconds, .referenceSeconds, .fileTimeMicroseconds,
  ]

  @Test(arguments: forms)
  func `R102: the bounds of a group, as they are stored, contain the stored dates of the group`(
    _ form: StoredForm
  ) throws {
    let grouping = StoredFormGrouping(form, Days())
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    var stored: [Value] = []
    for _ in 0..<300 {
      let second = 1_700_000_000 + Int64(generator.below(400_000))
      // Most dates are near midnight.
      let near =
        generator.below(2) == 0 ? second : second / 86_400 * 86_400 - Int64(generator.below(2))
      stored += [form.stored(.integer(near * 1_000_000))].compactMap(\.self)
    }
    if form == .epochSeconds {
      // Reals between two microseconds.
      stored += [.real(1_704_067_200.0.nextDown), .real(1_704_067_200.0.nextUp)]
    }
    stored.sort { Value.compare($0, $1) == .ascending }
    var last: Value?
    for value in stored {
      let group = grouping.group(of: value)
      let first = try #require(group.first, "seed \(seed): \(value)")
      let next = try #require(group.next, "seed \(seed): \(value)")
      #expect(Value.compare(first, value) != .descending, "seed \(seed): \(value)")
      #expect(Value.compare(value, next) == .ascending, "seed \(seed): \(value)")
      #expect(grouping.group(of: first).id == group.id, "seed \(seed): \(value)")
      #expect(grouping.group(of: next).id != group.id, "seed \(seed): \(value)")
      if let last { #expect(Value.compare(last, group.id) != .descending, "seed \(seed)") }
      last = group.id
    }
    #expect(grouping.group(of: .null).id == .null)
    #expect(grouping.group(of: "no date").id == .text(""))
  }

  @Test(arguments: [StoredForm.dateText(digits: 3), .epochSeconds, .referenceSeconds])
  func `R102: a list has a section for each day, and a changed date moves its row`(
    _ form: StoredForm
  ) async throws {
    let entity = try EntityDescription(
      name: "Visit",
      attributes: [AttributeDescription("at", .date, isOptional: true, form: form)]
    )
    let store = try InMemoryStore(entities: [entity])
    @Sendable func stored(_ hours: Int64) throws -> [Value] {
      [try #require(form.stored(.integer(hours * 3_600_000_000)))]
    }
    let ids = try store.commit(origin: .unnamed) { transaction in
      try [0, 5, 24, 47, 48].map { try transaction.insert(stored($0), key: nil, into: entity) }
    }
    .result
    let controller = FetchedResultsController(
      ResultsDefinition(
        FetchRequest<Row>(entity: entity, sortedBy: [.ascending("at")]),
        sectionedBy: .transient(source: "at", grouping: Days())
      ),
      in: store
    )
    try await controller.performFetch()
    #expect(try controller.results.sections.map(\.count) == [2, 2, 1])
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.update(ids[0], to: stored(50), of: entity, ifUnchangedFrom: nil)
    }
    try await controller.refresh()
    #expect(try controller.results.sections.map(\.count) == [1, 2, 2])
  }
}
