import FetchedResults

/// A measured list of messages, with the index for its order.
enum MessageList: String, CaseIterable, Sendable {
  /// By folder and date: a thousand sections.
  case folders
  /// By room and date: ten sections.
  case rooms
  /// By thread and date: a hundred thousand sections.
  case threads
  /// By subject, a text, without sections.
  case subjects
  /// By a mark that is equal in nearly all rows, without sections.
  case marks
  /// By subject, with a section for each first letter.
  case letters
  /// By date, with a section for each month.
  case months

  /// The columns of the order, without the key at its end.
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

  /// The statement that creates the index of the list.
  var index: String {
    let list = columns.joined(separator: ", ")
    return "CREATE INDEX IF NOT EXISTS \(indexName) ON Message (\(list))"
  }

  /// The name of the index.
  var indexName: String { "by_" + columns.joined(separator: "_") }

  /// The statement that reads the keys of the list in order from its index.
  var scan: String {
    let list = (columns + ["id"]).joined(separator: ", ")
    return "SELECT \(list) FROM Message ORDER BY \(list)"
  }

  /// The number of text columns.
  var texts: Int32 { columns[0] == "subject" ? 1 : 0 }
  /// The number of integer columns, including the key.
  var integers: Int32 { Int32(columns.count) + 1 - texts }

  /// The statement that counts the sections of the list.
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

  /// Returns the definition of the list, with a cache name of its own.
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

/// A grouping of texts by their first letter, which reports the range of each group.
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

/// A grouping of instants by their month in UTC, which reports the range of each group.
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

  /// Returns the month of a day, both counted from January 1st 1970.
  private static func month(of day: Int64) -> Int64 {
    // The estimate by the mean length is off by at most one month.
    var month = quotient(day * 4800, 146_097)
    while firstDay(of: month) > day { month -= 1 }
    while firstDay(of: month + 1) <= day { month += 1 }
    return month
  }

  /// Returns the first day of a month (Howard Hinnant, "chrono-compatible low-level date algorithms", days_from_civil).
  private static func firstDay(of month: Int64) -> Int64 {
    let shifted = month - 2
    let year = 1970 + quotient(shifted, 12)
    let monthOfYear = shifted - quotient(shifted, 12) * 12
    // The Gregorian calendar repeats every 400 years.
    let cycle = quotient(year, 400)
    let yearOfCycle = year - cycle * 400
    let dayOfCycle =
      yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + (153 * monthOfYear + 2) / 5
    return cycle * 146_097 + dayOfCycle - 719_468
  }

  /// Returns a quotient rounded down, also for negative numbers.
  private static func quotient(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : -((-number - 1) / divisor) - 1
  }
}
