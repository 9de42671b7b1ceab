import ArgumentParser
import Foundation
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Testing

@testable import CommandLineFrontEnd

/// A program over members of clubs, without a store.
private enum ClubRoster: ListProgram {
  static let name = "club-roster"
  static let abstract = "Members of clubs."
  static let nouns = (one: "member", many: "members")
  static let columns = ["name"]
  static let examples = Roster.examples
  static let club = make("Club", [AttributeDescription("full name", .text)], [])
  static let visit = make("Visit", [AttributeDescription("member", .integer64)], [])
  static let entity = make(
    "Member",
    [
      AttributeDescription("name", .text),
      AttributeDescription("club", .integer64, isOptional: true),
    ],
    [
      RelationshipDescription("home", .toOne(foreignKey: ["club"])) { club },
      RelationshipDescription("visits", .toMany(foreignKey: ["member"])) { visit },
    ]
  )

  static func make(
    _ name: String,
    _ attributes: [AttributeDescription],
    _ relationships: [RelationshipDescription]
  ) -> EntityDescription {
    do {
      return try EntityDescription(
        name: name,
        attributes: attributes,
        relationships: relationships
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    ResultsDefinition(FetchRequest(entity: entity, sortedBy: [.ascending("name")]))
  }

  static func openStore(_ location: StoreLocation) throws -> any Store {
    throw StoreError.closed(path: location.address.text)
  }

  static func diagnose(_ store: any Store) throws -> [String] { [] }

  static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {}
}

@Suite("Paths in options")
struct PathOptionTests {
  private func definition(_ arguments: String...) throws -> ResultsDefinition<Row> {
    let settings = try LocaleOptions.parse([]).settings(for: .plain)
    return try ListOptions.parse(arguments).definition(of: ClubRoster.self, for: settings)
  }

  @Test("--sort, --section-by and --columns take dotted names")
  func dottedNames() throws {
    let list = try definition(
      "--sort",
      "-home.`full name`,visits.@count,name",
      "--section-by",
      "home.`full name`"
    )
    #expect(
      list.request.sortDescriptors.map(\.expression.description)
        == ["home.`full name`", "visits.@count", "name"]
    )
    #expect(list.request.sortDescriptors[0].direction == .descending)
    guard case .expression(let section, _, _, _) = list.sectionKey?.source else {
      Issue.record("no expression")
      return
    }
    #expect(section == .related(["home"], .attribute("full name")))
    let columns = try RowOptions.parse(["--columns", "id,home.`full name`,visits.@count"])
      .columns(of: ClubRoster.self)
    #expect(columns.map(\.title) == ["id", "home.`full name`", "visits.@count"])
    #expect(
      list.fetching(columns).request.propertiesToFetch
        == ["name", "club", "home.`full name`", "visits.@count"]
    )
    #expect(list.fetching([.key("id")]).request.propertiesToFetch == nil)
  }

  @Test("a column shows a related value by its name in the row")
  func columnValues() throws {
    let row = Row(
      entity: ClubRoster.make(
        "Member",
        [AttributeDescription("name", .text), AttributeDescription("visits.@count", .integer64)],
        []
      ),
      id: ObjectID(entity: "Member", key: .integer(1)),
      values: [.text("Ann"), .integer(3)]
    )
    let column = try #require(
      RowOptions.parse(["--columns", "visits.@count"]).columns(of: ClubRoster.self).first
    )
    #expect(column.value(row) == .integer(3))
    #expect(column.text(row, ValueFormatter(for: nil)) == "3")
  }

  @Test("a misspelt step is refused with the option and the nearest name")
  func misspelled() throws {
    let failure = try #require(throws: CommandFailure.self) {
      try definition("--sort", "hone.`full name`")
    }
    #expect(failure.status == .usage)
    #expect(
      failure.message
        == "--sort: “hone.`full name`”: Member has no relationship named hone. Did you mean home?"
    )
    let many = try #require(throws: CommandFailure.self) {
      try RowOptions.parse(["--columns", "visits.member"]).columns(of: ClubRoster.self)
    }
    #expect(many.message.contains("visits.@count"))
  }

  @Test("help where shows conditions on related objects, which are understood")
  func help() throws {
    let related = try #require(
      HelpTopic.conditionExamples(of: ClubRoster.self).first { $0.kind == "Related objects" }
    )
    #expect(related.lines.count == 3)
    for (condition, _) in related.lines {
      #expect(throws: Never.self) {
        try FetchPredicate(parsing: condition, entity: ClubRoster.entity)
      }
    }
    #expect(!HelpTopic.conditionExamples(of: Roster.self).contains { $0.kind == "Related objects" })
  }
}
