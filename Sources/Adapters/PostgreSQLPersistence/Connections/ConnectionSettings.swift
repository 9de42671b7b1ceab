#if PostgreSQL
import CLibPQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How to reach a database: libpq's keywords and values.
struct ConnectionSettings: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    let keyword: String
    let value: String
  }

  /// The keywords and values for libpq.
  private(set) var parameters: [Entry]
  /// The store's name for messages: the URL without password and parameters.
  let name: String
  /// Whether a pooler stands between, which gives each transaction another server process.
  let isPooled: Bool
  /// Settings of a session beside those that every store makes.
  var session: [Entry] = []

  /// Why a URL cannot be used.
  struct Refusal: Error, Hashable, Sendable {
    /// What is wrong, and what to do.
    let message: String
  }

  /// Whether a text is a URL of PostgreSQL rather than a path (the manual, 34.1.1.2).
  static func isURL(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// Parses a URL such as `postgresql://user@host:5432/database?sslmode=require`, and adds what it leaves open.
  ///
  /// Beside libpq's parameters `pooled=1` says that a pooler stands between.
  /// - Throws: `Refusal` for a URL that libpq does not understand.
  init(url: String) throws(Refusal) {
    var isPooled = false
    let plain = ConnectionSettings.removing("pooled", from: url) { isPooled = $0 != "0" }
    self.isPooled = isPooled
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(plain, &message) else {
      defer { PQfreemem(message) }
      let reason = message.map { String(cString: $0) } ?? "out of memory"
      throw Refusal(message: reason.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
    defer { PQconninfoFree(options) }
    var entries: [Entry] = []
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        entries.append(
          Entry(keyword: String(cString: keyword), value: String(cString: value))
        )
      }
      option += 1
    }
    parameters = entries
    name = ConnectionSettings.name(of: entries)
    add("application_name", "fetched-results")
    add("client_encoding", "UTF8")
    add("connect_timeout", "10")
    add("keepalives_idle", "5")
    add("keepalives_interval", "2")
    add("keepalives_count", "3")
    add("tcp_user_timeout", "10000")
    if isRemote, getenv("PGSSLMODE") == nil, value(of: "service") == nil {
      add("sslmode", "verify-full")
      if getenv("PGSSLROOTCERT") == nil, let bundle = ConnectionSettings.certificates() {
        add("sslrootcert", bundle)
      }
    }
  }

  /// The value of a keyword, or `nil` if the URL has none.
  func value(of keyword: String) -> String? {
    parameters.first { $0.keyword == keyword }?.value
  }

  /// Adds a value unless the URL has one.
  private mutating func add(_ keyword: String, _ value: String) {
    if self.value(of: keyword) == nil { parameters.append(Entry(keyword: keyword, value: value)) }
  }

  /// Returns the settings with a password, such as one that the user typed; it is kept in memory only.
  func settingPassword(_ password: String) -> ConnectionSettings {
    var settings = self
    settings.parameters.removeAll { $0.keyword == "password" }
    settings.add("password", password)
    return settings
  }

  /// Whether the URL contains a password, which other users of the machine could see in a list of processes.
  var containsPassword: Bool { value(of: "password") != nil }

  /// Whether some host is not this machine.
  private var isRemote: Bool {
    let hosts =
      (value(of: "host") ?? "").split(separator: ",")
      + (value(of: "hostaddr") ?? "").split(separator: ",")
    return hosts.contains { host in
      !host.hasPrefix("/") && !["localhost", "127.0.0.1", "::1"].contains(host)
    }
  }

  /// The file with the certificates of public authorities, or libpq's name for it.
  private static func certificates() -> String? {
    if PQlibVersion() >= 160_000 { return "system" }
    return ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
      .first { access($0, R_OK) == 0 }
  }

  /// The URL that names the same database, without a password and parameters; a socket's folder is not part of it.
  private static func name(of entries: [Entry]) -> String {
    func value(_ keyword: String) -> String? {
      entries.first { $0.keyword == keyword }?.value
    }
    let hosts = value("host") ?? value("hostaddr") ?? ""
    let ports = (value("port") ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let addresses = hosts.split(separator: ",").enumerated().map { index, host in
      let port = ports.count == 1 ? ports[0] : ports.indices.contains(index) ? ports[index] : ""
      return (host.hasPrefix("/") ? "" : host.contains(":") ? "[\(host)]" : String(host))
        + (port.isEmpty || port == "5432" ? "" : ":\(port)")
    }
    let user = value("user").map { $0 + "@" } ?? ""
    return "postgresql://\(user)\(addresses.joined(separator: ","))/\(value("dbname") ?? "")"
  }

  /// Removes a parameter of our own from a URL, since libpq refuses what it does not know.
  private static func removing(
    _ parameter: String,
    from url: String,
    _ found: (Substring) -> Void
  ) -> String {
    guard let mark = url.firstIndex(of: "?") else { return url }
    let parts = url[url.index(after: mark)...].split(separator: "&")
    let kept = parts.filter { part in
      guard part.hasPrefix(parameter + "=") else { return true }
      found(part.dropFirst(parameter.utf8.count + 1))
      return false
    }
    return url[..<mark] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
  }
}

/// The URL of a database, for programs that check it before they open a store.
package enum ConnectionURL {
  /// Returns why libpq does not understand a URL, or `nil` if it does.
  package static func refusal(of url: String) -> String? {
    do {
      _ = try ConnectionSettings(url: url)
      return nil
    } catch {
      return error.message
    }
  }
}
#endif
