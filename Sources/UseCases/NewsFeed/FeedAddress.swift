/// The addresses of feeds: of http and https, and without a password.
public enum FeedAddress {
  /// Why an address is refused.
  public enum Refusal: Error, Hashable, Sendable {
    /// It is not an address of http or https with a host.
    case notOfTheWeb
    /// It has a password, which would be shown wherever the address is.
    case password

    /// What is wrong, without a full stop.
    public var sentence: String {
      switch self {
      case .notOfTheWeb: "the address is none of http or https"
      case .password: "the address has a password, which belongs into ~/.netrc"
      }
    }
  }

  /// Returns an address as it is stored: white space at its ends is dropped, and `https://` stands before one without a scheme.
  /// - Throws: `Refusal`.
  public static func checked(_ text: String) throws(Refusal) -> String {
    var address = text.drop { $0.isWhitespace }[...]
    while address.last?.isWhitespace == true { address.removeLast() }
    let isWhole = address.contains("://")
    // `feed:` is a scheme that browsers gave to the addresses of feeds.
    if address.lowercased().hasPrefix("feed://") { address = "http" + address.dropFirst(4) }
    let whole = isWhole ? String(address) : "https://\(address)"
    let start = whole.prefix(8).lowercased()
    guard ["http://", "https://"].contains(where: start.hasPrefix),
      whole.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { throw .notOfTheWeb }
    let authority = authority(of: whole)
    if let end = authority.lastIndex(of: "@"), authority[..<end].contains(":") { throw .password }
    let host = authority.split(separator: "@").last ?? ""
    guard !host.isEmpty, host.first != ":", isWhole || host.contains(".") else {
      throw .notOfTheWeb
    }
    return whole
  }

  /// An address that can be printed: one that was stored by another program may have a password.
  public static func withoutPassword(_ address: String) -> String {
    let authority = authority(of: address)
    guard let end = authority.lastIndex(of: "@"),
      let colon = authority[..<end].firstIndex(of: ":")
    else { return address }
    return String(address[..<colon] + address[end...])
  }

  /// What stands between `//` and the next slash.
  private static func authority(of address: String) -> Substring {
    let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count > 2 ? parts[2].prefix { $0 != "?" && $0 != "#" } : ""
  }
}
