public import ResultsDomain
import ResultsPresentation

/// The feed that keeps the opened item, beside the naive list that loses it.
public enum NewsFeedStory {
  /// Plays the story on a store that holds no item yet.
  /// - Throws: `StoreError`, `ResultsError`, `DeltaError`, or what the closure throws.
  public static func tell(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    let feed = NewsFeed(store)
    _ = try store.commit(origin: .unnamed) { transaction in
      for item in items { try transaction.insert(item) }
    }
    try print(
      "Unread items. You open one, which marks it read, and go back: it must still be there.\n"
    )
    let naive = feed.liveUnread()
    let held = try feed.heldUnread()
    try await naive.performFetch()
    try await held.performFetch()
    var naiveTeller = await ResultsNarrator(naive, text: text, print: print)
    var heldTeller = await ResultsNarrator(held, text: text, print: print)

    try print(
      "1. The unread items. Only their identities were fetched; the held list stands on that fixed set."
    )
    try heldTeller.list()

    try print("2. You open b, which marks it read.")
    try feed.open("b")
    try print("   The naive list, whose predicate is “unread”, loses what you are reading:")
    try await naiveTeller.change()
    try print("   The held list keeps it in its place, and shows that it is read:")
    try await heldTeller.change()

    try print("3. A new item comes. The held list stays as it is while you read.")
    _ = try store.commit(origin: .unnamed) {
      try $0.insert(Item(guid: "e", title: "epsilon", feed: "Two", published: at(9)))
    }
    try await heldTeller.change()

    try print("4. c is removed at its source: what is gone leaves the held list too.")
    _ = try store.commit(origin: .unnamed) {
      try $0.delete(ObjectID(entity: "Item", key: .text("c")), of: Item.entity)
    }
    try await heldTeller.change()

    try print("5. You mark b unread again: it never left, so only its mark changes.")
    try feed.markUnread("b")
    try await heldTeller.change()

    try print("6. You refresh: a new set of identities is fetched, with the new item in it.")
    try feed.open("a")
    held.cancel()
    let fresh = try feed.heldUnread()
    try await fresh.performFetch()
    let freshTeller = await ResultsNarrator(fresh, text: text, print: print)
    try freshTeller.list()
    fresh.cancel()
    naive.cancel()
  }

  private static func text(_ item: Item) -> String {
    "\(item.isRead ? "○" : "●") \(item.guid) \(item.title)"
  }

  private static func at(_ hour: Int64) -> Instant {
    Instant(microseconds: (1_793_000_000 + hour * 3600) * 1_000_000)
  }

  private static let items = [
    Item(guid: "a", title: "alpha", feed: "One", published: at(4)),
    Item(guid: "b", title: "beta", feed: "One", published: at(3)),
    Item(guid: "c", title: "gamma", feed: "One", published: at(2)),
    Item(guid: "d", title: "delta", feed: "Two", published: at(1)),
  ]
}
