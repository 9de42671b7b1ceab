import CSQLiteHooks

/// The closure of a read or a transaction that is running on this thread.
///
/// A read inside a read is answered from the same snapshot: SQLite's connections are not reentrant.
final class BodyScope {
  /// What is read; nothing in a transaction, which is no version yet.
  private let snapshot: SQLiteSnapshot?
  private let core: StoreCore
  private let outer: UnsafeMutableRawPointer?

  private init(_ snapshot: SQLiteSnapshot?, of core: StoreCore) {
    self.snapshot = snapshot
    self.core = core
    outer = results_thread_slot()
  }

  /// Runs the closure of a read, or of a transaction, which has no snapshot.
  static func run<Result>(
    _ snapshot: SQLiteSnapshot?,
    of core: StoreCore,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let scope = BodyScope(snapshot, of: core)
    results_set_thread_slot(Unmanaged.passUnretained(scope).toOpaque())
    defer {
      results_set_thread_slot(scope.outer)
      withExtendedLifetime(scope) {}
    }
    return try body()
  }

  /// The snapshot of the innermost read of a store around the running code.
  ///
  /// A store is known by its hearers: what it has open may have become another database since the read began.
  static func snapshot(of hearers: StoreHearers) -> SQLiteSnapshot? {
    first { $0.core.hearers === hearers && $0.snapshot != nil }?.snapshot
  }

  /// Whether the running code is in a closure of a store.
  static func isInside(_ hearers: StoreHearers) -> Bool {
    first { $0.core.hearers === hearers } != nil
  }

  private static func first(where isMeant: (BodyScope) -> Bool) -> BodyScope? {
    var place = results_thread_slot()
    while let pointer = place {
      let scope = Unmanaged<BodyScope>.fromOpaque(pointer).takeUnretainedValue()
      if isMeant(scope) { return scope }
      place = scope.outer
    }
    return nil
  }
}
