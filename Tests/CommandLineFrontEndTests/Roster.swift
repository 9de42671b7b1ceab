import Foundation
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

@testable import CommandLineFrontEnd

/// The exit status of a program; the testing library has a type of the same name.
typealias Status = ProgramFrontEnd.ExitStatus

/// An entity with an attribute of each common type.
enum Member {
  static let entity = makeEntity()

  private static func makeEntity() -> EntityDescription {
    do {
      return try EntityDescription(
        name: "Member",
        attributes: [
          AttributeDescription("name", .text),
          AttributeDescription("age", .integer16, isOptional: true),
          AttributeDescription("fee", .decimal(scale: 2), isOptional: true),
          AttributeDescription("since", .date, isOptional: true),
          AttributeDescription("isActive", .boolean, isOptional: true),
          AttributeDescription("email", .text, isOptional: true),
        ]
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

/// A program over members, without a store.
enum Roster: ListProgram {
  static let name = "roster"
  static let abstract = "Members."
  static let nouns = (one: "member", many: "members")
  static let columns = ["name", "age"]
  static let examples = ProgramExamples(
    condition: "age >= 18",
    sort: "-age,name",
    assignments: "name=Ann age=41",
    change: "age=42",
    file: "members.csv"
  )
  static let entity = Member.entity
  static let transients = [
    TransientAttribute("initial", .text) { .text(String(($0.values[0].text ?? "").prefix(1))) }
  ]

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    ResultsDefinition(
      FetchRequest(entity: entity, sortedBy: [.ascending("name")]),
      cacheName: "roster"
    )
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
