import Foundation
import Testing

/// Writes the code of the snippets and what they print into the documents.
///
/// `RECORD_DOCUMENTS=1 swift test --filter RecordingTests`; the run fails, so that nobody keeps a document unread.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["RECORD_DOCUMENTS"] != nil))
struct RecordingTests {
  @Test(arguments: DocumentTree.documents)
  func `documents are recorded anew`(_ path: String) async throws {
    let old = try DocumentTree.text(path)
    let new = try await Self.recorded(old, path: path)
    guard new != old else { return }
    try new.write(to: DocumentTree.root.appending(path: path), atomically: false, encoding: .utf8)
    Issue.record("\(path) was recorded anew. Read what changed, then run without RECORD_DOCUMENTS.")
  }

  private static func recorded(_ text: String, path: String) async throws -> String {
    let snippets = try DocumentTree.snippets()
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for block in DocumentPage(path: path, text: text).blocks.reversed() {
      guard let mark = block.mark else { continue }
      let content: [String]
      switch mark.kind {
      case "snippet":
        guard let snippet = snippets[mark.name] else { continue }
        content = snippet.lines
      case "output":
        guard let run = runnableSnippets[mark.name] else { continue }
        let page = Page()
        try await Page.$current.withValue(page) { try await run() }
        content = page.lines
      default: continue
      }
      let start = block.line
      lines.replaceSubrange(start..<(start + block.lines.count), with: content)
    }
    return lines.joined(separator: "\n")
  }
}
