import CommandLineFrontEnd
import ProgramFrontEnd
import ResultsDomain
package import ResultsStoreKit
import SQLitePersistence
import Synchronization

/// Databases of other applications, in a file or on a server, as the programs that discover them open them.
///
/// The lock guards which file is held from its first description until its store is open; nothing is done while it is held.
package enum DiscoveredStores {
  private static let held = Mutex<HeldFile?>(nil)

  /// Describes a database.
  ///
  /// The first file stays open until a store has opened it, or the program ends.
  /// - Parameters:
  ///   - text: The file's path, or the URL of a database on a server.
  ///   - names: The tables that are needed, with those that they are connected with; `nil` for all. On a server all are described, and
  ///     those that only these names find.
  ///   - program: The program's name, for a message.
  ///   - busyTimeout: How long to wait for another writer.
  ///   - timeLimit: How long rows may be read in a file, and how long each statement may run on a server.
  /// - Returns: The description.
  /// - Throws: `CommandFailure` for a URL that cannot be used, or needs another build, and the store's error.
  package static func describe(
    _ text: String,
    naming names: [String]?,
    for program: String,
    busyTimeout: Duration = .seconds(5),
    timeLimit: Duration = .seconds(10)
  ) throws -> any DescribedDatabase {
    guard let url = DatabaseURL(text) else {
      return try DatabaseDescription(
        at: text,
        describing: names,
        busyTimeout: busyTimeout,
        timeLimit: timeLimit,
        holding: heldFile(text)
      )
    }
    guard !url.containsPassword else { throw DatabaseURL.passwordRefusal }
    return try DatabaseStores.describe(
      url.text,
      naming: names ?? [],
      for: program,
      busyTimeout: busyTimeout,
      timeLimit: timeLimit
    )
  }

  /// What holds a file: the first one that is described.
  private static func heldFile(_ path: String) -> HeldFile? {
    let (file, isNew) = held.withLock { held in
      let isNew = held == nil
      let file = held ?? HeldFile(path)
      held = file
      return (file, isNew)
    }
    if isNew { OpenStores.callAtEnd { file.close() } }
    return file.path == path ? file : nil
  }

  /// Returns lines about how a discovered store is read and followed.
  /// - Throws: The store's error.
  package static func diagnose(_ store: any Store) throws -> [String] {
    if let union = store as? UnionStore { return try diagnose(union.base) }
    if let lines = try DatabaseStores.diagnose(store) { return lines }
    guard let store = store as? SQLiteStore else { return [] }
    return [
      "capture    \(store.capture)",
      store.readsCopies
        ? "reading    copies of the file, without a lock"
        : "reading    the file"
          + (store.isReadDirectly ? ", locked against writers meanwhile" : ""),
    ]
  }

  /// Whether a writer that does not wait may find the store's file locked.
  package static func locksWriters(_ store: any Store) -> Bool {
    let store = (store as? UnionStore)?.base ?? store
    return (store as? SQLiteStore)?.isReadDirectly == true
  }
}
