import ResultsDomain

extension LiveList {
  /// Counts some blocks of a list over an index again, after leading it to the present version of every writer.
  ///
  /// Which blocks follows a sequence that spreads evenly over the list, however long it goes on (multiples of the golden ratio).
  /// - Throws: The store's error, which has been told.
  func audit(blocks: Int) throws(StoreError) -> ListAudit {
    chooseBlocks(blocks)
    try bringUpToDate()
    return lastAudit
  }

  /// Counts a few blocks again whenever the list has rested for a while.
  func auditInIdleTime() {
    guard let auditPeriod, case .indexed = engine?.snapshot.keys else { return }
    startAuditing { [clock, weak self] in
      var last: StoreVersion?
      while (try? await clock.sleep(for: auditPeriod)) != nil, let self {
        guard let snapshot = self.engine?.snapshot, case .indexed = snapshot.keys else { continue }
        let hasRested = snapshot.version == last
        last = snapshot.version
        guard hasRested, !self.isPaused else { continue }
        _ = try? self.audit(blocks: 4)
      }
    }
  }
}
