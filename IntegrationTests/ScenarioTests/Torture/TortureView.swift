import ResultsDomain
import ResultsPresentation
import WireFormat
import StudentRoster
import Testing

/// One list in three forms: options of a program, a definition for a controller, and a naive implementation.
struct TortureView: Sendable {
  let name: String
  /// The options of `list` and `watch`.
  let options: [String]
  /// The definition for a controller in the test process.
  let definition: ResultsDefinition<Row>
  /// Whether the list has both rows of a pair or none.
  let holdsPairs: Bool
  /// The expected rows for the rows of the table.
  private let naive: @Sendable ([TortureRow]) -> [TortureRow]

  /// The list of these rows.
  func list(of rows: [TortureRow]) -> TortureList {
    let shown = naive(rows)
    guard definition.sectionKey != nil else { return TortureList([.init(age: nil, rows: shown)]) }
    let ages = shown.map(\.age)
    return TortureList(
      ages.enumerated().filter { $0.offset == 0 || ages[$0.offset - 1] != $0.element }
        .map { _, age in .init(age: age, rows: shown.filter { $0.age == age }) }
    )
  }

  static let all = [wholeRoster, plainRoster, window, young]

  /// Everything, in sections.
  static let wholeRoster = TortureView(
    name: "whole",
    options: ["--limit", "1000000"],
    definition: ResultsDefinition(
      request([.ascending("studentId")], limit: 1_000_000),
      sectionedBy: StudentRoster.sectionKey
    ),
    holdsPairs: true
  ) { rows in
    rows.sorted { ($0.age, $0.number, $0.id) < ($1.age, $1.number, $1.id) }
  }

  /// The default list of the program: at most two hundred rows, in sections.
  static let plainRoster = TortureView(
    name: "plain",
    options: [],
    definition: ResultsDefinition(
      StudentRoster.request(Row.self),
      sectionedBy: StudentRoster.sectionKey
    ),
    holdsPairs: false
  ) { rows in
    Array(rows.sorted { ($0.age, $0.number, $0.id) < ($1.age, $1.number, $1.id) }.prefix(200))
  }

  /// A window that begins after the second row.
  static let window = TortureView(
    name: "window",
    options: ["--section-by", "none", "--sort", "-studentId", "--limit", "20", "--offset", "2"],
    definition: ResultsDefinition(request([.descending("studentId")], limit: 20, offset: 2)),
    holdsPairs: false
  ) { rows in
    Array(rows.sorted { (-$0.number, $0.id) < (-$1.number, $1.id) }.dropFirst(2).prefix(20))
  }

  /// Some of the rows, by name.
  static let young = TortureView(
    name: "young",
    options: [
      "--section-by", "none", "--sort", "studentName", "--where", "studentAge < 15", "--limit",
      "1000000",
    ],
    definition: ResultsDefinition(
      request(
        [.ascending("studentName")],
        where: .comparison(.attribute("studentAge"), .less, .literal(.integer(15))),
        limit: 1_000_000
      )
    ),
    holdsPairs: true
  ) { rows in
    // All names are ASCII, so the order of texts is that of their bytes.
    rows.filter { $0.age < 15 }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  private init(
    name: String,
    options: [String],
    definition: ResultsDefinition<Row>,
    holdsPairs: Bool,
    naive: @escaping @Sendable ([TortureRow]) -> [TortureRow]
  ) {
    self.name = name
    self.options = options
    self.definition = definition
    self.holdsPairs = holdsPairs
    self.naive = naive
  }

  private static func request(
    _ order: [FetchSortDescriptor],
    where predicate: FetchPredicate = .all,
    limit: Int,
    offset: Int = 0
  ) -> FetchRequest<Row> {
    FetchRequest(
      entity: Student.entity,
      where: predicate,
      sortedBy: order,
      fetchLimit: limit,
      fetchOffset: offset
    )
  }
}

/// A row of the table, as a list or the table has it.
struct TortureRow: Hashable, Sendable {
  let id: Int
  let number: Int
  let name: String
  let age: Int

  /// A row, `id|studentId|studentName|studentAge`, as the SQLite shell prints it; `nil` for another line.
  init?(_ line: Substring) {
    let parts = line.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 4, let id = Int(parts[0]), let number = Int(parts[1]),
      let age = Int(parts[3])
    else { return nil }
    (self.id, self.number, self.name, self.age) = (id, number, String(parts[2]), age)
  }

  /// A row of the wire form; `nil` for another value.
  init?(_ json: JSONValue) {
    guard let id = json["id"]?.integer, let number = json["studentId"]?.integer,
      let name = json["studentName"]?.string, let age = json["studentAge"]?.integer
    else { return nil }
    (self.id, self.number, self.name, self.age) = (id, number, name, age)
  }
}

/// A list as sections of rows; lists of one definition are compared in this form.
struct TortureList: Hashable, Sendable {
  struct Section: Hashable, Sendable {
    let age: Int?
    let rows: [TortureRow]
  }

  var sections: [Section]

  init(_ sections: [Section]) { self.sections = sections }

  /// The list after replaying lines.
  init(_ replay: WireReplay) throws(Torn) {
    sections = []
    for section in replay.list?.sections ?? [] {
      var rows: [TortureRow] = []
      rows.reserveCapacity(section.rows.count)
      for json in section.rows {
        guard let row = TortureRow(json) else { throw Torn(what: "a row is \(json.text)") }
        rows.append(row)
      }
      sections.append(Section(age: section.id.integer, rows: rows))
    }
  }

  /// The first difference of two lists, for a message.
  func difference(from other: TortureList) -> String {
    for (index, (mine, theirs)) in zip(sections, other.sections).enumerated() where mine != theirs {
      guard mine.age == theirs.age else {
        return "section \(index): \(mine.age ?? -1), not \(theirs.age ?? -1)"
      }
      for (row, pair) in zip(mine.rows, theirs.rows).enumerated() where pair.0 != pair.1 {
        return "row \(index).\(row): \(pair.0), not \(pair.1)"
      }
      return "section \(index): \(mine.rows.count) rows, not \(theirs.rows.count)"
    }
    return "\(sections.count) sections, not \(other.sections.count)"
  }
}

/// The error for a state that was never committed.
struct Torn: Error, CustomStringConvertible {
  let what: String
  var description: String { what }
}
