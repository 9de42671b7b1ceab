import GRDB
public import ResultsDomain

extension SQLiteStore {
  /// Makes anew what the store itself keeps in the database: the log of changes and the triggers that write it.
  ///
  /// Entities' tables and everything of an application are left alone. Whoever follows the history then finds a gap, and reads
  /// again.
  /// - Throws: `StoreError.readOnly`, `StoreError.busy` while another process writes, `StoreError.damaged`.
  public func repair() throws(StoreError) {
    try core.checkOpen()
    guard !capabilities.isReadOnly else { throw .readOnly(path: path) }
    guard core.catalog != nil else { return }
    try core.translating {
      try writer.unsafeReentrantWrite { database in
        guard !database.isInsideTransaction else {
          throw StoreError.busy(path: path, waited: .zero)
        }
        try core.rebuildLog(on: database)
      }
    }
  }
}
