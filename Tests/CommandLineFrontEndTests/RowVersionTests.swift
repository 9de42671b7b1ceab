import ResultsDomain
import Testing

@testable import CommandLineFrontEnd

/// What stands for the values of an object, and what is said where they are no longer those of an edit.
@Suite struct RowVersionTests {
  private let id = ObjectID(entity: "Member", key: .integer(1))

  private func row(_ values: Value...) -> Row {
    let rest = Member.entity.attributes.count - values.count
    return Row(entity: Member.entity, id: id, values: values + Array(repeating: .null, count: rest))
  }

  @Test func `equal values have one version, and others another`() {
    let versions = [
      row("A"), row("B"), row("A", 1), row("A", .null, 1), row(.null, "A"), row(""), row(),
    ].map(RowVersion.init)
    #expect(Set(versions).count == versions.count)
    #expect(RowVersion(of: row("A", 1)) == RowVersion(of: row("A", 1)))
    #expect(RowVersion(of: row("か\u{3099}")) != RowVersion(of: row("が")))
  }

  @Test func `a version is read as it is written, in every process`() {
    let version = RowVersion(of: row("A", 1))
    #expect(version.description == "3a24af9646cec247")
    #expect(RowVersion(argument: version.description) == version)
  }

  @Test(arguments: [
    "", "1", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0x23456789abcdef",
    "+123456789abcdef", "０123456789abcde",
  ])
  func `anything else is no version`(_ text: String) {
    #expect(RowVersion(argument: text) == nil)
  }

  @Test func `a conflict names both versions, attribute by attribute`() throws {
    let error = StoreError.conflict(id, expected: row("A", 30, 250), stored: row("B", 30))
    let failure = try #require(CommandFailure(error))
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
