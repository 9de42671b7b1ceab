import ArgumentParser
import CommandLineFrontEnd
import NewsFeed
import ProgramStores
import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// `read`: a reader of lines, whose list of unread items stays still while you read.
struct ReadVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Read the unread items one by one.",
    discussion: """
      A number opens an item, Enter goes back to the list, u marks the opened item unread, r fetches the list anew, \
      q leaves. An item that you have opened keeps its place until you fetch anew.
      """
  )

  @OptionGroup var store: StoreOptions

  func run() async throws {
    let opened = try FeedProgram.openStore(try store.place(of: FeedProgram.name))
    var reader = try await LineReader(NewsFeed(opened))
    try reader.showList()
    while let line = readLine() {
      guard try await reader.take(line.trimmed) else { break }
    }
    try opened.close()
  }
}

/// The six steps by hand: list, open, back, refresh, unread, leave.
private struct LineReader {
  private let feed: NewsFeed
  private var list: FetchedResultsController<Item>
  private var opened: String?

  init(_ feed: NewsFeed) async throws {
    self.feed = feed
    list = try feed.heldUnread()
    try await list.performFetch()
  }

  /// Does what a line says.
  /// - Returns: Whether to go on.
  mutating func take(_ line: String) async throws -> Bool {
    switch line {
    case "q": return false
    case "": try await back()
    case "r": try await refresh()
    case "u": try await markUnread()
    default: try await open(line)
    }
    return true
  }

  func showList() throws {
    let results = try list.results()
    var number = 0
    for section in results.sections {
      try write(section.title)
      for row in section.objects {
        number += 1
        let item = try row.get()
        try write("  \(item.isRead ? "○" : "●") \(number) \(item.title)")
      }
    }
    let unread = results.count == 1 ? "1 item" : "\(results.count) items"
    try write("\(unread). A number opens, r refreshes, q leaves.")
  }

  private mutating func back() async throws {
    opened = nil
    try await list.refresh()
    try showList()
  }

  private mutating func refresh() async throws {
    list.cancel()
    list = try feed.heldUnread()
    try await list.performFetch()
    opened = nil
    try showList()
  }

  private mutating func markUnread() async throws {
    guard let guid = opened else { return try write("Open an item first.") }
    try feed.markUnread(guid)
    try write("Marked unread. Enter goes back.")
  }

  private mutating func open(_ text: String) async throws {
    let rows = try list.results().fetchedObjects
    guard let number = Int(text), rows.indices.contains(number - 1),
      case .text(let guid) = rows[number - 1].id?.key
    else { return try write("“\(text)” is no number of the list. Enter shows it again.") }
    guard let item = try feed.open(guid) else {
      return try write("That item has been removed. Enter shows the list again.")
    }
    opened = guid
    try TerminalOutput.standard.write(ItemText.lines(of: item))
    try write("Enter goes back, u marks unread.")
  }

  private func write(_ line: String) throws {
    try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n")
    try TerminalOutput.standard.flush()
  }
}

extension String {
  /// The text without blanks at its ends.
  fileprivate var trimmed: String {
    let body = drop(while: \.isWhitespace)
    return String(body.reversed().drop(while: \.isWhitespace).reversed())
  }
}
