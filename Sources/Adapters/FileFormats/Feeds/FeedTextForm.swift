/// How the text of an element is to be read.
enum FeedTextForm: Sendable {
  /// As it is, without white space at its ends.
  case verbatim
  /// Text that may be escaped once more, as titles of RSS are; tags in it are text.
  case escaped
  /// HTML.
  case html

  /// The form of an element of an item, by its name and Atom's `type`.
  init(element name: String, type: String?) {
    switch (name, type?.lowercased()) {
    case ("title", nil): self = .escaped
    case (_, "html"), ("title", "text/html"), ("title", "application/xhtml+xml"): self = .html
    case ("description", _), ("content:encoded", _): self = .html
    case ("summary", "text"), ("content", "text"), (_, "text/plain"): self = .verbatim
    // The tags of XHTML are elements and already gone; an HTML reading only joins the lines.
    case ("summary", _), ("content", _): self = .html
    default: self = .verbatim
    }
  }

  /// The plain text.
  func plain(_ text: String) -> String {
    switch self {
    case .verbatim: HTMLText.trimmed(text)
    case .escaped: HTMLText.decodingEntities(text)
    case .html: HTMLText.plain(text)
    }
  }
}
