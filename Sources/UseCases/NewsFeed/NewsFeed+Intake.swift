public import ResultsDomain

/// What became of an item that a feed handed in.
public enum ItemIntake: Hashable, Sendable {
  /// It is new.
  case added
  /// It was there, and says what it said.
  case known
  /// It was there, and was corrected; whether it has been read stays.
  case updated
}

extension NewsFeed {
  /// Takes an item of a feed: adds it, or corrects the one that is there.
  ///
  /// A guid tells an item from the others of its feed only. Where another feed's item has it already, the item is stored
  /// under its guid and its feed's name. A part that the item lacks takes nothing away from the stored one.
  /// - Throws: `StoreError`.
  /// - Complexity: O(log *n*) in the items of the store.
  public static func take(
    _ item: Item,
    into transaction: any StoreTransaction
  ) throws(StoreError) -> ItemIntake {
    var free: String?
    var tried = 0
    while tried < names(of: item).count || free == nil {
      let guid = name(tried, of: item)
      tried += 1
      guard let stored = try transaction.object(.text(guid), as: Item.self) else {
        free = free ?? guid
        continue
      }
      guard isSame(stored, item) else { continue }
      let corrected = correct(stored, by: item)
      guard corrected.attributeValues != stored.attributeValues else { return .known }
      try transaction.update(corrected)
      return .updated
    }
    var added = item
    added.guid = free ?? item.guid
    try transaction.insert(added)
    return .added
  }

  /// The keys that an item is as a rule stored under, in the order they are tried.
  private static func names(of item: Item) -> [String] {
    var names = [item.guid, "\(item.guid) (\(item.feed))"]
    if let host = host(of: item) { names.append("\(item.guid) (\(item.feed), \(host))") }
    return names
  }

  /// One key of all that an item may be stored under: numbers follow where items of other feeds have the others.
  private static func name(_ number: Int, of item: Item) -> String {
    let names = names(of: item)
    return number < names.count ? names[number] : "\(item.guid) (\(item.feed), \(number))"
  }

  /// Whether two items of one guid are the same: of one feed, and not of two feeds that have one title.
  private static func isSame(_ stored: Item, _ item: Item) -> Bool {
    guard Value.text(stored.feed) == .text(item.feed) else { return false }
    guard let left = host(of: stored), let right = host(of: item) else { return true }
    return left == right
  }

  private static func correct(_ stored: Item, by item: Item) -> Item {
    var corrected = stored
    if !item.title.isEmpty { corrected.title = item.title }
    corrected.link = item.link ?? stored.link
    corrected.published = item.published ?? stored.published
    corrected.summary = item.summary ?? stored.summary
    return corrected
  }

  /// The machine that an item's link leads to, without `www.`.
  private static func host(of item: Item) -> String? {
    guard
      let parts = item.link?.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false),
      parts.count > 2, parts[0].hasSuffix(":"), parts[1].isEmpty, !parts[2].isEmpty
    else { return nil }
    let host = parts[2].prefix { $0 != "?" && $0 != "#" }.lowercased()
    return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
  }
}
