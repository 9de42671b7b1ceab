import ResultsDomain
import ResultsPresentation
import StudentRoster
import Testing

/// One definition three times: as options of a program, as a definition of a controller, and naively.
struct TortureView: Sendable {
  let name: String
  /// The options of `list` and `watch`.
  let options: [String]
  /// What a controller in the test's own process is given.
  let definition: ResultsDefinition<Row>
  /// Whether no pair can be half inside and half outside.
  let holdsPairs: Bool
  /// What the rows of the table should look like.
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

  /// What the program shows unless told otherwise: at most two hundred, in sections.
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

  /// A window that begins behind the second row.
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
