import CFaultyFiles
import Foundation
import ResultsDomain
import SQLitePersistence
import Testing

/// R71: when any call to the file system fails, commits are not lost, and the list either is correct or reports the failure, and continues.
///
/// `RESULTS_TORTURE_OPERATIONS`, as `script/torture` sets it, makes every single call fail, not only some.
@Suite("Files that fail", .serialized)
struct FaultSweepTests {
  private static let isLong =
    ProcessInfo.processInfo.environment["RESULTS_TORTURE_OPERATIONS"] != nil

  /// The numbers of the calls that fail: the first ones, then at growing distances.
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
  func `a failing call loses no commit`(_ fault: Fault) async throws {
    let faultless = try await FaultScenario()
    fault.arm(from: .max)
    await faultless.work()
    let count = faulty_disarm()
    try #require(count > 0 && faultless.errors.isEmpty)
    try await faultless.expectWhole("without a fault")

    var errors: [any Error] = []
    for number in numbers(below: count) {
      for fault in [fault, fault.lasting] {
        let scenario = try await FaultScenario()
        fault.arm(from: number)
        await scenario.work()
        let failures = faulty_failures()
        errors += scenario.errors
        try await scenario.expectWhole("\(fault) at \(number), \(failures) failures")
      }
    }
    // A log that cannot be truncated is reused from its beginning, so there is nothing to report.
    #expect(errors.isEmpty == (fault.kinds == Fault.truncate.kinds))
    for error in errors { #expect(fault.explains(error), "\(fault): \(error)") }
  }

  @Test(.timeLimit(.minutes(60)), arguments: Fault.all, [true, false])
  func `a failed opening leaves the file unchanged`(_ fault: Fault, isNew: Bool) throws {
    try #require(faulty_install() == 0)
    var count: Int64 = 0
    var errors: [any Error] = []
    var number: Int64 = -1
    repeat {
      for fault in [fault, fault.lasting] {
        let folder = try TemporaryFolder()
        let path = folder.file(FaultScenario.fileName)
        if !isNew { try useStore(at: path) }
        // The first run only counts the calls.
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
    // An existing log is neither truncated nor flushed.
    #expect(count > 0 || fault.kinds == Fault.truncate.kinds || fault.kinds == Fault.sync.kinds)
    for error in errors { #expect(fault.explains(error), "\(fault): \(error)") }
  }

  /// Opens a store, lists and adds a book, and closes it.
  private func useStore(at path: String) throws {
    let store = try SQLiteStore(at: path, entities: Sample.entities, options: FaultScenario.options)
    defer { try? store.close() }
    let found = try store.allRows(of: Sample.book).map { $0["title"] }
    #expect(found.allSatisfy { $0 == "kept" })
    try store.write { try $0.insert(Sample.values("p", "kept"), key: nil, into: Sample.book) }
  }

  @Test(.timeLimit(.minutes(15)))
  func `the subscriber receives a failure, and the last good list remains`() async throws {
    var toldCount = 0
    for number in 0..<12 {
      let scenario = try await FaultScenario()
      let before = try scenario.shownGeneration
      try scenario.commitElsewhere()
      Fault.read.lasting.arm(from: Int64(number))
      await scenario.attempt { try await scenario.refresh() }
      // The first reads only check for a commit; their failure is thrown to the caller only.
      if scenario.hasFailed {
        toldCount += 1
        let failure = try #require(try await scenario.nextFailure())
        #expect(Fault.read.explains(failure), "\(failure)")
        #expect(scenario.errors.count == 1)
        #expect(try scenario.shownGeneration == before)
      }
      try await scenario.expectWhole("a failure from read \(number) on")
    }
    #expect(toldCount > 0)
  }
}

extension Fault {
  /// Whether an error reports the fault.
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
