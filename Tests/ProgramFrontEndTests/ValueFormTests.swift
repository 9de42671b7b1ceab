import ResultsDomain
import Testing

@testable import ProgramFrontEnd

/// Values parsed and formatted strictly, in the forms of a locale.
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
  func `an amount is parsed in the form of the locale`(
    _ locale: String?,
    _ text: String,
    _ units: Int64
  )
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
  func `an amount that is not well formed is refused`(_ locale: String?, _ text: String) throws {
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
  func `an amount is formatted in the form of the locale and parsed again`(
    _ locale: String?,
    _ text: String
  ) throws {
    let fee = try attribute("fee")
    #expect(ValueFormatter(for: .of(locale)).text(.integer(-123_450), of: fee.type) == text)
    #expect(try ValueParser(.of(locale)).value(text, of: fee) == .integer(-123_450))
    #expect(ValueFormatter(for: nil).text(.integer(-123_450), of: fee.type) == "-1234.50")
  }

  @Test func `a date is formatted for people and for machines`() throws {
    let since = try attribute("since")
    let value = try ValueParser(.machine).value("2026-11-03T09:05:00Z", of: since)
    #expect(ValueFormatter(for: nil).text(value, of: since.type) == "2026-11-03T09:05:00Z")
    #expect(ValueFormatter(for: .of(nil)).text(value, of: since.type) == "2026-11-03 09:05:00")
    #expect(ValueFormatter(for: .of("ja_JP")).text(value, of: since.type) == "2026/11/3 9:05")
    #expect(ValueFormatter(for: .of("ja_JP")).text(.null, of: since.type) == "")
  }

  @Test(arguments: [("infinity", Int64.max), ("-infinity", .min)])
  func `R263: an infinite date is a word in every locale, and read again`(
    text: String,
    microseconds: Int64
  ) throws {
    let since = try attribute("since")
    for locale in [nil, "ja_JP"] as [String?] {
      let shown = ValueFormatter(for: .of(locale)).text(.integer(microseconds), of: since.type)
      #expect(shown == text)
      #expect(try ValueParser(.of(locale)).value(text, of: since) == .integer(microseconds))
    }
    #expect(ValueFormatter(for: nil).text(.integer(microseconds), of: since.type) == text)
  }

  @Test func `an error names the field's position, and typed values are used as they are`() throws {
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
    // A JSON number for an amount or a text has its plain meaning.
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

  @Test func `a key is parsed as the list shows it, or as an object's URI`() throws {
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

@Suite struct AssignmentsTests {
  private func row(_ words: String...) throws -> [Value] {
    var row = Array(repeating: Value.null, count: Member.entity.attributes.count)
    try Assignments(words, of: Member.entity, for: .machine).apply(to: &row)
    return row
  }

  @Test func `values are assigned to their attributes, in any order`() throws {
    let row = try row("age=41", "name=ann", "fee=12.50", "isActive=true", "since=1970-01-01")
    #expect(row[0] == .text("ann"))
    #expect(row[1] == .integer(41))
    #expect(row[2] == .integer(1250))
    #expect(row[3].integer.flatMap { Instant(microseconds: $0).wholeDay } == 0)
    #expect(row[4] == .integer(1))
    #expect(row[5] == .null)
  }

  @Test func `a value may contain anything, even a combining mark at its start`() throws {
    #expect(try row("name=a=b")[0] == .text("a=b"))
    #expect(try row("name=")[0] == .text(""))
    #expect(try row("name=\u{301}x")[0] == .text("\u{301}x"))
    #expect(try row("email=NULL")[5] == .null)
    #expect(try row("email=null")[5] == .text("null"))
  }

  @Test func `a key can be given`() throws {
    let assignments = try Assignments(["id=7", "name=a"], of: Member.entity, for: .machine)
    #expect(assignments.key == .integer(7))
  }

  @Test(arguments: [
    ("name", Status.usage, "ATTRIBUTE=VALUE"), ("naem=a", .usage, "Did you mean “name”?"),
    ("colour=a", .usage, "not an attribute of Member"), ("age=x", .badData, "age: must be"),
    ("age=70000", .badData, "whole number"), ("fee=1.234", .badData, "fee: "),
    ("since=2026-02-30", .badData, "since: "), ("isActive=maybe", .badData, "true or false"),
    ("id=x", .usage, "not an id of Member"),
  ])
  func `an invalid argument is refused with a remedy`(
    _ word: String,
    _ status: Status,
    _ words: String
  ) throws {
    let failure = try #require(throws: CommandFailure.self) { try row(word) }
    #expect(failure.status == status)
    #expect(failure.message.contains(words) || failure.remedy.contains(words), "\(failure)")
    #expect(!failure.remedy.isEmpty)
  }

  @Test func `an attribute can be given only once`() throws {
    let failure = try #require(throws: CommandFailure.self) { try row("name=a", "name=b") }
    #expect(failure.status == .usage)
  }
}

/// The version of an object's values, and the refusal of an edit that is based on an older one.
@Suite struct RowVersionTests {
  private let id = ObjectID(entity: "Member", key: .integer(1))

  private func row(_ values: Value...) -> Row {
    let rest = Member.entity.attributes.count - values.count
    return Row(entity: Member.entity, id: id, values: values + Array(repeating: .null, count: rest))
  }

  @Test func `equal values have equal versions, and different values different ones`() {
    let versions = [
      row("A"), row("B"), row("A", 1), row("A", .null, 1), row(.null, "A"), row(""), row(),
    ].map(RowVersion.init)
    #expect(Set(versions).count == versions.count)
    #expect(RowVersion(of: row("A", 1)) == RowVersion(of: row("A", 1)))
    #expect(RowVersion(of: row("か\u{3099}")) != RowVersion(of: row("が")))
  }

  @Test func `a version is parsed as it is printed, in every process`() {
    let version = RowVersion(of: row("A", 1))
    #expect(version.description == "3a24af9646cec247")
    #expect(RowVersion(version.description) == version)
  }

  @Test(arguments: [
    "", "1", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0x23456789abcdef",
    "+123456789abcdef", "０123456789abcde",
  ])
  func `any other text is not a version`(_ text: String) {
    #expect(RowVersion(text) == nil)
  }

  @Test func `a conflict names both versions, attribute by attribute`() throws {
    let error = StoreError.conflict(id, expected: row("A", 30, 250), stored: row("B", 30))
    let failure = CommandFailure(describing: error)
    #expect(failure.status == .temporary)
    #expect(failure.message.contains("name is “B”, and was “A”"))
    #expect(failure.message.contains("fee is nothing, and was “2.50”"))
    #expect(!failure.message.contains("age"))
    let long = StoreError.conflict(
      id,
      expected: row(.text(String(repeating: "x", count: 5000))),
      stored: row("B")
    )
    #expect(long.description.utf8.count < 400)
  }
}

/// R211: blobs in lists for people.
@Suite("Blobs in a list")
struct BlobTextTests {
  @Test(arguments: [
    (0, "⟨0 bytes⟩"), (1, "⟨1 byte⟩"), (999, "⟨999 bytes⟩"), (1000, "⟨1 KB⟩"), (12_345, "⟨12 KB⟩"),
    (999_499, "⟨999 KB⟩"), (999_500, "⟨1 MB⟩"), (30_000_000, "⟨30 MB⟩"),
  ])
  func `R211: people see the size of a blob, and machines its bytes`(_ count: Int, _ text: String) {
    let blob = Value.blob(Array(repeating: 0, count: count))
    #expect(ValueFormatter(for: .machine).text(blob, of: .blob) == text)
    guard count < 4 else { return }
    let machine = ValueFormatter(for: nil).text(blob, of: .blob)
    #expect(machine == AttributeType.blob.machineText(of: blob))
  }
}
