import NewsFeed
import ResultsDomain
import TerminalFrontEnd

/// An item written out for a reader.
enum ItemText {
  /// The title, where it is from, and what it says, made harmless for a terminal.
  static func lines(of item: Item) -> String {
    var lines = [item.title, item.feed]
    if let published = item.published { lines.append(published.plainText) }
    if let link = item.link { lines.append(link) }
    var text = lines.map(SafeText.oneLine).joined(separator: "\n") + "\n"
    if let summary = item.summary { text += "\n" + SafeText.lines(summary) + "\n" }
    return text
  }
}
