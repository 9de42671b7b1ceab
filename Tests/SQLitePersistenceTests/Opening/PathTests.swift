import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
@testable import SQLitePersistence
import Testing

/// Unusual paths, and the files beside a database.
@Suite struct `Paths of stores` {
  private func failure(_ path: String, isReadOnly: Bool = false) -> OpenFailure? {
    let options = SQLiteStoreOptions(isReadOnly: isReadOnly, pollInterval: nil)
    do throws(StoreError) {
      try SQLiteStore(at: path, entities: Sample.entities, options: options).close()
      return nil
    } catch {
      if case .cannotOpen(path, let failure) = error { return failure }
      Issue.record("\(error)")
      return nil
    }
  }

  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test(arguments: [true, false])
  func `a store opened through a link is the same store, also while its log has pages`(
    _ isReadOnly: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(at: folder.file(), entities: Sample.entities)
    for number in 0..<60 {
      let values = Sample.values("p", String(repeating: "x", count: 500) + "\(number)")
      try store.write { try $0.insert(values, key: nil, into: Sample.book) }
    }
    // The state that a killed writer leaves.
    for end in ["", "-wal"] {
      try folder.write(try folder.bytes("store.sqlite" + end), to: "killed.sqlite" + end)
    }
    try store.close()
    let link = folder.file("link.sqlite")
    try FileManager.default.createSymbolicLink(
      atPath: link,
      withDestinationPath: isReadOnly ? "killed.sqlite" : folder.file("killed.sqlite")
    )
    let linked = try SQLiteStore(
      at: link,
      entities: Sample.entities,
      options: SQLiteStoreOptions(isReadOnly: isReadOnly, pollInterval: nil)
    )
    #expect(try linked.allRows(of: Sample.book).count == 60)
    try linked.close()
  }

  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func `a pipe and a device are refused at once, and nothing is created beside them`(
    _ isReadOnly: Bool
  ) throws {
    let folder = try TemporaryFolder()
    try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
    for device in ["/dev/null", "/dev/zero"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(String(device.dropFirst(5))),
        withDestinationPath: device
      )
    }
    for name in ["pipe", "null", "zero"] {
      #expect(failure(folder.file(name), isReadOnly: isReadOnly) == .notAFile)
    }
    #expect(try names(folder) == ["null", "pipe", "zero"])
    #expect(!FileManager.default.fileExists(atPath: "/dev/null-journal"))
  }

  @Test func `a path that is too long fails with its length, and the longest one works`() throws {
    let folder = try TemporaryFolder()
    let part = String(repeating: "d", count: 60)
    var path = folder.path
    while path.utf8.count + 61 < 504 { path += "/" + part }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    path += "/"
    let longest = path + String(repeating: "f", count: 504 - path.utf8.count)
    #expect(failure(longest) == nil)
    #expect(failure(longest + "f") == .pathTooLong(byteCount: 505, limit: 504))
    #expect(failure(longest + "f", isReadOnly: true) == .pathTooLong(byteCount: 505, limit: 504))
  }

  @Test func `an empty path and one with a NUL are refused with a reason`() {
    #expect(failure("") == .cannotCreate(detail: "its path is empty"))
    #expect(failure("a\0b") == .cannotCreate(detail: "its path contains a NUL character"))
  }

  @Test func `a name that looks like a URI is a file name`() throws {
    let folder = try TemporaryFolder()
    let before = FileManager.default.currentDirectoryPath
    let name = "file:\(UUID().uuidString).sqlite?mode=memory"
    defer { try? FileManager.default.removeItem(atPath: before + "/" + name) }
    for number in 1...2 {
      let store = try SQLiteStore(at: name, entities: Sample.entities)
      try store.write { try $0.insert([1], key: .text("t\(number)"), into: Sample.tag) }
      #expect(try store.allRows(of: Sample.tag).count == number)
      try store.close()
    }
    #expect(FileManager.default.fileExists(atPath: before + "/" + name))
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: ["read-only", "only reads"])
  func `a store opened only to read leaves nothing beside the file, and the file unchanged`(
    _ mode: String
  ) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(at: folder.file(), entities: Sample.entities)
    try store.write { try $0.insert([1], key: .text("a"), into: Sample.tag) }
    try store.close()
    let whole = try folder.bytes()
    var options = SQLiteStoreOptions(isReadOnly: mode == "read-only", pollInterval: nil)
    options.onlyReads = mode == "only reads"
    for _ in 0..<2 {
      let reader = try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options)
      #expect(try reader.allRows(of: Sample.tag).count == 1)
      #expect(try reader.check().problems == [])
      try reader.close()
      #expect(try names(folder) == ["store.sqlite"])
      #expect(try folder.bytes() == whole)
    }
    // Triggers that are missing or changed are left to the next writer.
    try LogFixture.execute(folder.file(), "DROP TRIGGER _results_1_insert")
    let changed = try folder.bytes()
    let reader = try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options)
    #expect(try reader.allRows(of: Sample.tag).count == 1)
    #expect(try reader.check().problems != [])
    try reader.close()
    #expect(try names(folder) == ["store.sqlite"])
    #expect(try folder.bytes() == changed)
  }

  @Test func `a file that is refused is not written to`() throws {
    let folder = try TemporaryFolder()
    try SQLiteStore(at: folder.file(), entities: Sample.entities).close()
    try LogFixture.execute(
      folder.file(),
      "UPDATE _results_attribute SET type = 'integer16' WHERE name = 'points'"
    )
    let whole = try folder.bytes()
    guard case .schemaMismatch("Score", _) = failure(folder.file()) else {
      Issue.record("It was not refused.")
      return
    }
    #expect(try folder.bytes() == whole)
    #expect(try names(folder) == ["store.sqlite"])
  }

  @Test func `a store opened only to read does not disturb a writer`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(at: folder.file(), entities: Sample.entities)
    try store.write { try $0.insert([1], key: .text("a"), into: Sample.tag) }
    let options = SQLiteStoreOptions(isReadOnly: true, pollInterval: nil)
    let reader = try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options)
    #expect(try reader.allRows(of: Sample.tag).count == 1)
    try reader.close()
    try store.write { try $0.insert([2], key: .text("b"), into: Sample.tag) }
    #expect(try store.allRows(of: Sample.tag).count == 2)
    try store.close()
    #expect(try names(folder) == ["store.sqlite"])
  }
}
