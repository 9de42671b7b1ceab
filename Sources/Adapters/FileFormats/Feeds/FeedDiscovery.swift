import Foundation

/// The feeds that a web page names, as browsers find them.
package enum FeedDiscovery {
  /// Returns the addresses of the feeds that a page names with `<link rel="alternate">`, in their order, each once.
  /// - Parameters:
  ///   - bytes: The page; bytes that are not UTF-8 are no part of an address.
  ///   - address: The address of the page, to which others are relative.
  /// - Returns: At most 20 addresses.
  /// - Complexity: O(*n*) in the bytes.
  package static func addresses(in bytes: [UInt8], at address: String) -> [String] {
    var rest = Substring(String(decoding: bytes, as: UTF8.self)).unicodeScalars
    let base = URL(string: address)
    var found: [String] = []
    while found.count < 20, let part = HTMLText.takePart(&rest) {
      guard case .tag(let tag) = part, tag.name == "link", !tag.isEnd else { continue }
      let relations = (tag.value(of: "rel") ?? "").lowercased().split(separator: " ")
      let type = HTMLText.trimmed((tag.value(of: "type") ?? "").lowercased())
      guard relations.contains("alternate"), types.contains(type),
        let link = tag.value(of: "href"),
        let whole = URL(string: HTMLText.trimmed(link), relativeTo: base)?.absoluteString,
        !found.contains(where: { $0.utf8.elementsEqual(whole.utf8) })
      else { continue }
      found.append(whole)
    }
    return found
  }

  private static let types: Set<String> = ["application/rss+xml", "application/atom+xml"]
}
