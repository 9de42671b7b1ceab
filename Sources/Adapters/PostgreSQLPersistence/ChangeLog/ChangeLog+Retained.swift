#if PostgreSQL
import ResultsDomain
import ResultsStoreKit

// MARK: - Commits for later processes

extension ChangeLog {
  /// The transactions of stores whose rows the log still has, by the step of their marker.
  /// - Returns: `nil` if changes of some table are not in the log.
  /// - Throws: The store's error.
  /// - Complexity: O(*n*) in the rows of the log.
  func retainedCommits(
    in pinned: PinnedVersion,
    on connection: Connection
  ) throws(StoreError) -> RetainedCommits? {
    guard let reading = pinned.reading, reading.layout.isComplete else { return nil }
    let log = "\(schema.quoted).log"
    do throws(PostgreSQLFailure) {
      let results = try connection.run([
        Statement(
          "SELECT l.step, l.note FROM \(log) l WHERE l.kind = 'm' AND l.xid >= $1 ORDER BY l.step",
          [.transaction(reading.trimmed)]
        ),
        Statement("SELECT min(l.step) FROM \(log) l"),
      ])
      let found = results[0]
      let commits = (0..<found.count).map { row in
        RetainedCommits.Commit(
          number: UInt64(clamping: found.integer(row, 0) ?? 0),
          origin: CommitOrigin(found.text(row, 1) ?? "")
        )
      }
      return RetainedCommits(commits, isWhole: results[1].integer(0, 0) == 1)
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
  }

  /// The changes of some tables from a retained commit on.
  ///
  /// Of transactions that commute it does not matter which comes first: they have the order of their last changes.
  /// - Throws: The store's error.
  func history(
    from commit: RetainedCommits.Commit,
    ofEach tables: [EntityTable],
    in pinned: PinnedVersion,
    on connection: Connection
  ) throws(StoreError) -> StoreHistory {
    guard let reading = pinned.reading, reading.layout.isComplete else { return .gap(.otherWriter) }
    let indexes = tables.map(\.index)
    let fresh = FreshReader(
      schema: schema,
      tables: self.tables,
      layout: reading.layout,
      writer: writer
    )
    let number = Int64(clamping: commit.number)
    do throws(PostgreSQLFailure) {
      let results = try connection.run([
        Statement(FreshReader.since(commitIn: schema), [.integer(number)]),
        Statement("SELECT pg_catalog.pg_current_xact_id_if_assigned()"),
      ])
      guard let groups = fresh.groups(results[0]),
        groups.contains(where: { $0.transaction >= reading.trimmed && $0.markerStep == number })
      else { return .gap(.trimmed) }
      let current = results[1].unsigned(0, 0)
      for group in groups where group.transaction != current {
        for index in indexes {
          if let reason = group.gaps[index] { return .gap(reason) }
        }
      }
      let net = try fresh.netChanges(of: groups, ofTables: indexes, on: connection)
      guard net.unreadable.isEmpty else { return .gap(.otherWriter) }
      return .commits(
        zip(groups, net.changes).compactMap { group, changes in
          let wanted = indexes.flatMap { changes[$0] ?? [] }
          guard !wanted.isEmpty, group.transaction != current else { return nil }
          return CommitRecord(
            version: StoreVersion(
              epoch: pinned.version.epoch,
              sequence: UInt64(clamping: group.lastStep)
            ),
            origin: group.origin,
            isOwn: group.isOwn,
            changes: wanted
          )
        }
      )
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
  }
}
#endif
