import GRDB
public import ResultsDomain

extension SQLiteStore {
  /// Runs a closure with one consistent version of the database.
  ///
  /// A read inside the closure is answered from the same version. Inside a transaction of this store it sees what was
  /// committed before, in a file; a database in memory has one connection, and such a read is refused.
  /// - Throws: `StoreError.busy` for a read that would wait for itself, and what the closure throws.
  public func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard !hearers.isClosed else { throw .closed(path: path) }
    if let snapshot = BodyScope.snapshot(of: hearers) { return try body(snapshot) }
    defer { followed.closeIfDue() }
    return try followed.serving { (database, begin) throws(StoreError) in
      try database.read { (snapshot) throws(StoreError) in
        begin()
        return try body(snapshot)
      }
    }
  }
}

extension OpenDatabase {
  /// Runs a closure with one consistent version of the database.
  func read<Result>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try core.checkOpen()
    return try core.translating {
      try withVersion { database, pinned in
        let access = SnapshotAccess(database, pinned, of: core)
        defer { access.end() }
        let snapshot = SQLiteSnapshot(access)
        return try BodyScope.run(snapshot, of: core) { try body(snapshot) }
      }
    }
  }

  /// Runs a closure in a read transaction whose version is known exactly.
  ///
  /// A commit of this object that is being made while the snapshot is taken leaves open on which side the snapshot is: then it
  /// is taken again.
  private func withVersion<Result>(
    _ body: (Database, StoreCore.Pinned) throws -> Result
  ) throws -> Result {
    for _ in 0..<10_000 {
      // A log tells the version itself.
      if core.catalog == nil, !waitForCommit() { continue }
      let outcome: Result? = try withConnection { database, reading in
        guard let pinned = try core.pin(database, knownTo: reading) else { return nil }
        defer { core.unpin(database) }
        return .some(try body(database, pinned))
      }
      if let outcome { return outcome }
      if core.catalog != nil { _ = waitForCommit() }
    }
    throw StoreError.busy(path: path, waited: core.busyTimeout)
  }

  /// Waits for the commit that is being made.
  /// - Returns: Whether there is none any more.
  private func waitForCommit() -> Bool {
    guard !core.waitForCommit() else { return true }
    writer.unsafeReentrantWrite { core.reconcile(with: $0) }
    return false
  }

  /// Runs a closure with a connection that is in no transaction: the store's own, or one of the pool's.
  private func withConnection<Result>(
    _ body: (Database, ReadingConnection?) throws -> Result
  ) throws -> Result {
    if let reading, let outcome = try reading.read({ try body($0, reading) }) { return outcome }
    let outcome: Result? = try writer.unsafeReentrantRead { database in
      if !database.isInsideTransaction { return .some(try body(database, nil)) }
      // Inside a transaction of the writer, GRDB hands over the writer's connection, which sees what is not committed.
      guard writer is DatabasePool, core.isWriter(database) else {
        throw StoreError.busy(path: path, waited: .zero)
      }
      return nil
    }
    if let outcome { return outcome }
    return try writer.unsafeRead { database in
      guard !database.isInsideTransaction else {
        throw StoreError.busy(path: path, waited: .zero)
      }
      return try body(database, nil)
    }
  }
}
