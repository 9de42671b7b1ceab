import ResultsDomain
import ResultsPresentation

/// One of the lists of messages that are measured, with the index that gives its order.
enum MessageList: String, CaseIterable, Sendable {
  /// By folder and date: a thousand sections.
  case folders
  /// By room and date: ten sections.
  case rooms
  /// By thread and date: a hundred thousand sections.
  case threads
  /// By subject, a text: no section.
  case subjects
  /// By a mark that nearly all rows have the same of: no section.
  case marks
  /// By subject, with a section for each first letter.
  case letters
  /// By date, with a section for each month.
  case months

  /// The columns of the order, without the key that ends it.
  var columns: [String] {
    switch self {
    case .folders: ["folder", "date"]
    case .rooms: ["room", "date"]
    case .threads: ["thread", "date"]
    case .subjects, .letters: ["subject"]
    case .marks: ["mark"]
    case .months: ["date"]
    }
  }

  /// The statement that makes the list's index.
  var index: String {
    let list = columns.joined(separator: ", ")
    return "CREATE INDEX IF NOT EXISTS \(indexName) ON Message (\(list))"
  }

  /// The index's name.
  var indexName: String { "by_" + columns.joined(separator: "_") }

  /// The statement that reads the list's keys in order from its index.
  var scan: String {
    let list = (columns + ["id"]).joined(separator: ", ")
    return "SELECT \(list) FROM Message ORDER BY \(list)"
  }

  /// How many of the columns are texts.
  var texts: Int32 { columns[0] == "subject" ? 1 : 0 }
  /// How many of the columns, the key with them, are integers.
  var integers: Int32 { Int32(columns.count) + 1 - texts }

  /// The statement that counts the list's sections.
  var groups: String {
    let expression =
      switch self {
      case .letters: "substr(subject, 1, 1)"
      case .months: "strftime('%Y-%m', date / 1000000, 'unixepoch')"
      case .folders, .rooms, .threads, .subjects, .marks: columns[0]
      }
    return "SELECT \(expression), count(*) FROM Message GROUP BY 1"
  }

  private var sectionKey: SectionKey? {
    switch self {
    case .folders, .rooms, .threads: .attribute(columns[0])
    case .letters: .transient(source: "subject", grouping: FirstLetters())
    case .months: .transient(source: "date", grouping: Months())
    case .subjects, .marks: nil
    }
  }

  /// What the list shows, kept under its own name where there is a storage.
  func definition<Object: FetchedObject>(
    of kind: Object.Type,
    limit: Int? = nil,
    isSectioned: Bool = true
  ) -> ResultsDefinition<Object> {
    ResultsDefinition(
      FetchRequest<Object>(
        entity: Message.entity,
        sortedBy: columns.map { .ascending($0) },
        fetchLimit: limit
      ),
      sectionedBy: isSectioned ? sectionKey : nil,
      cacheName: rawValue
    )
  }
}

// MARK: - Groupings

/// Texts gathered by their first letter, with the extent of each.
struct FirstLetters: SectionGrouping {
  var groupingIdentity: String { "first letter" }
  var titleIdentity: String { "plain" }

  func group(of value: Value) -> SectionGroup {
    guard case .text(let text) = value, let first = text.utf8.first, first < 0x7f else {
      return SectionGroup(id: .null)
    }
    let letter = Value.text(String(UnicodeScalar(first)))
    return SectionGroup(
      id: letter,
      first: letter,
      next: .text(String(UnicodeScalar(first + 1)))
    )
  }

  func title(of id: Value) -> String {
    if case .text(let letter) = id { letter } else { "" }
  }
}

/// Instants gathered by their month in UTC, with the extent of each month.
struct Months: SectionGrouping {
  var groupingIdentity: String { "month, UTC" }
  var titleIdentity: String { "plain" }

  func group(of value: Value) -> SectionGroup {
    guard case .integer(let microseconds) = value else { return SectionGroup(id: .null) }
    let month = Self.month(of: Self.quotient(microseconds, 86_400_000_000))
    return SectionGroup(
      id: .integer(month),
      first: .integer(Self.firstDay(of: month) * 86_400_000_000),
      next: .integer(Self.firstDay(of: month + 1) * 86_400_000_000)
    )
  }

  func title(of id: Value) -> String {
    guard case .integer(let month) = id else { return "" }
    return "\(1970 + Self.quotient(month, 12))-\(month - Self.quotient(month, 12) * 12 + 1)"
  }

  /// The month of a day, both counted from January 1st 1970.
  private static func month(of day: Int64) -> Int64 {
    // The mean length is never off by more than one month.
    var month = quotient(day * 4800, 146_097)
    while firstDay(of: month) > day { month -= 1 }
    while firstDay(of: month + 1) <= day { month += 1 }
    return month
  }

  /// The first day of a month (Howard Hinnant, "chrono-compatible low-level date algorithms", days_from_civil).
  private static func firstDay(of month: Int64) -> Int64 {
    let shifted = month - 2
    let year = 1970 + quotient(shifted, 12)
    let monthOfYear = shifted - quotient(shifted, 12) * 12
    let era = quotient(year, 400)
    let yearOfEra = year - era * 400
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * monthOfYear + 2) / 5
    return era * 146_097 + dayOfEra - 719_468
  }

  /// A quotient rounded down, also below zero.
  private static func quotient(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : -((-number - 1) / divisor) - 1
  }
}
