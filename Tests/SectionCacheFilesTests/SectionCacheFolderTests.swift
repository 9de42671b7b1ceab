import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Testing

@testable import SectionCacheFiles

/// R88: where named caches lie, and that nothing outside of them is touched.
@Suite("A folder of caches")
struct SectionCacheFolderTests {
  /// Calls a closure with a folder that is removed afterwards.
  private func withFolder(_ body: (URL, SectionCacheFolder) throws -> Void) throws {
    let parent = FileManager.default.temporaryDirectory
      .appending(path: "caches-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: parent) }
    let store = parent.appending(path: "books.sqlite").path(percentEncoded: false)
    try body(parent, SectionCacheFolder(besideStoreAt: store))
  }

  @Test func `what is saved is loaded, and what is saved again replaces it`() throws {
    try withFolder { parent, caches in
      #expect(try caches.load("Demo") == nil)
      #expect(try caches.entries().isEmpty)
      try caches.save([1, 2, 3], as: "Demo")
      #expect(try caches.load("Demo") == [1, 2, 3])
      try caches.save([], as: "Demo")
      #expect(try caches.load("Demo") == [])
      let folder = try FileManager.default.contentsOfDirectory(atPath: parent.path())
      #expect(folder == ["books.sqlite-caches"])
    }
  }

  @Test(arguments: [10, 300_000, 1_000_000])
  func `what was opened stays what it was, whatever becomes of the name`(count: Int) throws {
    try withFolder { _, caches in
      #expect(try caches.open("Demo") == nil)
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
      try caches.save(bytes, as: "Demo")
      let opened = try #require(try caches.open("Demo"))
      let other = try #require(try caches.open("Demo"))
      #expect(opened.count == count)
      #expect(opened.bytes(in: 0..<count) == bytes)
      try caches.save([1], as: "Demo")
      #expect(opened.bytes(in: count / 2..<count) == Array(bytes[(count / 2)...]))
      #expect(try caches.remove("Demo"))
      #expect(other.bytes(in: 3..<7) == Array(bytes[3..<7]))
    }
  }

  @Test func `a file that becomes shorter gives no bytes and ends nothing`() throws {
    try withFolder { _, caches in
      try caches.save(Array(repeating: 7, count: 1_000_000), as: "demo")
      let opened = try #require(try caches.open("demo"))
      let file = caches.folder.appending(path: "demo.sectioncache")
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: 400_000)
      try handle.close()
      #expect(opened.bytes(in: 0..<300_000)?.count == 300_000)
      #expect(opened.bytes(in: 300_000..<500_000) == nil)
    }
  }

  @Test func `R162: a store that is no file has a folder among the user's caches`() throws {
    let name = "postgresql://ann@db.example.org/books"
    func folder(_ name: String, _ environment: [String: String]) -> String? {
      SectionCacheFolder(forStoreNamed: name, of: "book-catalog", environment: environment)?
        .folder.path(percentEncoded: false)
    }
    let set = try #require(folder(name, ["XDG_CACHE_HOME": "/caches", "HOME": "/home/ann"]))
    #expect(set.hasPrefix("/caches/book-catalog/postgresql"))
    #expect(!set.dropFirst("/caches/book-catalog/".count).dropLast().contains("/"))
    let home = folder(name, ["XDG_CACHE_HOME": "relative", "HOME": "/home/ann"])
    #expect(home?.hasPrefix("/home/ann/.cache/book-catalog/") == true)
    #expect(folder(name, [:]) == nil)
    let long = name + String(repeating: "x", count: 300)
    let names = [name, name + "2", long, long + "x"].compactMap { folder($0, ["HOME": "/h"]) }
    #expect(Set(names).count == 4)
    #expect(names.allSatisfy { $0.split(separator: "/").allSatisfy { $0.utf8.count < 256 } })
  }

  static let names = [
    "Demo", "demo", "DEMO", "", ".", "..", "/", "../escape", "a/b", "a\\b", "%", "%2e", "NUL",
    "con",
    "が", "か\u{3099}", "é", "e\u{301}", "\u{0}", "new\nline", "transactionSortedByDate", "+", "🇯🇵",
    String(repeating: "長", count: 300), String(repeating: "長", count: 299) + "短",
    String(repeating: "x", count: 10_000),
  ]

  @Test func `every name has a file of its own in the folder`() throws {
    try withFolder { parent, caches in
      for (index, name) in Self.names.enumerated() {
        try caches.save([UInt8(index)], as: name)
      }
      for (index, name) in Self.names.enumerated() {
        #expect(try caches.load(name) == [UInt8(index)], "\(name.prefix(20))")
      }
      let entries = try caches.entries()
      #expect(Set(entries.map { Value.text($0.name) }) == Set(Self.names.map { Value.text($0) }))
      #expect(entries.allSatisfy { $0.byteCount > 0 && $0.writtenAt != nil })
      let files = try FileManager.default.contentsOfDirectory(atPath: caches.folder.path())
      // Apart even where a file system takes no notice of case.
      #expect(Set(files.map { $0.lowercased() }).count == Self.names.count)
      #expect(files.allSatisfy { $0.utf8.count <= 255 && $0.utf8.allSatisfy { $0 < 128 } })
      #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path()).count == 1)
    }
  }

  @Test func `one is removed by name, and all without touching other files`() throws {
    try withFolder { _, caches in
      #expect(try caches.remove("Demo") == false)
      #expect(try caches.removeAll() == 0)
      for name in ["a", "b", "c"] { try caches.save([1], as: name) }
      #expect(try caches.remove("b"))
      #expect(try caches.remove("b") == false)
      let notes = caches.folder.appending(path: "notes.txt")
      let letter = caches.folder.appending(path: "letter.draft")
      let draft = caches.folder.appending(path: draftName())
      for file in [notes, letter, draft] { try Data([1]).write(to: file) }
      #expect(try caches.removeAll() == 2)
      #expect(FileManager.default.fileExists(atPath: notes.path()))
      #expect(FileManager.default.fileExists(atPath: letter.path()))
      #expect(!FileManager.default.fileExists(atPath: draft.path()))
    }
  }

  @Test
  func `a process that ended while it wrote leaves the old cache, and its draft goes in time`()
    throws
  {
    try withFolder { _, caches in
      try caches.save([1, 2], as: "Demo")
      let (young, old, letter) = (draftName(), draftName(), "letter.draft")
      for file in [young, old, letter] {
        try Data([9]).write(to: caches.folder.appending(path: file))
      }
      for file in [old, letter] {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 0)],
          ofItemAtPath: caches.folder.appending(path: file).path()
        )
      }
      #expect(try caches.load("Demo") == [1, 2])
      #expect(try caches.entries().map(\.name) == ["Demo"])
      try caches.save([3], as: "Demo")
      let files = try FileManager.default.contentsOfDirectory(atPath: caches.folder.path())
      #expect(files.contains(young) && files.contains(letter))
      #expect(!files.contains(old))
    }
  }

  @Test func `in a folder that is a link only what is a cache is removed`() throws {
    try withFolder { parent, caches in
      let mine = parent.appending(path: "mine")
      try FileManager.default.createDirectory(at: mine, withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(
        atPath: parent.appending(path: "link").path(),
        withDestinationPath: "mine"
      )
      let linked = SectionCacheFolder(at: parent.appending(path: "link"))
      let others = [draftName(), "x.sectioncache"]
      for file in others {
        try Data("a letter\n".utf8).write(to: mine.appending(path: file))
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 0)],
          ofItemAtPath: mine.appending(path: file).path()
        )
      }
      try linked.save([1], as: "a")
      #expect(try linked.load("a") == [1])
      #expect(try linked.removeAll() == 1)
      let files = try FileManager.default.contentsOfDirectory(atPath: mine.path())
      #expect(files.sorted() == others.sorted())
    }
  }

  /// A name as of a file that is being written.
  private func draftName() -> String { UUID().uuidString.lowercased() + ".draft" }

  @Test func `only the owner may read the caches`() throws {
    try withFolder { _, caches in
      try caches.save([1], as: "demo")
      for path in [caches.folder, caches.folder.appending(path: "demo.sectioncache")] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path.path())
        let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
        #expect(mode & 0o077 == 0)
      }
    }
  }

  @Test func `a file that begins with another name is handed over whole`() throws {
    try withFolder { _, caches in
      try caches.save([1, 2, 3], as: "one")
      let (one, two) = ("one.sectioncache", "two.sectioncache")
      try FileManager.default.copyItem(
        at: caches.folder.appending(path: one),
        to: caches.folder.appending(path: two)
      )
      #expect(try caches.load("two")?.starts(with: "section cache one\n".utf8) == true)
      try caches.save(Array(repeating: 1, count: 400_000), as: "one")
      try FileManager.default.removeItem(at: caches.folder.appending(path: two))
      try FileManager.default.copyItem(
        at: caches.folder.appending(path: one),
        to: caches.folder.appending(path: two)
      )
      let opened = try #require(try caches.open("two"))
      #expect(opened.bytes(in: 0..<18) == Array("section cache one\n".utf8))
      #expect(try caches.open("one")?.count == 400_000)
    }
  }

  @Test func `what is no file, or cannot be made, is a failure that says where`() throws {
    try withFolder { parent, caches in
      try FileManager.default.createDirectory(
        at: caches.folder.appending(path: "demo.sectioncache"),
        withIntermediateDirectories: true
      )
      #expect(throws: SectionCacheFailure.self) { try caches.load("demo") }
      #expect(throws: SectionCacheFailure.self) { try caches.save([1], as: "demo") }
      let files = try FileManager.default.contentsOfDirectory(atPath: caches.folder.path())
      #expect(files == ["demo.sectioncache"])
      let file = parent.appending(path: "file")
      try Data().write(to: file)
      let inside = SectionCacheFolder(at: file.appending(path: "folder"))
      #expect(throws: SectionCacheFailure.self) { try inside.save([1], as: "demo") }
      #expect(try inside.load("demo") == nil)
    }
  }

  @Test func `a read-only storage reads and changes nothing`() throws {
    try withFolder { _, caches in
      try caches.save([1], as: "demo")
      let reader = SectionCacheFolder(at: caches.folder, isReadOnly: true)
      #expect(try reader.load("demo") == [1])
      #expect(throws: SectionCacheFailure.self) { try reader.save([2], as: "demo") }
      #expect(throws: SectionCacheFailure.self) { try reader.remove("demo") }
      #expect(throws: SectionCacheFailure.self) { try reader.removeAll() }
      #expect(try caches.load("demo") == [1])
    }
  }
}
