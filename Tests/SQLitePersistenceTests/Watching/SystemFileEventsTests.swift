#if os(Linux)
import ResultsStoreKit
@testable import SQLitePersistence
import Foundation
import GRDB
import Testing

/// R62: all changes of a store's files are reported, and nothing else is.
@Suite struct `Events of a store's files` {
  /// A change in the folder of a store.
  struct FolderChange: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let sign: FileSign
    let happen: @Sendable (TemporaryFolder) throws -> Void

    init(
      _ testDescription: String,
      _ sign: FileSign,
      _ happen: @escaping @Sendable (TemporaryFolder) throws -> Void
    ) {
      self.testDescription = testDescription
      self.sign = sign
      self.happen = happen
    }
  }

  private static let main = "store.sqlite"
  private static let log = "store.sqlite-wal"
  private static let journal = "store.sqlite-journal"

  private static func append(_ folder: TemporaryFolder, _ name: String) throws {
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file(name)))
    try handle.seekToEnd()
    try handle.write(contentsOf: [1])
    try handle.close()
  }

  private static func move(_ folder: TemporaryFolder, _ name: String, _ target: String) throws {
    guard rename(folder.file(name), folder.file(target)) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  private static func remove(_ folder: TemporaryFolder, _ name: String) throws {
    try FileManager.default.removeItem(atPath: folder.file(name))
  }

  private static let changes = [
    FolderChange("the database is written", .changed) { try append($0, main) },
    FolderChange("the log is written", .changed) { try append($0, log) },
    FolderChange("the journal is written", .changed) { try append($0, journal) },
    FolderChange("the log is shortened", .changed) { _ = truncate($0.file(log), 0) },
    FolderChange("the log is deleted", .changed) { try remove($0, log) },
    FolderChange("the log is moved away", .changed) { try move($0, log, "x") },
    FolderChange("the journal is deleted", .changed) { try remove($0, journal) },
    FolderChange("the database is deleted", .changed) { try remove($0, main) },
    FolderChange("the database is moved away", .changed) { try move($0, main, "x") },
    FolderChange("the database is replaced", .changed) { try move($0, "other", main) },
    FolderChange("the log is replaced", .changed) { try move($0, "other", log) },
    FolderChange("the folder is moved", .changed) {
      _ = rename($0.path, $0.path + "-moved")
      _ = rename($0.path + "-moved", $0.path)
    },
    FolderChange("another file is written", .timePassed) { try append($0, "other") },
    FolderChange("another file comes", .timePassed) { try $0.write([1], to: "store.sqlite-wall") },
    FolderChange("another file goes", .timePassed) { try remove($0, "other") },
    FolderChange("a cache comes", .timePassed) { folder in
      let caches = folder.file("store.sqlite-caches")
      try FileManager.default.createDirectory(atPath: caches, withIntermediateDirectories: true)
      try folder.write([1], to: "store.sqlite-caches/list")
      try remove(folder, "store.sqlite-caches")
    },
    FolderChange("the database is read", .timePassed) { _ = try $0.bytes() },
  ]

  private func listen() throws -> (TemporaryFolder, SystemFileEvents) {
    let folder = try TemporaryFolder()
    for name in [Self.main, Self.log, Self.journal, "other"] { try folder.write([0], to: name) }
    return (folder, try #require(SystemFileEvents(path: folder.file())))
  }

  @Test(arguments: changes) func `a change in the folder`(_ change: FolderChange) throws {
    let (folder, events) = try listen()
    try change.happen(folder)
    #expect(events.wait(atMost: .zero) == change.sign)
    #expect(events.wait(atMost: .zero) == .timePassed, "it is reported once")
  }

  @Test(arguments: [main, log, journal])
  func `a file that is removed and created again is followed`(_ name: String) throws {
    let (folder, events) = try listen()
    for _ in 0..<3 {
      try Self.remove(folder, name)
      #expect(events.wait(atMost: .zero) == .changed)
      try folder.write([0], to: name)
      #expect(events.wait(atMost: .zero) == .changed)
      try Self.append(folder, name)
      #expect(events.wait(atMost: .zero) == .changed)
    }
  }

  @Test func `changes of a link's target are reported`() throws {
    let folder = try TemporaryFolder()
    let real = try TemporaryFolder()
    try real.write([0], to: "real")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file(),
      withDestinationPath: real.file("real")
    )
    let events = try #require(SystemFileEvents(path: folder.file()))
    try real.write([0], to: "real-wal")
    #expect(events.wait(atMost: .zero) == .changed)
    try Self.append(real, "real-wal")
    #expect(events.wait(atMost: .zero) == .changed)
  }

  @Test func `a folder that is removed and created again is followed after a renewal`() throws {
    let (folder, events) = try listen()
    try FileManager.default.removeItem(atPath: folder.path)
    #expect(events.wait(atMost: .zero) == .changed)
    try FileManager.default.createDirectory(
      atPath: folder.path,
      withIntermediateDirectories: true
    )
    try folder.write([0])
    events.renew()
    _ = events.wait(atMost: .zero)
    try Self.append(folder, Self.main)
    #expect(events.wait(atMost: .zero) == .changed)
  }

  @Test func `a pause reports no change, and loses none`() throws {
    let (folder, events) = try listen()
    try Self.append(folder, Self.log)
    #expect(events.pause(for: .zero) == .timePassed)
    #expect(events.wait(atMost: .seconds(60)) == .changed)
  }

  @Test func `an interruption ends the next wait, once`() throws {
    let (folder, events) = try listen()
    defer { withExtendedLifetime(folder) {} }
    events.interrupt()
    #expect(events.wait(atMost: .seconds(60)) == .interrupted)
    #expect(events.wait(atMost: .zero) == .timePassed)
    events.interrupt()
    #expect(events.pause(for: .seconds(60)) == .interrupted)
  }

  @Test func `a path without events is waited for by time`() throws {
    let events = try #require(SystemFileEvents(path: "/no such folder/x"))
    #expect(events.wait(atMost: .milliseconds(1)) == .timePassed)
    events.renew()
    let timed = TimedFileEvents()
    #expect(timed.wait(atMost: .milliseconds(1)) == .timePassed)
    timed.interrupt()
    #expect(timed.wait(atMost: .seconds(Int64.max)) == .interrupted)
  }
}
#endif
