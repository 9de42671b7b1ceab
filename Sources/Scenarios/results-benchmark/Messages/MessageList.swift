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
