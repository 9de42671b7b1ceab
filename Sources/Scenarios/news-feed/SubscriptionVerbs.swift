import ArgumentParser
import CommandLineFrontEnd
import FileFormats
import Foundation
import NewsFeed
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

extension NewsFeed {
  /// The feed that a text on the command line names.
  /// - Throws: `CommandFailure` if it names none or several, `StoreError`.
  func feed(named text: String) throws -> Feed {
    let found = try feeds(named: text)
    guard found.count < 2 else {
      let ids = found.compactMap { $0.id.map(String.init) }.joined(separator: ", ")
      throw CommandFailure(
        .usage,
        "\(found.count) feeds are called “\(text)”.",
        remedy: "Name one by its id: \(ids)."
      )
    }
    guard let feed = found.first else {
      throw CommandFailure(
        .nothingMatched,
        "There is no feed “\(text)”.",
        remedy: "Give the id, the title or the address, as 'news-feed feeds' shows them."
      )
    }
    return feed
  }
}

extension FeedAddress {
  /// The address of a text on the command line.
  static func typed(_ text: String) throws(CommandFailure) -> String {
    do throws(Refusal) {
      return try checked(text)
    } catch {
      switch error {
      case .notOfTheWeb:
        throw CommandFailure(
          .usage,
          "“\(withoutPassword(text))” is not an address of http or https.",
          remedy: "Give one such as https://lwn.net/headlines/rss."
        )
      case .password:
        throw CommandFailure(
          .usage,
          "\(withoutPassword(text)): the address has a password, which lists and exports would show.",
          remedy: "Put it into ~/.netrc: machine HOST login USER password PASSWORD."
        )
      }
    }
  }
}

/// `subscribe ADDRESS`: fetches a feed and adds it with its items.
struct SubscribeVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribe",
    abstract: "Add a feed, with the items that it has.",
    discussion: FeedProgram.discussion(
      """
      The feed is fetched at once, and not added if that fails. If the address is that of a web page, the feeds that it \
      names are shown. With --later the feed is added without being fetched, and 'refresh' fetches it. A feed of the same title whose items come from files gets the address, and keeps its items. \
      The password of a feed belongs into ~/.netrc, and not into the address.
      """,
      examples: "subscribe https://lwn.net/headlines/rss --folder linux",
      "subscribe https://lwn.net/headlines/rss --later"
    )
  )

  @Argument(help: "The address of an RSS or Atom feed; https:// may be left out.")
  var address: String
  @Option(help: "The folder that the feed is filed in.")
  var folder: String?
  @Flag(help: "Add the feed without fetching it.")
  var later = false
  @OptionGroup var store: StoreOptions

  func run() async throws {
    var subscription = Subscription(address: try FeedAddress.typed(address), folder: folder)
    guard !later else { return try subscribe(subscription) }
    let fetching = try WebFeeds(for: "subscribe", remedy: "With --later nothing is fetched yet.")
    let request = FeedRequest(id: 0, address: subscription.address)
    let work = Task { () -> FeedResponse? in
      for await response in fetching.fetch([request]) { return response }
      return nil
    }
    let outcome = await InterruptibleWork.outcome(endingBy: { work.cancel() }) { await work.value }
    guard let response = try outcome.get() else { return }
    if response.hasMoved, let moved = response.address.flatMap({ try? FeedAddress.checked($0) }) {
      subscription.address = moved
    }
    let document = try document(of: response)
    let opened = try FeedProgram.openStore(try store.location(of: FeedProgram.name))
    let command = FeedProgram.command("subscribed to \(subscription.address)", in: opened)
    let (feed, isNew, added) = try NewsFeed(command).subscribe(
      subscription,
      to: document,
      answering: response,
      at: .now
    )
    try opened.close()
    let items = added == 1 ? "1 new item" : "\(added) new items"
    let count = added == 1 ? "1 item" : "\(added) items"
    try print(
      isNew
        ? "subscribed to \(feed.title): \(count)"
        : "\(feed.title) is subscribed to already: \(items)"
    )
  }

  private func subscribe(_ subscription: Subscription) throws {
    let opened = try FeedProgram.openStore(try store.location(of: FeedProgram.name))
    let command = FeedProgram.command("subscribed to \(subscription.address)", in: opened)
    let (feed, isNew) = try NewsFeed(command).subscribe(subscription)
    try opened.close()
    try print(
      isNew
        ? "subscribed to \(feed.title); 'news-feed refresh' fetches it"
        : "\(feed.title) is subscribed to already"
    )
  }

  private func document(of response: FeedResponse) throws(CommandFailure) -> FeedDocument {
    let remedy = "Nothing was added. With --later the feed is added all the same."
    switch response.answer {
    case .content(let content):
      do throws(FeedDefect) {
        return try FeedFiles().document(content, from: response.address ?? "")
      } catch {
        let feeds = FeedDiscovery.addresses(in: content, at: response.address ?? "")
          .map(FeedAddress.withoutPassword)
        throw CommandFailure(
          .badData,
          "\(address): \(error.message).",
          remedy: feeds.isEmpty
            ? "Nothing was added."
            : "Nothing was added. Feeds of this page: \(feeds.joined(separator: ", "))."
        )
      }
    case .failed(let failure):
      throw CommandFailure(.unavailable, "\(address): \(failure).", remedy: remedy)
    case .gone:
      throw CommandFailure(.unavailable, "\(address): 410 Gone.", remedy: "Nothing was added.")
    case .unchanged: throw CommandFailure(.unavailable, "\(address): no content.", remedy: remedy)
    }
  }

  private func print(_ line: String) throws {
    try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n")
  }
}

/// `unsubscribe FEED`: removes a feed with its items.
struct UnsubscribeVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unsubscribe",
    abstract: "Remove a feed with its items.",
    discussion: FeedProgram.discussion(
      "With --keep-items the feed stays with its items, and is not fetched any more.",
      examples: "unsubscribe Notes",
      "unsubscribe https://lwn.net/headlines/rss --keep-items"
    )
  )

  @Argument(help: "The id, title or address, as 'news-feed feeds' shows them.")
  var feed: String
  @Flag(help: "Keep the items, and do not fetch the feed any more.")
  var keepItems = false
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let opened = try FeedProgram.openStore(try store.existingLocation(of: FeedProgram.self))
    let found = try NewsFeed(opened).feed(named: feed)
    let command = FeedProgram.command("unsubscribed from \(found.title)", in: opened)
    let count = try NewsFeed(command).unsubscribe(found.id ?? 0, keepingItems: keepItems)
    try opened.close()
    let items = count == 1 ? "1 item" : "\(count) items"
    let line = "unsubscribed from \(found.title): \(items) \(keepItems ? "kept" : "removed")"
    try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n")
  }
}

/// `opml`: exchanges subscriptions with other readers.
struct OPMLVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "opml",
    abstract: "Exchange lists of subscriptions with other feed readers.",
    discussion: FeedProgram.discussion(
      examples: "opml export feeds.opml",
      "opml import feeds.opml"
    ),
    subcommands: [OPMLExportVerb.self, OPMLImportVerb.self]
  )
}

/// `opml import FILE`: adds the feeds of a list.
struct OPMLImportVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add the feeds of an OPML file.",
    discussion: FeedProgram.discussion(
      "Feeds that are subscribed to already stay as they are. 'refresh' fetches the new ones.",
      examples: "opml import feeds.opml"
    )
  )

  @Argument(help: "An OPML file, or - for standard input.", completion: .file())
  var file: String
  @Flag(help: "Leave out feeds whose address is not valid, instead of refusing the file.")
  var skipBad = false
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let source = try RecordFile.read(path: file)
    let outlines = try OPML.outlines(source.bytes, source: source.source)
    var subscriptions: [Subscription] = []
    var skipped: [RecordError] = []
    for outline in outlines {
      do throws(FeedAddress.Refusal) {
        subscriptions.append(
          Subscription(
            address: try FeedAddress.checked(outline.address),
            title: outline.title,
            site: outline.site,
            folder: outline.folder
          )
        )
      } catch {
        let refused = RecordError(
          source: source.source,
          line: outline.line,
          message: "“\(FeedAddress.withoutPassword(outline.address))”: \(error.sentence).",
          remedy: "",
          isRecoverable: true
        )
        guard skipBad else {
          throw CommandFailure(
            .badData,
            refused.description,
            remedy: "Nothing was imported. Use --skip-bad to import the other feeds."
          )
        }
        skipped.append(refused)
      }
    }
    let opened = try FeedProgram.openStore(try store.location(of: FeedProgram.name))
    let command = FeedProgram.command(
      "imported \(file == "-" ? "standard input" : file)",
      in: opened
    )
    let count = try NewsFeed(command).subscribe(subscriptions)
    try opened.close()
    var line = count == 1 ? "subscribed to 1 feed" : "subscribed to \(count) feeds"
    line += ", \(subscriptions.count - count) known already"
    if !skipped.isEmpty { line += ", \(skipped.count) skipped" }
    try TerminalOutput.standard.write(line + "\n")
    for error in skipped.prefix(20) {
      let note = SafeText.oneLine("news-feed: skipped \(error)")
      try TerminalOutput.standardError.write(note + "\n")
    }
    if !skipped.isEmpty { throw ExitCode(ExitStatus.nothingMatched.rawValue) }
  }
}

/// `opml export FILE`: writes the feeds that are fetched.
struct OPMLExportVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the feeds that are fetched to an OPML file.",
    discussion: FeedProgram.discussion(examples: "opml export feeds.opml", "opml export -")
  )

  @Argument(help: "A file, or - for standard output.", completion: .file())
  var file: String
  @OptionGroup var store: ReadingStoreOptions

  func run() async throws {
    let opened = try FeedProgram.openStore(try store.locationToRead(of: FeedProgram.self))
    let outlines = try NewsFeed(opened).subscriptions().map {
      OPMLOutline(address: $0.address, title: $0.title, site: $0.site, folder: $0.folder)
    }
    try opened.close()
    let text = OPML.text(outlines, title: "news-feed")
    guard file != "-" else { return try TerminalOutput.standard.write(text) }
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    } catch {
      throw CommandFailure(
        .cannotCreate,
        "\(file) cannot be written.",
        remedy: "Check the permissions of its folder."
      )
    }
    let feeds = outlines.count == 1 ? "1 feed" : "\(outlines.count) feeds"
    try TerminalOutput.standard.write(SafeText.oneLine("exported \(feeds) to \(file)") + "\n")
  }
}
