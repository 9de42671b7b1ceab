import NewsFeed
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

extension FeedProgram {
  /// Reading and marking.
  static let commands = [
    ListCommand("open", title: "read the item", key: "\r", scope: .rows, writes: true) { context in
      guard let guid = guids(context).first,
        let item = try NewsFeed(context.store).open(guid, origin: context.origin)
      else { return CommandOutcome("the item has been removed") }
      return CommandOutcome(
        "read \(item.title)",
        .detail(ObjectID(entity: entity.name, key: .text(guid)))
      )
    },
    ListCommand("toggle-read", title: "mark read or unread", key: "r", scope: .rows, writes: true) {
      context in
      let feed = NewsFeed(context.store)
      let marked = try feed.toggleRead(guids(context), origin: context.origin)
      return CommandOutcome("marked \(marked.count) \(marked.isRead ? "read" : "unread")")
    },
    ListCommand(
      "read-section",
      title: "mark the section read",
      key: "A",
      scope: .section,
      writes: true
    ) {
      context in
      guard let condition = context.sectionCondition else {
        return CommandOutcome("these sections are no values of the store: choose others")
      }
      return try markRead(where: condition, context)
    },
    ListCommand(
      "toggle-kept",
      title: "keep for good, or no longer",
      key: "p",
      scope: .rows,
      writes: true
    ) { context in
      let feed = NewsFeed(context.store)
      let marked = try feed.toggleKept(guids(context), origin: context.origin)
      let count = marked.count == 1 ? "1 item" : "\(marked.count) items"
      return CommandOutcome(
        marked.isKept ? "\(count) will be kept" : "\(count) will be removed once read and old"
      )
    },
    refresh,
    ListCommand("read-all", title: "mark the whole list read", scope: .list, writes: true) {
      context in
      try markRead(where: context.predicate, context)
    },
    ListCommand("open-link", title: "open the link", key: "O", scope: .rows) { context in
      let item = try context.store.read { (snapshot) throws(StoreError) in
        try snapshot.rows(context.ids.prefix(1).map(\.key), of: entity)
      }
      guard case .some(.some(let row)) = item.first, let link = row["link"].text else {
        return CommandOutcome("the item has no link")
      }
      guard isWebAddress(link) else {
        return CommandOutcome("the link is no address of the web: \(link)")
      }
      return CommandOutcome("opened \(link)", .open(address: link))
    },
    ListCommand("unread", title: "show only what is unread", key: "U", scope: .list) { context in
      let request = NewsFeed.request(ObjectID.self, onlyUnread: true)
      var definition = NewsFeed.definition(Row.self)
      definition.request.predicate = .identity(IdentitySet(try context.store.fetch(request)))
      definition.isFrozen = true
      definition.cacheName = nil
      return CommandOutcome("unread items stay until the list is opened again", .list(definition))
    },
  ]

  /// Fetches the feeds that are due, beside the list, which fills feed by feed.
  static let refresh = ListCommand(
    "refresh",
    title: "fetch the feeds that are due",
    key: "R",
    scope: .list,
    writes: true
  ) { context in
    let refresh = FeedRefresh(
      NewsFeed(context.store),
      fetching: try WebFeeds(for: "refresh"),
      reading: FeedFiles(),
      now: { .now }
    )
    return CommandOutcome(
      "fetching the feeds that are due: R stops",
      .background {
        let start = ContinuousClock.now
        let summary = try await refresh.run()
        return RefreshReport(summary, took: .now - start, at: .now, context.settings).message
      }
    )
  }

  private static func guids(_ context: CommandContext) -> [String] {
    context.ids.compactMap { id in
      if case .text(let guid) = id.key { guid } else { nil }
    }
  }

  private static func markRead(
    where condition: FetchPredicate,
    _ context: CommandContext
  ) throws -> CommandOutcome {
    let feed = NewsFeed(context.store)
    let count = try feed.markAllRead(where: condition, origin: context.origin)
    return CommandOutcome("marked \(count) \(count == 1 ? "item" : "items") read")
  }

  /// Whether an address begins with `http` or `https`, and holds no character that could end a command or an escape sequence.
  private static func isWebAddress(_ link: String) -> Bool {
    let lowercased = link.lowercased()
    guard ["http://", "https://"].contains(where: lowercased.hasPrefix) else { return false }
    return link.unicodeScalars.allSatisfy { scalar in
      scalar.value > 0x20 && scalar.value != 0x7F && !(0x80...0x9F).contains(scalar.value)
        && !"\"'`<>\\^{|}$;".unicodeScalars.contains(scalar)
    }
  }
}
