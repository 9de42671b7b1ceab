import ResultsDomain
import Testing

@testable import CommandLineFrontEnd

@Suite struct TimeSpanTests {
  @Test(arguments: [
    ("500ms", 500), ("2s", 2000), ("1.5s", 1500), ("1m", 60_000), ("2h", 7_200_000), ("3", 3000),
    ("0", 0), ("0.25", 250),
  ])
  func `a length of time is read`(_ text: String, _ milliseconds: Int) throws {
    #expect(try #require(TimeSpan(argument: text)).duration == .milliseconds(milliseconds))
  }

  @Test(arguments: [
    "", "s", "ms", "-1s", "+1s", "1 s", "1x", "1e99h", "nan", "infs", "0x10s", "１s", ".5s", "1ss",
  ])
  func `what is no length of time is refused`(_ text: String) {
    #expect(TimeSpan(argument: text) == nil)
  }
}

@Suite struct EditDistanceTests {
  @Test(arguments: [
    ("", "", 0), ("list", "list", 0), ("lst", "list", 1), ("", "abc", 3), ("kitten", "sitting", 3),
    ("ab", "ba", 2), ("岩波", "岩", 1),
  ])
  func `it counts the edits, both ways`(_ left: String, _ right: String, _ distance: Int) {
    #expect(EditDistance.between(left, right) == distance)
    #expect(EditDistance.between(right, left) == distance)
  }
}

@Suite struct ExportFormatTests {
  @Test func `a file's name tells its form`() throws {
    #expect(try ExportFormatOption(ofFile: "a.csv") == .csv)
    #expect(try ExportFormatOption(ofFile: "a/b.TSV") == .tsv)
    #expect(try ExportFormatOption(ofFile: "a.b.ndjson") == .jsonl)
    for name in ["-", "a", "a.d/b", "", "csv", "csv.", ".", "...", ".hidden", "/dev/stdout"] {
      #expect(try ExportFormatOption(ofFile: name) == .jsonl)
    }
  }

  @Test(arguments: ["a.xlsx", "a.txt", "a.json", ".a.csv.gz"])
  func `a file of a form that there is not is refused, not filled with another`(_ name: String)
    throws
  {
    let failure = try #require(throws: CommandFailure.self) { try ExportFormatOption(ofFile: name) }
    #expect(failure.status == .usage && failure.remedy.contains(".csv"))
  }
}

@Suite struct ListColumnTests {
  private let row = Row(
    entity: Member.entity,
    id: ObjectID(entity: "Member", key: .integer(3)),
    values: [.text("ann"), .integer(41), .integer(1250), .integer(0), .integer(1), .null]
  )

  @Test func `machine values keep their kinds, and dates and amounts are texts`() {
    let columns = Member.entity.attributes.enumerated().map { ListColumn.attribute($0, $1) }
    #expect(
      columns.map { $0.value(row) } == [
        .text("ann"), .integer(41), .text("12.50"), .text("1970-01-01T00:00:00Z"), .text("true"),
        .null,
      ]
    )
    #expect(ListColumn.key.value(row) == .integer(3))
  }

  @Test func `a computed column is computed, and the key has its name`() {
    let columns = [ListColumn.key] + Roster.transients.map { ListColumn.transient($0) }
    #expect(columns.map(\.title) == ["id", "initial"])
    #expect(columns.map(\.nameBesideKey) == [nil, "initial"])
    #expect(columns[1].text(row, ValueFormatter(for: nil)) == "a")
  }

  @Test func `a key that the writer chooses is exported`() {
    #expect(Roster.exportColumns.map(\.title) == Member.entity.attributes.map(\.name))
  }
}
