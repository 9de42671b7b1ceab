import ArgumentParser
import CommandLineFrontEnd
import NewsFeed
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd

/// `read`: an interactive reader, whose list of unread items stays as it is while you read.
struct ReadVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Read the unread items one by one.",
    discussion: FeedProgram.discussion(
      """
      Type a number to open an item, Enter to go back to the list, u to mark the opened item unread, r to refresh the \
      list, q to quit. An item that you have opened stays in the list until you refresh it.
      """,
      examples: "read"
    )
  )

  @OptionGroup var store: StoreOptions

  func run() async throws {
    let opened = try FeedProgram.openStore(try store.existingLocation(of: FeedProgram.self))
    // It blocks in `readLine` most of the time, so only closing the store can end it.
    let outcome = await InterruptibleWork.outcome(endingBy: { try? opened.close() }, within: 0) {
      var reader = try await LineReader(NewsFeed(FeedProgram.command("read items", in: opened)))
      try reader.showList()
      while let line = readLine() {
        guard try await reader.take(line.trimmed) else { break }
      }
    }
    try opened.close()
    try outcome.get()
  }
}

/// The state of the interactive reader, and its commands.
private struct LineReader {
  private let feed: NewsFeed
  private var list: FetchedResultsController<Item>
  private var opened: String?

  init(_ feed: NewsFeed) async throws {
    self.feed = feed
    list = try feed.frozenUnread()
    try await list.performFetch()
  }

  /// Executes the command of a line.
  /// - Returns: Whether to continue.
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
    let lines = try list.read { reading in
      var items = try reading.objects(at: 0..<reading.results.count).enumerated().makeIterator()
      return reading.results.sections.flatMap { section in
        [section.title]
          + (0..<section.count).compactMap { _ in
            items.next().map { "  \($1.isRead ? "○" : "●") \($0 + 1) \($1.title)" }
          }
      }
    }
    for line in lines { try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n") }
    let count = try list.results.count
    let items = count == 1 ? "1 item" : "\(count) items"
    try write("\(items). Type a number to open an item, r to refresh, q to quit.")
  }

  private mutating func back() async throws {
    opened = nil
    try await list.refresh()
    try showList()
  }

  private mutating func refresh() async throws {
    list.cancel()
    list = try feed.frozenUnread()
    try await list.performFetch()
    opened = nil
    try showList()
  }

  private mutating func markUnread() async throws {
    guard let guid = opened else { return try write("Open an item first.") }
    try feed.markUnread(guid)
    try write("Marked unread. Press Enter to go back.")
  }

  private mutating func open(_ text: String) async throws {
    let rows = try list.results.rows
    guard let number = Int(text), rows.indices.contains(number - 1),
      case .text(let guid) = rows[number - 1].objectID?.key
    else { return try write("There is no item \(text). Press Enter to see the list again.") }
    guard let item = try feed.open(guid) else {
      return try write("That item has been removed. Press Enter to see the list again.")
    }
    opened = guid
    try TerminalOutput.standard.write(ItemText.lines(of: item, in: try feed.title(of: item)))
    try write("Press Enter to go back, or type u to mark it unread.")
  }

  private func write(_ line: String) throws {
    try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n")
    try TerminalOutput.standard.flush()
  }
}

extension String {
  /// The text without white space at its ends.
  fileprivate var trimmed: String {
    let body = drop(while: \.isWhitespace)
    return String(body.reversed().drop(while: \.isWhitespace).reversed())
  }
}

/// The text of an item for a terminal.
enum ItemText {
  /// The title, feed, time, link and summary of an item; control characters are escaped.
  static func lines(of item: Item, in feed: String) -> String {
    var lines = [item.title, feed]
    if let date = item.published?.plainText ?? item.publishedText { lines.append(date) }
    if let link = item.link { lines.append(link) }
    var text = lines.map(SafeText.oneLine).joined(separator: "\n") + "\n"
    if let summary = item.summary { text += "\n" + SafeText.lines(summary) + "\n" }
    return text
  }
}
