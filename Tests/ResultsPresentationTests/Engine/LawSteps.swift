import ResultsDomain
import ResultsStoreKit
import Testing

@testable import ResultsPresentation

extension [ListEngine.Step] {
  /// Applies the deltas one by one, and all of them as one; each must turn the content before into the one after, and have an inverse.
  /// - Throws: The store's error.
  func check(
    from old: ResultsContent,
    to new: ResultsContent,
    _ context: Comment
  ) throws(StoreError) {
    var content = old
    var composed: ResultsDelta?
    for step in self {
      let next = try step.snapshot.content
      #expect(!step.delta.isEmpty, context)
      #expect(throws: Never.self, context) { try step.delta.verify(from: content, to: next) }
      #expect((try? next.applying(step.delta.inverse)) == content, context)
      #expect(throws: Never.self, context) {
        composed = try composed?.then(step.delta) ?? step.delta
      }
      content = next
    }
    #expect(content == new, context)
    guard count > 1, let composed else { return }
    #expect(throws: Never.self, context) { try composed.verify(from: old, to: new) }
  }
}

extension ListEngine {
  /// Advances the list.
  /// - Returns: The steps; none after a reset.
  /// - Throws: The store's error.
  mutating func moved(
    in history: SnapshotHistory,
    folding isFolding: Bool
  ) throws(StoreError) -> [Step] {
    guard case .moved(let steps) = try advance(in: history, folding: isFolding) else { return [] }
    return steps
  }
}
