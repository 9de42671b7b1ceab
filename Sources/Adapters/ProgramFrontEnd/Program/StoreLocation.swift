/// Where a store is: in memory, in a file, or in a database on a server.
package enum StoreAddress: Hashable, Sendable {
  /// In memory, for a trial.
  case memory
  /// In a file.
  case file(path: String)
  /// In a PostgreSQL database; the URL contains no password.
  case database(url: String)

  /// Reads an address as users write it: `:memory:`, a URL that begins with `postgresql://` or `postgres://`, or else a path.
  /// - Throws: `CommandFailure` for an empty text, and for a URL with a password; the message does not contain it.
  package init(_ text: String) throws(CommandFailure) {
    guard !text.isEmpty else {
      throw CommandFailure(
        .usage,
        "--store is empty.",
        remedy: "Name a file, or :memory: for a temporary store."
      )
    }
    guard let url = DatabaseURL(text) else {
      self = text == ":memory:" ? .memory : .file(path: text)
      return
    }
    guard !url.containsPassword else { throw DatabaseURL.passwordRefusal }
    self = .database(url: url.text)
  }

  /// The address as users write it.
  package var text: String {
    switch self {
    case .memory: ":memory:"
    case .file(let path): path
    case .database(let url): url
    }
  }

  /// A short name for a heading: of a file its name without folders, of a database its server and its name.
  package var title: String {
    switch self {
    case .memory: ":memory:"
    case .file(let path): path.split(separator: "/").last.map(String.init) ?? path
    case .database(let url): DatabaseURL(url)?.title ?? url
    }
  }
}

/// The location of a store, and how a verb opens it.
package struct StoreLocation: Hashable, Sendable {
  /// Where the store is.
  package let address: StoreAddress
  /// Whether the store must not be written.
  package let isReadOnly: Bool
  /// How long to wait for another writer.
  package let busyTimeout: Duration
  /// The number of changed rows that the store remembers; a bulk import, which no list observes, needs none.
  package var historyCapacity = 65_536
  /// Whether the verb only reads, so that opening the store does no maintenance.
  package var onlyReads = false
  /// Whether the user may be asked for a password on the terminal.
  package var mayAsk = true

  /// Whether the store exists only in memory.
  package var isInMemory: Bool { address == .memory }

  /// Creates a location.
  package init(_ address: StoreAddress, isReadOnly: Bool, busyTimeout: Duration) {
    self.address = address
    self.isReadOnly = isReadOnly
    self.busyTimeout = busyTimeout
  }
}

/// The URL of a PostgreSQL database, as far as a program must understand it without the client's library.
package struct DatabaseURL {
  /// The URL; its scheme is in small letters, as the library requires.
  package let text: String
  /// What follows the scheme, in bytes: a mark behind a colon is one Character with it.
  private let rest: Substring.UTF8View

  /// Reads a text that begins with `postgresql://` or `postgres://`, in any case; returns `nil` for any other.
  package init?(_ text: String) {
    guard
      let scheme = ["postgresql://", "postgres://"].first(where: { scheme in
        text.utf8.count >= scheme.utf8.count
          && zip(text.utf8, scheme.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
      })
    else { return nil }
    self.text = scheme + String(decoding: text.utf8.dropFirst(scheme.utf8.count), as: UTF8.self)
    rest = self.text.utf8.dropFirst(scheme.utf8.count)
  }

  /// Whether the URL contains a password, or looks as if a part of one had been written into it.
  ///
  /// A password with a slash or a question mark that is not encoded ends elsewhere for the library than for its author, and the library's
  /// message would quote the rest. So a colon before any `@` counts, wherever the user's name ends.
  package var containsPassword: Bool {
    let query = rest.split(
      separator: UInt8(ascii: "?"),
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    if isPassword(query[0]) { return true }
    // The library looks for the end of the user's name up to the first slash, and goes past question marks.
    if isPassword(rest.prefix { $0 != UInt8(ascii: "/") }) { return true }
    guard query.count == 2 else { return false }
    return query[1].split(separator: UInt8(ascii: "&")).contains { parameter in
      let keyword = DatabaseURL.decoded(parameter.prefix { $0 != UInt8(ascii: "=") })
      return ["password", "sslpassword"].contains(keyword.lowercased())
    }
  }

  private func isPassword(_ part: Substring.UTF8View) -> Bool {
    guard let end = part.lastIndex(of: UInt8(ascii: "@")) else { return false }
    return part[..<end].contains(UInt8(ascii: ":"))
  }

  /// The server and the database, such as `db.example.org/books`.
  package var title: String {
    let address = rest.prefix { $0 != UInt8(ascii: "?") }
    let user = address.lastIndex(of: UInt8(ascii: "@"))
    let host = user.map { address[address.index(after: $0)...] } ?? address
    let names = host.split(
      separator: UInt8(ascii: "/"),
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    .map { DatabaseURL.decoded($0) }.filter { !$0.isEmpty }
    return names.isEmpty ? "PostgreSQL" : names.joined(separator: "/")
  }

  /// Replaces percent signs and two digits by the byte that they stand for.
  private static func decoded(_ text: Substring.UTF8View) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The failure for a URL with a password.
  package static let passwordRefusal = CommandFailure(
    .usage,
    "The URL of the store contains a password, which others could read: the command line is in the list of processes.",
    remedy: """
      Leave the password out: it is taken from ~/.pgpass, a service file or PGPASSWORD, or asked for on the terminal. \
      In a name write @ as %40 and : as %3A.
      """
  )

  /// Returns the failure for the first argument of a command line that is a URL with a password, before a message could quote it.
  package static func refusal(ofArguments arguments: [String]) -> CommandFailure? {
    let hasPassword = arguments.contains { argument in
      let parts = argument.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1)
      let value =
        argument.utf8.starts(with: "--".utf8)
        ? parts.dropFirst().first.map { String(decoding: $0, as: UTF8.self) } ?? "" : argument
      return DatabaseURL(value)?.containsPassword == true
    }
    return hasPassword ? passwordRefusal : nil
  }
}
