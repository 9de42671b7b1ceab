import ProgramFrontEnd
import ResultsDomain
import ResultsPresentation
import Testing

@testable import CommandLineFrontEnd

/// Every error of a command has one documented status, a cause and a remedy.
@Suite struct CommandFailureTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let error: any Error
    let status: Status
    var testDescription: String { "\(error)" }

    init(_ error: any Error, _ status: Status) {
      self.error = error
      self.status = status
    }
  }

  private static let id = ObjectID(entity: "Member", key: .integer(1))
  private static let row = Row(
    entity: Member.entity,
    id: id,
    values: Array(repeating: .null, count: Member.entity.attributes.count)
  )

  private static func open(_ failure: OpenFailure) -> StoreError {
    .cannotOpen(path: "x.sqlite", failure)
  }

  private static let table = [
    Case(open(.isDirectory), .missingInput), Case(open(.missingFile), .missingInput),
    Case(open(.noPermission(detail: "d")), .missingInput),
    Case(open(.missingFolder("f")), .cannotCreate),
    Case(open(.cannotCreate(detail: "d")), .cannotCreate), Case(open(.notADatabase), .badData),
    Case(open(.damaged(detail: "d")), .badData),
    Case(open(.newerFormat(found: 9, supported: 1)), .badData),
    Case(open(.otherApplication(tables: ["t"])), .badData),
    Case(open(.schemaMismatch(entity: "e", detail: "d")), .badData),
    Case(open(.modelMismatch(detail: "d")), .configuration),
    Case(StoreError.readOnly(path: "x"), .cannotCreate),
    Case(StoreError.busy(path: "x", waited: .seconds(1)), .temporary),
    Case(StoreError.conflict(id, expected: row, stored: row), .temporary),
    Case(StoreError.diskFull(path: "x"), .inputOutput),
    Case(StoreError.inputOutput(path: "x", detail: "d"), .inputOutput),
    Case(StoreError.damaged(path: "x", detail: "d"), .badData),
    Case(StoreError.invalid([.invalidKey(entity: "e")]), .badData),
    Case(StoreError.alreadyExists(id), .badData),
    Case(StoreError.unexpectedValue(id, what: "w"), .badData),
    Case(StoreError.request(.missingOrder(entity: "e")), .usage),
    Case(RequestError.missingOrder(entity: "e"), .usage),
    Case(RequestError.duplicateIdentity(id, first: 0, second: 1), .badData),
    Case(StoreError.notFound(id), .nothingMatched), Case(StoreError.closed(path: "x"), .software),
    Case(StoreError.unknownEntity("e", known: []), .software),
    Case(StoreError.historyLost(entity: "E", .trimmed), .temporary),
    Case(StoreError.unexpected(path: "x", detail: "d"), .software),
    Case(ResultsError.noRow(at: RowPath(section: 0, row: 0), sections: 0), .nothingMatched),
    Case(ResultsError.rowGone(id), .nothingMatched), Case(ResultsError.notFetched, .software),
    Case(ResultsError.store(.busy(path: "x", waited: .seconds(1))), .temporary),
    Case(StoreError.aborted(by: CommandFailure(.badData, "m")), .badData),
    Case(StoreError.aborted(by: StoreError.diskFull(path: "x")), .inputOutput),
    Case(CommandFailure(.usage, "m"), .usage),
  ]

  @Test(arguments: table) func `an error has its status and a message`(_ test: Case) throws {
    let failure = try #require(CommandFailure(test.error))
    #expect(failure.status == test.status)
    #expect(!failure.message.isEmpty)
    #expect(!failure.message.contains("ResultsDomain."), "the message is for people")
  }

  @Test func `an unexpected error is an error of the program`() throws {
    struct Surprise: Error {}
    let failure = try #require(CommandFailure(Surprise()))
    #expect(failure.status == .software)
    #expect(failure.remedy == "Please report this.")
  }

  @Test func `an error in a predicate is shown with its position`() throws {
    let error = try #require(throws: PredicateParseError.self) {
      try FetchPredicate(parsing: "agee > 3", entity: Member.entity)
    }
    let failure = try #require(CommandFailure(error))
    #expect(failure.status == .usage)
    #expect(failure.message.hasPrefix("--where: column 1: "))
    #expect(failure.remedy.contains("age"))
    #expect(failure.picture == error.excerpt)
  }

  @Test func `the statuses have their documented numbers`() {
    let numbers: [Status: Int32] = [
      .success: 0, .nothingMatched: 1, .usage: 64, .badData: 65, .missingInput: 66,
      .unavailable: 69, .software: 70, .cannotCreate: 73, .inputOutput: 74, .temporary: 75,
      .configuration: 78, .interrupted: 130, .brokenPipe: 141,
    ]
    for (status, number) in numbers { #expect(status.rawValue == number) }
  }
}
