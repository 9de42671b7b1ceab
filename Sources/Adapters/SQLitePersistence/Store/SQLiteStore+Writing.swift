import GRDB
public import ResultsDomain

extension SQLiteStore {
  /// Runs a closure as one transaction, after those that are running.
  ///
  /// The closure is given a `SQLiteTransaction`. Net changes are told exactly, also those that triggers, foreign keys and the
  /// application's own statements make in rows of the store's entities.
  /// - Throws: `StoreError.busy` if another process keeps the database, or inside another transaction of this store.
  @discardableResult
  public func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    defer { followed.closeIfDue() }
    do {
      return try followed.serving { (database, begin) throws(StoreError) in
        try database.commit(origin: origin) { transaction in
          begin()
          return try body(transaction)
        }
      }
    } catch {
      if case .inputOutput = error { followed.noticeFile() }
      throw error
    }
  }
}

extension OpenDatabase {
  /// Runs a closure as one transaction.
  func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    try core.checkOpen()
    guard !capabilities.isReadOnly else { throw .readOnly(path: path) }
    return try core.translating {
      try writer.unsafeReentrantWrite { database in
        guard !database.isInsideTransaction else {
          throw StoreError.busy(path: path, waited: .zero)
        }
        try core.checkOpen()
        core.reconcile(with: database)
        try database.beginTransaction(.immediate)
        do {
          return try commit(origin: origin, body, on: database)
        } catch {
          if database.isInsideTransaction { try? database.rollback() }
          core.didRollback(on: database)
          core.mendStrayCommit(on: database)
          throw error
        }
      }
    }
  }

  private func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result,
    on database: Database
  ) throws -> Committed<Result> {
    // From here on nobody else can commit, so what is noticed now came before.
    let start = try core.startCommit(on: database)
    let pinned = StoreCore.Pinned(version: start?.version ?? core.version, position: start)
    let access = SnapshotAccess(database, pinned, of: core, committed: writer)
    let transaction = SQLiteTransaction(access)
    defer { transaction.end() }
    let result = try BodyScope.run(nil, of: core) { try body(transaction) }
    guard database.isInsideTransaction else {
      throw StoreError.unexpected(path: path, detail: "the closure ended its own transaction")
    }
    let changes = try core.finishCommit(start, origin: origin, on: database)
    if !ownsWriter, let changes {
      // Statements that are stepped through SQLite itself pass GRDB's observers by.
      for place in changes.keys.sorted() {
        try database.notifyChanges(in: Table(core.tables.all[place].entity.name))
      }
    }
    try core.checkFile(of: database)
    let version = core.preparedVersion(start)
    core.holdHints()
    defer {
      let count = changes.map { $0.values.reduce(0) { $0 + $1.count } }
      core.releaseHints(changing: count, on: database)
    }
    try database.commit()
    core.settle(on: database)
    return Committed(result: result, version: version ?? core.version)
  }
}
