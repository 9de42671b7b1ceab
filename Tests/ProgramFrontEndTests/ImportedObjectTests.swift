import ResultsDomain
import Testing

@testable import ProgramFrontEnd

@Suite struct ImportedObjectTests {
  private func object(
    _ fields: [(String, Value)],
    identifiedBy identifier: String? = nil
  ) throws(RecordError) -> ImportedObject {
    let record = Record(
      line: 4,
      fields: fields.enumerated().map {
        RecordField(name: $1.0, value: $1.1, column: $0 * 10 + 1)
      }
    )
    return try ImportedObject(
      record,
      of: Member.entity,
      aliases: ["mail": "email"],
      identifiedBy: identifier,
      for: .machine
    )
  }

  @Test func `fields are matched by name in any letter case, or by an alias`() throws {
    let made = try object([
      ("NAME", .text("ann")), ("Mail", .text("a@b")), ("unknown", .text("x")), ("id", .integer(9)),
    ])
    #expect(made.values[0] == .text("ann"))
    #expect(made.values[5] == .text("a@b"))
    // A key assigned by another store is not used.
    #expect(made.key == nil)
    #expect(made.unusedColumns == ["unknown", "id"])
    #expect(made.identifier == nil)
  }

  @Test func `of two fields for one attribute the first with a value counts`() throws {
    let made = try object([
      ("name", .text("a")), ("email", .text("")), ("mail", .text("m")), ("EMAIL", .text("n")),
    ])
    #expect(made.values[5] == .text("m"))
    #expect(made.unusedColumns == ["EMAIL"])
  }

  @Test func `an empty text is a value for a required attribute, and null for an optional one`()
    throws
  {
    let made = try object([("name", .text("")), ("email", .text("")), ("age", .text(""))])
    #expect(made.values[0] == .text(""))
    #expect(made.values[5] == .null)
    #expect(made.values[1] == .null)
  }

  @Test func `an object is recognised by its identifier, if it has one`() throws {
    let known = try object([("name", .text("a")), ("mail", .text("m"))], identifiedBy: "email")
    #expect(known.identifier == .text("m"))
    #expect(try object([("name", .text("a"))], identifiedBy: "email").identifier == nil)
  }

  @Test func `a missing or invalid value is reported with its position`() throws {
    let missing = try #require(throws: RecordError.self) { try object([("age", .integer(4))]) }
    #expect(missing.line == 4 && missing.column == nil)
    #expect(missing.message.contains("there is no name column"))
    let null = try #require(throws: RecordError.self) { try object([("name", .null)]) }
    #expect(null.message.contains("name is missing") && null.column == 1)
    let wrong = try #require(throws: RecordError.self) {
      try object([("name", .text("a")), ("age", .text("x"))])
    }
    #expect(wrong.line == 4 && wrong.column == 11)
    #expect(wrong.isRecoverable)
  }
}
