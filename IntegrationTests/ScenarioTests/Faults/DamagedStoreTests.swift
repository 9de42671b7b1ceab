import Foundation
import ResultsTesting
import Testing

/// R71: every verb of a program on a store with a damaged page: a right answer or an error that says so, and never a signal.
///
/// `RESULTS_TORTURE_OPERATIONS`, as `script/torture` sets it, damages every page, not only some.
@Suite struct DamagedStoreTests {
  private static let size = 4096
  private static let isLong =
    ProcessInfo.processInfo.environment["RESULTS_TORTURE_OPERATIONS"] != nil

  /// What reads, and what writes; each is tried on a damaged store of its own.
  private static let verbs = [
    ["list", "--format", "json"], ["list", "--section-by", "none", "--sort", "-year"],
    ["show", "7"],
    ["watch", "--deltas", "0", "--format", "jsonl"], ["export", "-"], ["dump"], ["doctor"],
    ["add", "publisher=A", "title=B"], ["edit", "7", "title=B"], ["remove", "7"],
  ]

  @Test(.timeLimit(.minutes(60)), arguments: [0x00, 0xFF, 0x0D] as [UInt8])
  func `a damaged page is told, or does not matter`(_ byte: UInt8) throws {
    let run = try ProgramRun()
    let books = ProgramFolder.fixture("books-200.tsv")
    try run.run("book-catalog", "import", books, "--store", "whole.sqlite")
    let whole = try #require(FileManager.default.contents(atPath: run.path("whole.sqlite")))
    let pages = whole.count / Self.size
    try #require(pages > 6)
    var truth: [[String]: String] = [:]
    for verb in Self.verbs.prefix(6) {
      truth[verb] = try run.run("book-catalog", verb + ["--store", "whole.sqlite"]).output
    }
    var generator = SeededGenerator(seed: UInt64(byte))
    var toldCount = 0
    for page in 0..<pages {
      for verb in Self.verbs where Self.isLong || generator.happens(percent: 20) {
        let file = "damaged-\(page).sqlite"
        for end in ["-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: run.path(file) + end)
        }
        var bytes = whole
        let place = page * Self.size..<(page + 1) * Self.size
        bytes.replaceSubrange(place, with: Data(repeating: byte, count: Self.size))
        try bytes.write(to: URL(fileURLWithPath: run.path(file)))
        let result = try run.run("book-catalog", verb + ["--store", file])
        #expect([0, 65, 66, 74].contains(result.status), "page \(page): \(result)")
        #expect(!result.errors.contains("Fatal error"), "page \(page): \(result)")
        if result.status == 0 {
          if let truth = truth[verb] {
            #expect(Self.nameless(result.output) == Self.nameless(truth), "page \(page): \(result)")
          }
        } else {
          toldCount += 1
          #expect(result.errors.contains(file), "page \(page): \(result)")
        }
      }
    }
    #expect(toldCount > 3)
  }

  /// The output without the name of the list's life, which no two processes share.
  private static func nameless(_ output: String) -> String {
    output.replacingOccurrences(
      of: #""life":"[^"]*","#,
      with: "",
      options: .regularExpression
    )
  }
}
