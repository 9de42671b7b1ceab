import ArgumentParser
import CommandLineFrontEnd
import NewsFeed
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd

/// The verbs of `news-feed`: the shared ones, `list` and `watch` with `--unread`, and those of its own.
enum FeedVerbs {
  static var all: [any ParsableCommand.Type] {
    let shared = ProgramVerbs.all(of: FeedProgram.self).filter { verb in
      !["list", "watch", "import"].contains(verb.configuration.commandName ?? "")
    }
    return [FeedListVerb.self, FeedWatchVerb.self] + shared + [
      FeedImportVerb.self, OpenVerb.self, MarkUnreadVerb.self, MarkReadVerb.self, ReadVerb.self,
      PrintUnreadVerb.self, SubscribeVerb.self, UnsubscribeVerb.self, FeedsVerb.self,
      RefreshVerb.self, OPMLVerb.self,
    ]
  }
}

/// `list`: lists all items, or with `--unread` the unread ones.
struct FeedListVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the items.",
    discussion: FeedProgram.listDiscussion(examples: "list --unread")
  )

  @Flag(help: "Only items that have not been read.")
  var unread = false
  @Flag(help: "Exit with status 1 if the list is empty.")
  var failIfEmpty = false
  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var times: TimeOptions<FeedProgram>
  @OptionGroup var output: OutputOptions
  @OptionGroup var locale: LocaleOptions
  @OptionGroup var saved: SavedListOptions

  func run() async throws {
    let settings = try locale.settings(for: output.listFormat)
    let definition = try list.feedDefinition(onlyUnread: unread, for: settings, within: times)
    try await ListRun<FeedProgram>(output: output, settings: settings)
      .print(definition, from: store, failIfEmpty: failIfEmpty)
  }
}

/// `watch`: lists the items and prints every change; with `--unread --frozen`, opened items stay in the list.
struct FeedWatchVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "List the items, then print every change.",
    discussion: FeedProgram.watchDiscussion(examples: "watch --unread --frozen")
  )

  @Flag(help: "Only items that have not been read.")
  var unread = false
  @Flag(help: "Keep the present items and their order, even when they are read.")
  var frozen = false
  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var times: TimeOptions<FeedProgram>
  @OptionGroup var output: ChangeOutputOptions
  @OptionGroup var locale: LocaleOptions
  @OptionGroup var end: WatchEnd

  func run() async throws {
    let settings = try locale.settings(for: output.listFormat)
    let definition = try list.feedDefinition(
      onlyUnread: unread,
      for: settings,
      within: times,
      isFrozen: frozen
    )
    try await WatchRun<FeedProgram>(store: store, output: output, settings: settings)
      .watch(definition, until: end)
  }
}

/// `open ID`: shows an item and marks it read.
struct OpenVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Show an item and mark it read.",
    discussion: FeedProgram.discussion(examples: "open note-1")
  )

  @Argument(help: "The id, as 'news-feed list --columns id,title' shows it.")
  var id: String
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let opened = try FeedProgram.openStore(try store.existingLocation(of: FeedProgram.self))
    let feed = NewsFeed(FeedProgram.command("read \(id)", in: opened))
    guard let item = try feed.open(id) else { throw FeedVerbs.missing(id) }
    let title = try feed.title(of: item)
    try opened.close()
    try TerminalOutput.standard.write(ItemText.lines(of: item, in: title))
  }
}

/// `mark-unread ID`: marks an item unread.
struct MarkUnreadVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark-unread",
    abstract: "Mark an item unread.",
    discussion: FeedProgram.discussion(examples: "mark-unread note-1")
  )

  @Argument(help: "The id, as 'news-feed list --columns id,title' shows it.")
  var id: String
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let opened = try FeedProgram.openStore(try store.existingLocation(of: FeedProgram.self))
    let feed = NewsFeed(FeedProgram.command("marked \(id) unread", in: opened))
    guard let item = try feed.markUnread(id) else { throw FeedVerbs.missing(id) }
    try opened.close()
    try TerminalOutput.standard.write("unread: \(SafeText.oneLine(item.title))\n")
  }
}

/// `mark-read`: marks items read, or all with `--all`.
struct MarkReadVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark-read",
    abstract: "Mark items read: --all, or those named.",
    discussion: FeedProgram.discussion(examples: "mark-read note-1 note-2", "mark-read --all")
  )

  @Argument(help: "The ids, as 'news-feed list --columns id,title' shows them.")
  var ids: [String] = []
  @Flag(help: "Mark every item.")
  var all = false
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard all != !ids.isEmpty else {
      throw ValidationError("Name items or use --all, not both.")
    }
  }

  func run() async throws {
    let opened = try FeedProgram.openStore(try store.existingLocation(of: FeedProgram.self))
    let what = all ? "all items" : ids.count == 1 ? ids[0] : "\(ids.count) items"
    let feed = NewsFeed(FeedProgram.command("marked \(what) read", in: opened))
    let count = try all ? feed.markAllRead() : feed.markRead(ids)
    try opened.close()
    try TerminalOutput.standard.write("marked \(count) read\n")
  }
}

extension ListOptions {
  /// The definition of the list that these options describe; with `onlyUnread`, without read items.
  fileprivate func feedDefinition(
    onlyUnread: Bool,
    for settings: LocaleSettings,
    within times: TimeOptions<FeedProgram>,
    isFrozen: Bool = false
  ) throws -> ResultsDefinition<Row> {
    var definition = try definition(
      of: FeedProgram.self,
      for: settings,
      within: times,
      isFrozen: isFrozen
    )
    if onlyUnread {
      definition.request.predicate = definition.request.predicate && NewsFeed.unread
      definition.cacheName = nil
    }
    return definition
  }
}

extension FeedVerbs {
  static func missing(_ id: String) -> StoreError {
    .notFound(ObjectID(entity: FeedProgram.entity.name, key: .text(id)))
  }
}
