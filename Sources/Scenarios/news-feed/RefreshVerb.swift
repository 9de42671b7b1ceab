import ArgumentParser
import CommandLineFrontEnd
import Foundation
import NewsFeed
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd

/// `refresh [FEED…]`: fetches the feeds that are due.
struct RefreshVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Fetch the feeds whose time has come, or those that are named.",
    discussion: FeedProgram.discussion(
      """
      A feed is due when the time has passed for which its server wants it to be kept: an hour if it says nothing, at least \
      15 minutes, at most a day, and longer after each failure. Lists of other terminals fill while it runs. What fails \
      is shown, and kept in the column failure of 'feeds'; then the exit status is 1. Ctrl-C ends it at once, and keeps what has come. \
      With --every it goes on until then, and prints a line when feeds were fetched.

      At most 16 feeds are fetched at once, 2 of a host; each has 10 s to connect, 30 s in all, 8 MB when it is unpacked, and \
      5 redirects. Proxies are those of https_proxy and http_proxy, and passwords those of ~/.netrc.
      """,
      examples: "refresh",
      "refresh --all"
    )
  )

  @Argument(help: "Feeds to fetch now: ids, titles or addresses.")
  var feeds: [String] = []
  @Flag(help: "Fetch all feeds now, due or not.")
  var all = false
  @Option(help: "Go on, and look each time after this time which feeds are due, such as 30m.")
  var every: TimeSpan?
  @OptionGroup var store: StoreOptions
  @OptionGroup var locale: LocaleOptions

  func validate() throws {
    guard !all || feeds.isEmpty else {
      throw ValidationError("Name feeds or use --all, not both.")
    }
    guard every == nil || !all && feeds.isEmpty else {
      throw ValidationError("--every fetches what is due. Leave out --all and names.")
    }
    guard every.map({ $0.duration >= .seconds(1) }) ?? true else {
      throw ValidationError("--every must be 1s or more.")
    }
  }

  func run() async throws {
    let settings = try locale.settings()
    let opened = try FeedProgram.openStore(try store.existingLocation(of: FeedProgram.self))
    let news = NewsFeed(opened)
    guard try news.feeds().contains(where: { $0.address != nil }) else {
      try opened.close()
      return try write("There are no feeds to fetch: 'news-feed subscribe ADDRESS' adds one.")
    }
    let choice = try choice(in: news)
    let refresh = FeedRefresh(
      news,
      fetching: try WebFeeds(for: "refresh"),
      reading: FeedFiles(),
      now: { .now }
    )
    let run = RefreshRun(refresh: refresh, choice: choice, settings: settings, every: every)
    let work = Task { try await run.toEnd() }
    let outcome = await InterruptibleWork.outcome(endingBy: { work.cancel() }) {
      try await work.value
    }
    try opened.close()
    if try outcome.get() { throw ExitCode(ExitStatus.nothingMatched.rawValue) }
  }

  private func choice(in news: NewsFeed) throws -> FeedChoice {
    guard !feeds.isEmpty else { return all ? .all : .due }
    return .some(
      try feeds.map { text in
        let feed = try news.feed(named: text)
        guard feed.address != nil else {
          throw CommandFailure(
            .usage,
            "\(feed.title) has no address to be fetched from.",
            remedy: "'news-feed subscribe ADDRESS' gives it the one of a feed of its title."
          )
        }
        return feed.id ?? 0
      }
    )
  }

  private func write(_ line: String) throws {
    try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n")
  }
}

/// One refresh, or one after the other until the task is cancelled.
private struct RefreshRun: Sendable {
  let refresh: FeedRefresh
  let choice: FeedChoice
  let settings: LocaleSettings
  let every: TimeSpan?

  /// - Returns: Whether a feed has failed the last time.
  func toEnd() async throws -> Bool {
    var hasFailed = try await once()
    while let every {
      try await Task.sleep(for: every.duration)
      hasFailed = try await once()
    }
    return hasFailed
  }

  /// Refreshes once, and prints what was done; with `--every` only if anything was.
  private func once() async throws -> Bool {
    let start = ContinuousClock.now
    let summary = try await refresh.run(choice)
    guard !Task.isCancelled, every == nil || summary.fetched > 0 else { return false }
    let report = RefreshReport(summary, took: .now - start, at: .now, settings)
    for line in report.lines {
      try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n")
    }
    try TerminalOutput.standard.flush()
    return !summary.failed.isEmpty
  }
}

/// The lines that say what came of a refresh.
struct RefreshReport {
  private let summary: RefreshSummary
  private let time: Duration
  private let now: Instant
  private let settings: LocaleSettings

  init(
    _ summary: RefreshSummary,
    took time: Duration,
    at now: Instant,
    _ settings: LocaleSettings
  ) {
    (self.summary, self.time, self.now, self.settings) = (summary, time, now, settings)
  }

  var lines: [String] {
    var lines = [summary.fetched > 0 ? sentence : nothing]
    if summary.fetched == 0, summary.nextCheck != nil { lines[0] += "; --all fetches them now" }
    let width = min(summary.failed.map { DisplayWidth().columns(of: $0.title) }.max() ?? 0, 30)
    lines += summary.failed.map { feed in
      var line = "  \(DisplayWidth().fit(feed.title, columns: width))  \(feed.failure ?? "")"
      if let since = feed.failedSince.flatMap(age) { line += ", since \(since)" }
      if let next = feed.nextCheck { line += "; next try \(clock(next))" }
      return line
    }
    lines += summary.moved.map { former, feed in
      "  \(feed.title) has moved from \(FeedAddress.withoutPassword(former)) to \(feed.address ?? "")"
    }
    return lines
  }

  /// All in one sentence without its period.
  var message: String {
    guard summary.fetched > 0 else { return nothing }
    let failures = summary.failed.map { "\($0.title): \($0.failure ?? "")" }
    return ([sentence] + failures).joined(separator: "; ")
  }

  private var nothing: String {
    guard let next = summary.nextCheck else { return "no feed is fetched any more" }
    return "no feed is due before \(clock(next))"
  }

  private var sentence: String {
    let seconds = StrictSeconds.text(of: time)
    var parts: [String] = []
    if summary.unchanged > 0 { parts.append("\(summary.unchanged) unchanged") }
    if summary.changed > 0 {
      let items = summary.newItems == 1 ? "1 new item" : "\(summary.newItems) new items"
      parts.append("\(summary.changed) with \(items)")
    }
    if !summary.failed.isEmpty { parts.append("\(summary.failed.count) failed") }
    let feeds = summary.fetched == 1 ? "1 feed" : "\(summary.fetched) feeds"
    if summary.removedItems > 0 {
      let items = summary.removedItems == 1 ? "1 old item" : "\(summary.removedItems) old items"
      parts.append("\(items) removed")
    }
    let rest = summary.waiting > 0 ? "; \(summary.waiting) not due" : ""
    return "\(feeds) in \(seconds) s: \(parts.joined(separator: ", "))\(rest)"
  }

  /// How long ago a time was, or `nil` for less than an hour.
  private func age(of time: Instant) -> String? {
    let hours = (now.microseconds - time.microseconds) / 3_600_000_000
    switch hours {
    case ..<1: return nil
    case 1: return "an hour"
    case ..<48: return "\(hours) hours"
    default: return "\(hours / 24) days"
    }
  }

  /// A time to come: that of today, that of tomorrow, or with its date.
  private func clock(_ time: Instant) -> String {
    let date = Date(timeIntervalSince1970: Double(time.microseconds) / 1_000_000)
    let today = Date(timeIntervalSince1970: Double(now.microseconds) / 1_000_000)
    let calendar = settings.calendar
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
    func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
    let hours = "\(two(parts.hour)):\(two(parts.minute))"
    if calendar.isDate(date, inSameDayAs: today) { return hours }
    let tomorrow = calendar.date(byAdding: .day, value: 1, to: today)
    if let tomorrow, calendar.isDate(date, inSameDayAs: tomorrow) { return "tomorrow \(hours)" }
    return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day)) \(hours)"
  }
}

/// A duration in seconds, with one decimal place.
private enum StrictSeconds {
  static func text(of time: Duration) -> String {
    let tenths = Int((time / .milliseconds(100)).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// `print-unread`: prints the number of unread items, and with `--watch` each number that it becomes.
struct PrintUnreadVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "print-unread",
    abstract: "Print the number of unread items.",
    discussion: FeedProgram.discussion(
      "With --watch a line follows each change by any process, for a status bar. Ctrl-C ends it.",
      examples: "print-unread",
      "print-unread --watch --deltas 0"
    )
  )

  @Flag(help: "Print the number again whenever it changes.")
  var watch = false
  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var end: WatchEnd

  func validate() throws {
    guard watch || end.deltas == nil && end.time == nil else {
      throw ValidationError("--deltas and --for end --watch. Add --watch.")
    }
  }

  func run() async throws {
    guard watch else {
      let opened = try FeedProgram.openStore(try store.locationToRead(of: FeedProgram.self))
      let count = try NewsFeed(opened).unreadCount()
      try opened.close()
      return try write(count)
    }
    let opened = try FeedProgram.openStore(try store.location(of: FeedProgram.name))
    let controller = FetchedResultsController(
      ResultsDefinition(NewsFeed.request(ObjectID.self, onlyUnread: true)),
      in: opened
    )
    let outcome = await InterruptibleWork.outcome(endingBy: { controller.cancel() }) {
      try await follow(controller)
    }
    controller.cancel()
    try opened.close()
    try outcome.get()
  }

  private func follow(_ controller: FetchedResultsController<ObjectID>) async throws {
    try await controller.performFetch()
    var shown = try controller.results.count
    try write(shown)
    let timer = end.time.map { span in
      Task {
        try? await Task.sleep(for: span.duration)
        if !Task.isCancelled { controller.cancel() }
      }
    }
    defer { timer?.cancel() }
    var changes = 0
    var events = controller.changes.makeAsyncIterator()
    while changes < end.deltas ?? .max, await events.next() != nil {
      guard let count = try? controller.results.count else { return }
      guard count != shown else { continue }
      shown = count
      changes += 1
      try write(count)
    }
  }

  private func write(_ count: Int) throws {
    try TerminalOutput.standard.write("\(count)\n")
    try TerminalOutput.standard.flush()
  }
}

/// `import FILE`: adds the items of a file, and with `--feed` to a feed of that title.
struct FeedImportVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add the items of a file.",
    discussion: FeedProgram.importDiscussion(examples: "import feed.xml --feed Notes")
  )

  @OptionGroup var options: ImportOptions
  @Option(help: "The title of the feed that all items belong to (default: what the file says).")
  var feed: String?

  func run() async throws {
    try await options.importFile(
      into: FeedProgram.self,
      assigning: feed.map { [("feed", .text($0))] } ?? []
    )
  }
}
