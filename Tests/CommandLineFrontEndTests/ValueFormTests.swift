import ResultsDomain
import Testing

@testable import CommandLineFrontEnd

/// Values read from people and written for them: strictly, in the reader's forms.
@Suite struct ValueFormTests {
  private let entity = Member.entity

  private func attribute(_ name: String) throws -> AttributeDescription {
    try #require(entity.attribute(named: name))
  }

  @Test(
    arguments: [
      (nil, "3480", 348_000), ("ja_JP", "3,480", 348_000), ("de_DE", "3.480,5", 348_050),
      ("en_US", "-0.05", -5), ("en_US", "1,234.5", 123_450),
    ] as [(String?, String, Int64)]
  )
  func `an amount is read in the reader's form`(_ locale: String?, _ text: String, _ units: Int64)
    throws
  {
    let parser = ValueParser(.of(locale))
    #expect(try parser.value(text, of: attribute("fee")) == .integer(units))
  }

  @Test(
    arguments: [
      (nil, "3,480"), ("ja_JP", "3,48"), ("en_US", "1.234,5"), ("de_DE", "¥1"), ("en_US", "1234."),
      ("en_US", ""), ("en_US", "1e3"), ("en_US", "12.345"), ("en_US", "99999999999999999999"),
    ] as [(String?, String)]
  )
  func `an amount that is not quite one is refused`(_ locale: String?, _ text: String) throws {
    let failure = try #require(throws: CommandFailure.self) {
      try ValueParser(.of(locale)).value(text, of: attribute("fee"))
    }
    #expect(failure.status == .badData)
    #expect(failure.message.hasPrefix("fee: "))
  }

  @Test(
    arguments: [
      (nil, "-1234.50"), ("en_US", "-1,234.50"), ("de_DE", "-1.234,50"), ("ja_JP", "-1,234.50"),
    ] as [(String?, String)]
  )
  func `an amount is written in the reader's form and read again`(
    _ locale: String?,
    _ text: String
  ) throws {
    let fee = try attribute("fee")
    #expect(ValueFormatter(for: .of(locale)).text(.integer(-123_450), of: fee.type) == text)
    #expect(try ValueParser(.of(locale)).value(text, of: fee) == .integer(-123_450))
    #expect(ValueFormatter(for: nil).text(.integer(-123_450), of: fee.type) == "-1234.50")
  }

  @Test func `a date is written for people and for machines`() throws {
    let since = try attribute("since")
    let value = try ValueParser(.machine).value("2026-11-03T09:05:00Z", of: since)
    #expect(ValueFormatter(for: nil).text(value, of: since.type) == "2026-11-03T09:05:00Z")
    #expect(ValueFormatter(for: .of(nil)).text(value, of: since.type) == "2026-11-03 09:05:00")
    #expect(ValueFormatter(for: .of("ja_JP")).text(value, of: since.type) == "2026/11/3 9:05")
    #expect(ValueFormatter(for: .of("ja_JP")).text(.null, of: since.type) == "")
  }

  @Test func `a field of a file is placed, and typed values are taken as they are`() throws {
    let parser = ValueParser(.machine)
    let age = try attribute("age")
    let number = RecordField(name: "age", value: .integer(41), column: 5)
    #expect(try parser.value(number, of: age, line: 3) == .integer(41))
    let null = RecordField(name: "age", value: .null, column: 5)
    #expect(try parser.value(null, of: age, line: 3) == .null)
    let real = RecordField(name: "age", value: .real(1.5), column: 5)
    let error = try #require(throws: RecordError.self) {
      try parser.value(real, of: age, line: 3)
    }
    #expect(error.line == 3 && error.column == 5 && error.isRecoverable)
    // A JSON number for an amount or a text is what it says.
    let fee = RecordField(name: "fee", value: .real(12.5), column: 1)
    #expect(try parser.value(fee, of: attribute("fee"), line: 1) == .integer(1250))
    let whole = RecordField(name: "fee", value: .integer(12), column: 1)
    #expect(try parser.value(whole, of: attribute("fee"), line: 1) == .integer(1200))
    let german = ValueParser(.of("de_DE"))
    #expect(try german.value(fee, of: attribute("fee"), line: 1) == .integer(1250))
    let epoch = RecordField(name: "since", value: .integer(1_762_128_000), column: 9)
    let refused = #expect(throws: RecordError.self) {
      try parser.value(epoch, of: attribute("since"), line: 1)
    }
    #expect(refused?.message == "since must be a date, not the number 1762128000.")
    let name = RecordField(name: "name", value: .integer(7), column: 1)
    #expect(try parser.value(name, of: attribute("name"), line: 1) == .text("7"))
  }

  @Test func `a key is typed as the list shows it, or as an object's address`() throws {
    #expect(try ObjectKey(typed: "42", of: entity) == .integer(42))
    let id = ObjectID(entity: "Member", key: .integer(42))
    #expect(try ObjectKey(typed: id.uri, of: entity) == .integer(42))
    for text in ["", "x", "1,2", "4.2"] {
      let failure = try #require(throws: CommandFailure.self) {
        try ObjectKey(typed: text, of: entity)
      }
      #expect(failure.status == .usage)
    }
  }
}
