#if os(Linux)
@testable import SQLitePersistence
import Foundation
import GRDB
import ResultsDomain
import Testing

/// R60: the process that keeps a store from being written is named.
@Suite struct `The process that locks a store` {
  @Test(.enabled(if: SQLiteProcess.isThere), arguments: ["wal", "delete"])
  func `another process is named while it writes`(_ journal: String) throws {
    let file = try WatchedFile(journal: journal)
    let process = try SQLiteProcess(file.path)
    try process.run("SELECT count(*) FROM t")
    #expect(LockHolder.writing(file.path) == nil)
    try process.run("BEGIN IMMEDIATE")
    let holder = LockHolder(processID: process.processID, name: "sqlite3")
    #expect(LockHolder.writing(file.path) == holder)
    #expect(holder.description == "sqlite3 (process \(process.processID))")
    try process.run("INSERT INTO t DEFAULT VALUES; COMMIT")
    #expect(LockHolder.writing(file.path) == nil)
    try process.close()
  }

  @Test(arguments: ["wal", "delete"])
  func `a connection of this process is recognized`(_ journal: String) throws {
    let file = try WatchedFile(journal: journal)
    let queue = try DatabaseQueue(path: file.path)
    try queue.inDatabase { database in
      try database.beginTransaction(.immediate)
      let holder = LockHolder.writing(file.path)
      #expect(holder?.isThisProcess == true)
      #expect(holder?.description == "another connection of this process")
      // The query has not released the lock.
      #expect(throws: DatabaseError.self) {
        try DatabaseQueue(path: file.path).writeWithoutTransaction {
          try $0.beginTransaction(.immediate)
        }
      }
      try database.rollback()
    }
    #expect(LockHolder.writing(file.path) == nil)
  }

  @Test(.enabled(if: SQLiteProcess.isThere))
  func `a process's name cannot disturb a message`() throws {
    let file = try WatchedFile()
    let link = file.folder.file("a\u{1B}[31m\nb")
    try FileManager.default.createSymbolicLink(
      atPath: link,
      withDestinationPath: "/usr/bin/sqlite3"
    )
    let process = try SQLiteProcess(file.path, executable: link)
    try process.run("BEGIN IMMEDIATE")
    #expect(LockHolder.writing(file.path)?.name == "a[31mb")
    try process.close()
  }

  @Test(arguments: ["", ":memory:", "/no such folder/x", "\0"])
  func `a missing file has no lock holder`(_ path: String) {
    #expect(LockHolder.writing(path) == nil)
  }
}
#endif
