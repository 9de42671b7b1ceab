import ResultsDomain

extension [FeedItem] {
  /// The items, each with a guid of its own within the feed.
  ///
  /// Some feeds give one guid, or one link where there is no guid, to all their items: such a name tells none of them, so
  /// their links take its place, or what they say. Of two items that share guid, link and title only the later one stays,
  /// as RFC 4287 (section 4.1.1) allows.
  /// - Complexity: O(*n*)
  func withGuidsOfTheirOwn() -> [FeedItem] {
    var places: [String: [Int]] = [:]
    for (place, item) in enumerated() {
      if let name = item.name { places[name, default: []].append(place) }
    }
    var items = self
    var older: Set<Int> = []
    for places in places.values where places.count > 1 {
      let groups = Dictionary(grouping: places) { Distinction(items[$0]) }
      for group in groups.values {
        let latest = group.max {
          items[$0].date < items[$1].date || (items[$0].date == items[$1].date && $0 > $1)
        }
        older.formUnion(group.filter { $0 != latest })
      }
      guard groups.count > 1 else { continue }
      let links = Set(groups.keys.compactMap(\.link))
      for place in places {
        let isOwn = links.count == groups.count
        items[place].parts[.guid] = isOwn ? items[place].parts[.link] : items[place].contentName
      }
    }
    return items.enumerated().filter { !older.contains($0.offset) }.map(\.element)
  }
}

/// What tells two items of one guid apart.
private struct Distinction: Hashable {
  let link: String?
  private let title: String?

  init(_ item: FeedItem) {
    link = item.parts[.link]?.text
    title = item.parts[.title]?.text
  }
}

extension FeedItem {
  /// What the item is recognised by: its guid, or its link where there is none.
  fileprivate var name: String? { (parts[.guid] ?? parts[.link])?.text }

  fileprivate var date: Int64 {
    parts[.published].flatMap { FeedDate.instant(of: $0.text) }?.microseconds ?? .min
  }

  /// The item's guid with a digest of its title and summary.
  fileprivate var contentName: Part? {
    guard var part = parts[.guid] ?? parts[.link] else { return nil }
    var digest = RowDigest()
    for part in [FeedPart.title, .link, .summary] {
      digest.add(parts[part].map { .text($0.text) } ?? .null)
    }
    part.text += "#" + String(digest.value, radix: 16)
    return part
  }
}
