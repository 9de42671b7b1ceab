import CSQLiteHooks

/// How a store says in its database that it still needs the log.
struct LogLease: Sendable {
  /// Its row in the table of readers, once it is there.
  var reader: Int64?
  /// When it was renewed, in seconds.
  var renewed: Int64 = 0
  /// How many commits were made since.
  var commits = 0

  /// How long a reader may be silent until its lease ends, in seconds.
  static let duration: Int64 = 600
  /// After how many seconds a lease is renewed.
  static let renewal: Int64 = 30
  /// After how many own commits a lease is renewed.
  static let renewalCommits = 1000

  /// What tells this process from others, or `nil` where the system does not tell.
  static let owner: String? = {
    var mark = [CChar](repeating: 0, count: 256)
    guard results_process_mark(&mark, Int32(mark.count)) != 0 else { return nil }
    return String(decoding: mark.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  /// Whether a lease's owner is known to have ended.
  static func hasEnded(_ owner: String) -> Bool { results_process_has_ended(owner) != 0 }
}
