@testable import SQLitePersistence
import Foundation
import ResultsDomain
import ResultsPresentation
import ResultsTesting
import Testing

/// With any flipped bits of a file, a list returns an answer or an error about the damage, and leaves the file unchanged.
@Suite(.timeLimit(.minutes(10))) struct `Flipped bits` {
  private static let isLong =
    ProcessInfo.processInfo.environment["RESULTS_TORTURE_OPERATIONS"] != nil

  @Test(arguments: 0..<4)
  func `a list fails with a reason, and the file is unchanged`(_ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    try LogFixture.open(folder).close()
    let whole = try folder.bytes()
    var refused = 0
    for turn in 0..<(Self.isLong ? 5000 : 60) {
      var bytes = whole
      var offsets: [Int] = []
      for _ in 0..<generator.number(in: 1...3) {
        // The header and the schema are small, and matter most.
        let end = generator.happens(percent: 50) ? bytes.count : 4096
        let offset = generator.number(in: 0...end - 1)
        bytes[offset] ^= 1 << UInt8(generator.number(in: 0...7))
        offsets.append(offset)
      }
      let comment: Comment = "seed \(seed), turn \(turn), bytes \(offsets)"
      try folder.write(bytes, to: "flipped.sqlite")
      let file = folder.file("flipped.sqlite")
      do {
        try await list(file)
      } catch {
        refused += 1
        #expect(reportsDamage(error), "\(error), seed \(seed), turn \(turn), bytes \(offsets)")
        let isSame = try folder.bytes("flipped.sqlite") == bytes
        #expect(isSame, comment)
      }
      for side in ["-wal", "-shm"] {
        #expect(!FileManager.default.fileExists(atPath: file + side), comment)
        try? FileManager.default.removeItem(atPath: file + side)
      }
    }
    #expect(refused > 3)
  }

  private func list(_ file: String) async throws {
    var options = SQLiteStoreOptions(pollInterval: nil)
    options.onlyReads = true
    let store = try SQLiteStore(at: file, entities: Sample.entities, options: options)
    defer { try? store.close() }
    for entity in Sample.entities { _ = try store.allRows(of: entity) }
    let request = FetchRequest<Row>(
      entity: Sample.book,
      sortedBy: [.ascending("title")]
    )
    let controller = FetchedResultsController(request, in: store)
    try await controller.performFetch()
    _ = try store.check()
  }

  private func reportsDamage(_ error: any Error) -> Bool {
    switch error {
    case StoreError.damaged, StoreError.unexpectedValue, StoreError.cannotOpen: true
    case ResultsError.store(let error): reportsDamage(error)
    default: false
    }
  }
}
