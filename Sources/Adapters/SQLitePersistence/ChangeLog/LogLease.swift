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
}
