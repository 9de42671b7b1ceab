public import ResultsDomain

extension FetchedResultsController {
  /// Brings the list up to date, and counts some of its blocks again if an index has its keys.
  ///
  /// Every commit is counted as it is told; a row that was written past everything that tells would go unseen. Where a block has another
  /// number of rows than was counted, the list is counted anew and told as a reset. It is done by itself in idle time too (`ResultsOptions.auditPeriod`).
  /// - Parameter blocks: How many blocks; each call takes others.
  /// - Returns: How many blocks were counted, and how many of them did not fit; none were if the list holds its keys.
  /// - Throws: The store's error, which subscribers are told too.
  /// - Complexity: O(*k* log *n*) for *k* blocks.
  @discardableResult
  public func audit(blocks: Int = 16) async throws(StoreError) -> ListAudit {
    let list = list
    return try await onStoreThreads { () throws(StoreError) in try list.audit(blocks: blocks) }
  }
}
