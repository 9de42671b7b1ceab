import ResultsDomain
import Testing

@testable import CommandLineFrontEnd

@Suite struct AssignmentsTests {
  private func row(_ words: String...) throws -> [Value] {
    var row = Array(repeating: Value.null, count: Member.entity.attributes.count)
    try Assignments(words, of: Member.entity, for: .machine).apply(to: &row)
    return row
  }

  @Test func `values go to their attributes, in any order`() throws {
    let row = try row("age=41", "name=ann", "fee=12.50", "isActive=true", "since=1970-01-01")
    #expect(row[0] == .text("ann"))
    #expect(row[1] == .integer(41))
    #expect(row[2] == .integer(1250))
    #expect(row[3].integer.flatMap { Instant(microseconds: $0).wholeDay } == 0)
    #expect(row[4] == .integer(1))
    #expect(row[5] == .null)
  }

  @Test func `a value may hold anything, also what begins with a mark`() throws {
    #expect(try row("name=a=b")[0] == .text("a=b"))
    #expect(try row("name=")[0] == .text(""))
    #expect(try row("name=\u{301}x")[0] == .text("\u{301}x"))
    #expect(try row("email=NULL")[5] == .null)
    #expect(try row("email=null")[5] == .text("null"))
  }

  @Test func `a key may be given`() throws {
    let assignments = try Assignments(["id=7", "name=a"], of: Member.entity, for: .machine)
    #expect(assignments.key == .integer(7))
  }

  @Test(arguments: [
    ("name", Status.usage, "ATTRIBUTE=VALUE"), ("naem=a", .usage, "Did you mean “name”?"),
    ("colour=a", .usage, "not an attribute of Member"), ("age=x", .badData, "age: must be"),
    ("age=70000", .badData, "whole number"), ("fee=1.234", .badData, "fee: "),
    ("since=2026-02-30", .badData, "since: "), ("isActive=maybe", .badData, "true or false"),
    ("id=x", .usage, "not a key of Member"),
  ])
  func `a word that is not understood is refused with a remedy`(
    _ word: String,
    _ status: Status,
    _ words: String
  ) throws {
    let failure = try #require(throws: CommandFailure.self) { try row(word) }
    #expect(failure.status == status)
    #expect(failure.message.contains(words) || failure.remedy.contains(words), "\(failure)")
    #expect(!failure.remedy.isEmpty)
  }

  @Test func `an attribute is given once`() throws {
    let failure = try #require(throws: CommandFailure.self) { try row("name=a", "name=b") }
    #expect(failure.status == .usage)
  }
}
