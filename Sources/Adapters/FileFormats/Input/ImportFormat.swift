/// The formats records are imported from.
public enum ImportFormat: String, CaseIterable, Hashable, Sendable {
  /// Comma-separated values.
  case csv
  /// Tab-separated values.
  case tsv
  /// One JSON object a line.
  case jsonl
  /// RSS 2.0, RSS 1.0 or Atom.
  case feed

  /// The format a file's name promises, or `nil` if its extension says nothing.
  public init?(path: String) {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.last else { return nil }
    switch String(last)?.lowercased() {
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    case "jsonl", "ndjson", "json": self = .jsonl
    case "xml", "rss", "atom", "rdf": self = .feed
    default: return nil
    }
  }

  /// The format bytes look like: markup is a feed, a brace begins JSON, a tab in the first line makes it
  /// tab-separated, and everything else is comma-separated.
  /// - Complexity: O(*n*) in the first line.
  public init(lookingAt bytes: [UInt8]) {
    if UnicodeForm(beginning: bytes)?.isMarkup(bytes) == true {
      self = .feed
      return
    }
    let start = bytes.starts(with: ByteOrderMark.utf8) ? ByteOrderMark.utf8.count : 0
    let text = bytes[start...].drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    switch text.first {
    case UInt8(ascii: "<"): self = .feed
    case UInt8(ascii: "{"), UInt8(ascii: "["): self = .jsonl
    default:
      let line = bytes[start...].prefix { $0 != 0x0A && $0 != 0x0D }
      self = line.contains(0x09) ? .tsv : .csv
    }
  }
}
