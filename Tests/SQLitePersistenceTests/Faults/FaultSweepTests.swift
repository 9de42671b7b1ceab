import CFaultyFiles
import Foundation
import ResultsDomain
import SQLitePersistence
import Testing

/// R71: whichever call to the file system fails, what was committed stays, the list is never wrong in silence, and goes on.
///
/// `RESULTS_TORTURE_OPERATIONS`, as `script/torture` sets it, makes every single call fail, not only some.
@Suite("Files that fail", .serialized)
struct FaultSweepTests {
  private static let isLong =
    ProcessInfo.processInfo.environment["RESULTS_TORTURE_OPERATIONS"] != nil

  /// Which of some calls are to fail: the first ones, then ever fewer.
  private func numbers(below count: Int64) -> [Int64] {
    var numbers: [Int64] = []
    var next: Int64 = 0
    while next < count {
      numbers.append(next)
      next += Self.isLong ? 1 : 1 + next
    }
    return numbers
  }

  @Test(
    .timeLimit(.minutes(60)),
    arguments: [Fault.diskFull, .write, .sync, .truncate, .read]
  )
  func `a call that fails loses nothing that was committed`(_ fault: Fault) async throws {
    let faultless = try await FaultyShelf()
    fault.arm(from: .max)
    await faultless.work()
    let count = faulty_disarm()
    try #require(count > 0 && faultless.errors.isEmpty)
    try await faultless.expectWhole("without a fault")

    var errors: [any Error] = []
    for number in numbers(below: count) {
      for fault in [fault, fault.lasting] {
        let shelf = try await FaultyShelf()
        fault.arm(from: number)
        await shelf.work()
        let failures = faulty_failures()
        errors += shelf.errors
        try await shelf.expectWhole("\(fault) at \(number), \(failures) failures")
      }
    }
    // A log that cannot be cut is used again from its beginning, so nobody needs to know.
    #expect(errors.isEmpty == (fault.kinds == Fault.truncate.kinds))
    for error in errors { #expect(fault.explains(error), "\(fault): \(error)") }
  }

  @Test(.timeLimit(.minutes(60)), arguments: Fault.all, [true, false])
  func `opening that fails leaves the file as it was`(_ fault: Fault, isNew: Bool) throws {
    try #require(faulty_install() == 0)
    var count: Int64 = 0
    var errors: [any Error] = []
    var number: Int64 = -1
    repeat {
      for fault in [fault, fault.lasting] {
        let folder = try TemporaryFolder()
        let path = folder.file(FaultyShelf.fileName)
        if !isNew { try useStore(at: path) }
        // The first time nothing fails, but the calls are counted.
        fault.arm(from: number < 0 ? .max : number)
        do {
          try useStore(at: path)
        } catch {
          errors.append(error)
        }
        count = max(count, number < 0 ? faulty_disarm() : count)
        faulty_disarm()
        let comment: Comment = "\(fault) at \(number)"
        try useStore(at: path)
        let store = try SQLiteStore(at: path, entities: Sample.entities)
        #expect(try store.check().problems == [], comment)
        let rows = try store.allRows(of: Sample.book)
        #expect((isNew ? 1...2 : 2...3).contains(rows.count), comment)
        #expect(Set(rows.map { $0["title"] }) == ["kept"], comment)
        try store.close()
      }
      number += number < 0 || Self.isLong ? 1 : 1 + number
    } while number < count
    // A log that is there already is neither cut nor forced to the disk.
    #expect(count > 0 || fault.kinds == Fault.truncate.kinds || fault.kinds == Fault.sync.kinds)
    for error in errors { #expect(fault.explains(error), "\(fault): \(error)") }
  }

  /// Opens a store, lists and adds a book, and closes it.
  private func useStore(at path: String) throws {
    let store = try SQLiteStore(at: path, entities: Sample.entities, options: FaultyShelf.options)
    defer { try? store.close() }
    let found = try store.allRows(of: Sample.book).map { $0["title"] }
    #expect(found.allSatisfy { $0 == "kept" })
    try store.write { try $0.insert(Sample.values("p", "kept"), key: nil, into: Sample.book) }
  }

  @Test(.timeLimit(.minutes(15)))
  func `the subscriber is told of a failure, and what was last good stays`() async throws {
    var toldCount = 0
    for number in 0..<12 {
      let shelf = try await FaultyShelf()
      let before = try shelf.shownGeneration
      try shelf.commitElsewhere()
      Fault.read.lasting.arm(from: Int64(number))
      await shelf.attempt { try await shelf.refresh() }
      // The first reads only look whether there is a commit; who asked for that is answered, and nobody else.
      if shelf.hasFailed {
        toldCount += 1
        let told = try #require(try await shelf.nextFailure())
        #expect(Fault.read.explains(told), "\(told)")
        #expect(shelf.errors.count == 1)
        #expect(try shelf.shownGeneration == before)
      }
      try await shelf.expectWhole("a failure from read \(number) on")
    }
    #expect(toldCount > 0)
  }
}

extension Fault {
  /// Whether an error says what a fault did.
  fileprivate func explains(_ error: any Error) -> Bool {
    switch error {
    case StoreError.diskFull: code == Fault.diskFull.code
    case StoreError.inputOutput: code != Fault.diskFull.code
    case StoreError.cannotOpen(_, .noPermission), StoreError.cannotOpen(_, .cannotCreate):
      code == Fault.open.code
    default: false
    }
  }
}
