@testable import SQLitePersistence
import Foundation
import GRDB
import Testing

/// R62: changes of the file itself are reported, and the new file is followed.
@Suite struct `A watch of a file that is replaced` {
  private func start(_ file: WatchedFile, interval: Duration = .seconds(3600)) -> StoreWatch {
    let watch = file.watch(interval: interval)
    watch.start()
    #expect(file.next() == .mayHaveChanged(mark: nil))
    return watch
  }

  private func insert(_ path: String) throws {
    let queue = try WatchedFile.connect(path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
    try queue.close()
  }

  private func move(_ path: String, _ target: String) { #expect(rename(path, target) == 0) }

  #if os(Linux)
  @Test func `a file that is replaced by renaming is followed`() throws {
    let file = try WatchedFile()
    let watch = start(file)
    file.onSign { [weak file] in
      guard $0 == .fileReplaced, let file else { return }
      // The log there is the old file's, which SQLite does not notice.
      for name in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + name) }
      file.open()
    }
    for round in 1...3 {
      let other = file.folder.file("other")
      try WatchedFile.make(other, rows: round * 10)
      move(other, file.path)
      #expect(file.receives(.fileReplaced))
      #expect(file.next() == .mayHaveChanged(mark: [Int64(round * 10)]))
      try insert(file.path)
      #expect(file.receives(row: Int64(round * 10) + 1))
    }
    watch.stop()
  }

  @Test func `a file that is deleted and created again is followed`() throws {
    let file = try WatchedFile()
    let watch = start(file)
    file.onSign { [weak file] in if $0 == .fileBack { file?.open() } }
    for _ in 1...3 {
      for name in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: file.path + name)
      }
      #expect(file.receives(.fileMissing))
      let other = file.folder.file("other")
      try WatchedFile.make(other, rows: 5)
      move(other, file.path)
      #expect(file.receives(.fileBack))
      #expect(file.next() == .mayHaveChanged(mark: [5]))
      try insert(file.path)
      #expect(file.receives(row: 6))
    }
    watch.stop()
  }

  @Test func `a file that is moved away and back is still followed`() throws {
    let file = try WatchedFile()
    let watch = start(file)
    for _ in 1...3 {
      move(file.path, file.path + ".away")
      #expect(file.next() == .fileMissing)
      move(file.path + ".away", file.path)
      #expect(file.next() == .fileBack)
    }
    try insert(file.path)
    #expect(file.receives(row: 1))
    watch.stop()
  }

  @Test func `an attempt to open a file does not cause the next one at once`() throws {
    let file = try WatchedFile()
    let watch = start(file)
    let path = file.path
    // The store's attempt creates and removes side files, and fails.
    file.onSign { _ in try? WatchedFile.connect(path).close() }
    let other = file.folder.file("other")
    try WatchedFile.make(other)
    move(other, file.path)
    #expect(file.next() == .fileReplaced)
    for _ in 0..<3 {
      watch.checkNow()
      #expect(file.next() == .fileReplaced)
    }
    file.onSign { [weak file] _ in file?.open() }
    watch.checkNow()
    #expect(file.next() == .fileReplaced)
    #expect(file.next() == .mayHaveChanged(mark: nil))
    #expect(file.signs.count == 7)
    watch.stop()
  }
  #endif

  @Test func `a folder that is removed and created again is found by the poll`() throws {
    let file = try WatchedFile()
    let watch = start(file, interval: .milliseconds(5))
    file.onSign { [weak file] in if $0 == .fileBack { file?.open() } }
    let other = try TemporaryFolder()
    try WatchedFile.make(other.file(), rows: 3)
    try FileManager.default.removeItem(atPath: file.folder.path)
    #expect(file.receives(.fileMissing))
    try FileManager.default.moveItem(atPath: other.path, toPath: file.folder.path)
    #expect(file.receives(.fileBack))
    #expect(file.next() == .mayHaveChanged(mark: [3]))
    try insert(file.path)
    #expect(file.receives(row: 4))
    watch.stop()
  }

  @Test func `a file that was replaced before the watch began is reported`() throws {
    let file = try WatchedFile()
    let other = file.folder.file("other")
    try WatchedFile.make(other)
    let held = try WatchedFile.connect(file.path)
    move(other, file.path)
    let watch = file.watch()
    watch.start()
    #expect(file.next() == .fileReplaced)
    watch.stop()
    try held.close()
  }

  @Test func `a connection knows whether its file still has its name`() throws {
    let file = try WatchedFile()
    let queue = try WatchedFile.connect(file.path)
    func find() -> FileIdentity.Finding {
      queue.inDatabase { FileIdentity.find(openedBy: $0.sqliteConnection) }
    }
    let before = FileIdentity.find(file.path)
    #expect(find() == before && before.file != nil)
    move(file.path, file.path + ".away")
    #expect(find() == .missing && FileIdentity.find(file.path) == .missing)
    try WatchedFile.make(file.folder.file("other"))
    move(file.folder.file("other"), file.path)
    #expect(find() == .missing && FileIdentity.find(file.path) != before)
    move(file.path + ".away", file.path)
    #expect(find() == before)
    try queue.close()
  }
}
