import FoundationEssentials
import InMemoryPersistence
import ResultsDomain
import Synchronization
import Testing
import NewsFeed

/// The story is a document: what it prints is kept in `Fixtures/Transcripts` and is the same on every store (R86).
@Suite struct NewsFeedStoryTests {
  @Test func `the story is told as the transcript has it`() async throws {
    let told = try await tell()
    let file = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let path = "/\(file)/Fixtures/Transcripts/news-feed-story.txt"
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    for (line, (found, expected)) in zip(lines(told), lines(kept)).enumerated() {
      #expect(found == expected, "line \(line + 1)")
    }
    #expect(told.utf8.count == kept.utf8.count)
  }

  @Test func `telling it twice tells the same (R36)`() async throws {
    #expect(Array(try await tell().utf8) == Array(try await tell().utf8))
  }

  private func lines(_ text: String) -> [[UInt8]] {
    text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
  }

  private func tell() async throws -> String {
    let text = Mutex("")
    try await NewsFeedStory.tell(in: InMemoryStore(entities: [Item.entity])) { line in
      text.withLock { $0 += line + "\n" }
    }
    return text.withLock { $0 }
  }
}
