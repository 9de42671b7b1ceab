import CommandLineFrontEnd
import NewsFeed
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// A story: a frozen list keeps the opened item, a live list of unread items loses it.
enum NewsFeedStory {
  /// Plays the story on a store without items.
  /// - Throws: `StoreError`, `ResultsError`, `DeltaError`, or what the closure throws.
  static func play(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    let feed = NewsFeed(store)
    _ = try store.commit(origin: .unnamed) { transaction in
      for (item, title) in items { try add(item, title, transaction) }
    }
    try print(
      "Unread items. You open one, which marks it read, and go back to the list: it must still be there.\n"
    )
    let live = feed.liveUnread()
    let frozen = try feed.frozenUnread()
    try await live.performFetch()
    try await frozen.performFetch()
    var liveNarrator = await ResultsNarrator(live, text: text, print: print)
    var frozenNarrator = await ResultsNarrator(frozen, text: text, print: print)

    try print(
      "1. The unread items. Only their ids were fetched; the frozen list shows this fixed set."
    )
    try frozenNarrator.printList()

    try print("2. You open b, which marks it read.")
    try feed.open("b")
    try print("   The live list, whose predicate is “unread”, loses the item you are reading:")
    try await liveNarrator.printChanges()
    try print("   The frozen list keeps it at its position and marks it read:")
    try await frozenNarrator.printChanges()

    try print("3. A new item arrives. The frozen list stays as it is while you read.")
    _ = try store.commit(origin: .unnamed) {
      try add(Item(guid: "e", title: "epsilon", published: at(9)), "Two", $0)
    }
    try await frozenNarrator.printChanges()

    try print("4. c is deleted from the store. A deleted item leaves the frozen list too.")
    _ = try store.commit(origin: .unnamed) {
      try $0.delete(ObjectID(entity: "Item", key: .text("c")), of: Item.entity)
    }
    try await frozenNarrator.printChanges()

    try print("5. You mark b unread again. It is still in the list, so only its mark changes.")
    try feed.markUnread("b")
    try await frozenNarrator.printChanges()

    try print("6. You refresh: a new set of ids is fetched, which includes the new item.")
    try feed.open("a")
    frozen.cancel()
    let fresh = try feed.frozenUnread()
    try await fresh.performFetch()
    let freshNarrator = await ResultsNarrator(fresh, text: text, print: print)
    try freshNarrator.printList()
    fresh.cancel()
    live.cancel()
  }

  private static func text(_ item: Item) -> String {
    "\(item.isRead ? "○" : "●") \(item.guid) \(item.title)"
  }

  private static func at(_ hour: Int64) -> Instant {
    Instant(microseconds: (1_793_000_000 + hour * 3600) * 1_000_000)
  }

  private static func add(_ item: Item, _ title: String, _ transaction: any StoreTransaction)
    throws(StoreError)
  {
    let feed = try NewsFeed.feed(titled: title, in: transaction)
    _ = try NewsFeed.importItem(item, of: feed, into: transaction)
  }

  private static let items = [
    (Item(guid: "a", title: "alpha", published: at(4)), "One"),
    (Item(guid: "b", title: "beta", published: at(3)), "One"),
    (Item(guid: "c", title: "gamma", published: at(2)), "One"),
    (Item(guid: "d", title: "delta", published: at(1)), "Two"),
  ]
}
