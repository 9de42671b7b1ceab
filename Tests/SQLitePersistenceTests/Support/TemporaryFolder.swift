import ResultsStoreKit
import Foundation
import GRDB

/// A folder for one test's files, which is deleted with the object.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("SQLitePersistenceTests-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in the folder.
  func file(_ name: String = "store.sqlite") -> String { path + "/" + name }

  /// The bytes of a file in the folder.
  func bytes(_ name: String = "store.sqlite") throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: file(name)))
  }

  /// Writes a file.
  func write(_ bytes: some Sequence<UInt8>, to name: String = "store.sqlite") throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
  }

  /// Runs statements in the database of the folder on a connection of their own, as another program does.
  ///
  /// It waits for the moments in which a store writes its log, as programs beside a store must.
  func execute(_ sql: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    let queue = try DatabaseQueue(path: file(), configuration: configuration)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }
}
