#if PostgreSQL
import ResultsDomain
import ResultsStoreKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The closure of a read or a transaction that is running on this thread.
///
/// A read inside a read is answered from the same snapshot, since a connection runs one transaction. A task that the closure creates
/// inherits the scope, but runs on another thread, and is not inside it.
final class BodyScope: @unchecked Sendable {
  // Only code on the scope's own thread uses its snapshot.
  @TaskLocal private static var innermost: BodyScope?

  /// The snapshot that is read; `nil` in a transaction.
  private let snapshot: PostgreSQLSnapshot?
  private let broadcaster: CommitBroadcaster
  private let outer: BodyScope?
  private let thread = pthread_self()

  private init(_ snapshot: PostgreSQLSnapshot?, of broadcaster: CommitBroadcaster) {
    self.snapshot = snapshot
    self.broadcaster = broadcaster
    outer = BodyScope.innermost
  }

  /// Runs the closure of a read, or of a transaction, which has no snapshot of its own.
  static func run<Result>(
    _ snapshot: PostgreSQLSnapshot?,
    of broadcaster: CommitBroadcaster,
    _ body: () throws -> Result
  ) rethrows -> Result {
    try $innermost.withValue(BodyScope(snapshot, of: broadcaster)) { try body() }
  }

  /// The snapshot of the innermost read of a store around the running code.
  static func snapshot(of broadcaster: CommitBroadcaster) -> PostgreSQLSnapshot? {
    first { $0.broadcaster === broadcaster && $0.snapshot != nil }?.snapshot
  }

  /// Whether the running code is in a closure of a store.
  static func isInside(_ broadcaster: CommitBroadcaster) -> Bool {
    first { $0.broadcaster === broadcaster } != nil
  }

  /// Whether the running code is in a transaction of a store.
  static func isInTransaction(_ broadcaster: CommitBroadcaster) -> Bool {
    first { $0.broadcaster === broadcaster && $0.snapshot == nil } != nil
  }

  private static func first(where matches: (BodyScope) -> Bool) -> BodyScope? {
    var scope = innermost
    while let current = scope {
      if pthread_equal(current.thread, pthread_self()) != 0, matches(current) { return current }
      scope = current.outer
    }
    return nil
  }
}
#endif
