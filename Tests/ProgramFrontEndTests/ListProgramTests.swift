import InMemoryPersistence
import ResultsDomain
import ResultsPresentation
import Testing

@testable import ProgramFrontEnd

@Suite("What a program offers a front end by default")
struct ListProgramTests {
  @Test func `names to sort and divide by are those that a list accepts`() throws {
    #expect(Club.sortNames == ["name", "age", "fee", "since", "isActive", "email", "id"])
    #expect(Club.sectionNames == ["decade", "name", "age", "fee", "since", "isActive", "email"])
    for name in Club.sortNames {
      var choice = ListChoice()
      choice.sort = "-\(name)"
      let definition = try choice.definition(of: Club.self, for: .machine)
      #expect(throws: Never.self) { try definition.order() }
      #expect(definition.request.sortDescriptors.map(\.direction) == [.descending])
    }
    for name in Club.sectionNames where name != "decade" {
      var choice = ListChoice()
      choice.sectionBy = name
      let definition = try choice.definition(of: Club.self, for: .machine)
      #expect(definition.sectionKey != nil)
    }
  }

  @Test func `the detail of a row is its key, its attributes and what is computed from them`() {
    let row = Row(
      entity: Member.entity,
      id: ObjectID(entity: "Member", key: .integer(7)),
      values: Club.values("Ann", age: 41)
    )
    let lines = Club.detail(of: row, for: .machine)
    #expect(
      lines.map(\.name)
        == ["id", "name", "age", "fee", "since", "isActive", "email", "initial"]
    )
    #expect(lines.map(\.text) == ["7", "Ann", "41", "", "", "", "", "A"])
    #expect(lines.map(\.attribute) == [nil, 0, 1, 2, 3, 4, 5, nil])
  }

  @Test func `the condition of a section is its value within the list's own condition`() throws {
    let (store, _) = try Club.store()
    var choice = ListChoice()
    choice.sectionBy = "age"
    choice.predicate = .comparison(.attribute("name"), .equal, .literal("x"))
    var context = CommandContext(
      store: store,
      definition: try choice.definition(of: Club.self, for: .machine),
      settings: .machine,
      now: Instant(microseconds: 0)
    )
    #expect(context.sectionCondition == nil)
    context.section = SectionID(41)
    #expect(context.sectionCondition?.text(in: Member.entity) == "name == 'x' AND age == 41")
    context.section = SectionID(.null)
    #expect(context.sectionCondition?.text(in: Member.entity) == "name == 'x' AND age == NULL")
  }

  @Test func `R15: what a command asks a store is the list's condition at the present time`() throws
  {
    let entity = try EntityDescription(
      name: "Task",
      attributes: [AttributeDescription("due", .date)]
    )
    let store = try InMemoryStore(entities: [entity])
    let context = CommandContext(
      store: store,
      definition: ResultsDefinition(
        FetchRequest<Row>(
          entity: entity,
          where: .relative(.attribute("due"), .less, .now),
          sortedBy: [.ascending("due")]
        )
      ),
      settings: .machine,
      now: Instant(microseconds: 5)
    )
    #expect(context.predicate == .comparison(.attribute("due"), .less, .literal(5)))
    #expect(throws: Never.self) { try context.predicate.validate(in: entity) }
  }
}
