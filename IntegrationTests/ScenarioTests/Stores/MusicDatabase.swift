import Foundation
import GRDB
import Testing

/// The database of another application, in a folder in which programs run.
struct MusicDatabase {
  let run: ProgramRun

  init() throws {
    run = try ProgramRun()
    try execute(
      String(contentsOfFile: ProgramFolder.fixture("Databases/music.sql"), encoding: .utf8)
    )
  }

  /// Runs statements as another program would.
  func execute(_ sql: String, in file: String = "music.sqlite") throws {
    var configuration = Configuration()
    // The program may be reading.
    configuration.busyMode = .timeout(30)
    let queue = try DatabaseQueue(path: run.path(file), configuration: configuration)
    try queue.inDatabase { try $0.execute(sql: sql) }
    try queue.close()
  }
}
