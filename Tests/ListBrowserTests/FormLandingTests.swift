import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R137: a form says where its row will stand.
@Suite("Where the row of a form lands", .timeLimit(.minutes(2)))
struct FormLandingTests {
  @Test(arguments: [(1 as UInt64, true, 12), (2, true, 1), (3, false, 12), (4, false, 1)])
  func `R137: the row stands where the form said, after it is stored`(
    _ seed: UInt64,
    _ isSectioned: Bool,
    _ count: Int
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    let rows = (0..<count).map { (["A", "B", "C", "D"][$0 % 4], "t\($0)", Optional(1)) }
    var world = try await World(rows, isSectioned: isSectioned)
    for step in 0..<120 {
      let list = try world.controller.results
      let isNew = generator.happens(percent: 30)
      let old = isNew ? nil : generator.element(of: try list.objects())
      let id = old?.id ?? ObjectID(entity: world.entity.name, key: .integer(.max))
      let publisher = generator.element(of: ["0", "A", "B", "BB", "C", "D", "E"]) ?? "A"
      let values = World.values((publisher, "t\(generator.number(in: 0...30))", 1))
      let row = Row(entity: world.entity, id: id, values: values)
      let edited = FormDraft.Edited(row, as: id, in: nil, title: World.text)
      let landing = try FormLanding(of: edited, in: list)
      if values == old?.values { continue }
      let stored = try world.store.commit(origin: .unnamed) { transaction in
        guard let old else {
          return try transaction.insert(values, key: nil, into: row.entity)
        }
        try transaction.update(old.id, to: values, of: old.entity)
        return old.id
      }.result
      try await world.follow()
      let after = try world.controller.results
      let context: Comment = "seed \(seed), step \(step): \(values) from \(String(describing: old))"
      #expect(try said(landing, stored, list, after), context)
    }
  }

  /// Whether a list shows a row where a form said.
  private func said(
    _ landing: FormLanding,
    _ id: ObjectID,
    _ before: ResultsList<Row>,
    _ after: ResultsList<Row>
  ) throws -> Bool {
    guard let path = after.path(of: id), let section = after.section(at: path.section) else {
      return landing == .outside
    }
    func row(_ index: Int) throws -> ObjectID? {
      section.indices.contains(index)
        ? try section.rows.objects(at: index..<index + 1).first?.id : nil
    }
    switch landing {
    case .same:
      return before.path(of: id) == path && before.section(at: path.section)?.id == section.id
    case .between(let first, let second, let title):
      return try row(path.row - 1) == first?.id && row(path.row + 1) == second?.id
        && (title == nil || title == section.title)
    case .newSection(let title, let first, let second):
      return section.count == 1 && section.title == title
        && after.section(at: path.section - 1)?.title == first
        && after.section(at: path.section + 1)?.title == second
    case .outside, .unknown: return false
    }
  }

  @Test func `R137: the newest text is looked up, one at a time`() async throws {
    var world = try await World.editing()
    try world.press("\t\u{15}")
    let first = world.takeFormEffects()
    #expect(first.count == 1)
    try world.press("title 71")
    #expect(world.takeFormEffects().isEmpty)
    // The late answer is followed by a request for what is typed by now.
    guard case .draft(_, let revision, let list, _)? = first.first?.effect else {
      Issue.record("nothing is looked up")
      return
    }
    let answer = FormEvent.drafted(nil, .outside, revision: revision, in: list.position)
    try world.send(.form(number: world.model.newestForm, answer))
    try world.answerForms()
    #expect(world.model.landingText == "lands in A, between title 7 and title 8")
    #expect(world.screen.contains { $0.hasPrefix("└ lands in A, between title 7 and title 8 ─") })
    // Others change the list: the answer is renewed after a while.
    world.now = .seconds(1)
    try await world.write { transaction, world in
      try transaction.add("A", "title 70", in: world)
    }
    try world.answerForms()
    #expect(world.model.landingText == "lands in A, between title 70 and title 8")
  }
}
