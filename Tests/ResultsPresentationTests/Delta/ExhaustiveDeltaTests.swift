import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Testing

@Suite("All small cases of a delta")
struct ExhaustiveDeltaTests {
  /// All ways to lay out rows of a set, each at most once, in up to two sections that may come in either order.
  static func contents(rows: String) -> [String] {
    let letters = rows.map(String.init)
    var layouts: Set<String> = []
    for order in permutations(letters) {
      for count in 0...order.count {
        for split in 0...count {
          let (left, right) = (order[..<split].joined(), order[split..<count].joined())
          layouts.insert("A:\(left) B:\(right)")
          layouts.insert("B:\(right) A:\(left)")
          if right.isEmpty { layouts.insert("A:\(left)") }
        }
      }
    }
    return layouts.sorted()
  }

  static func permutations(_ letters: [String]) -> [[String]] {
    guard !letters.isEmpty else { return [[]] }
    return letters.indices.flatMap { index in
      var rest = letters
      let letter = rest.remove(at: index)
      return permutations(rest).map { [letter] + $0 }
    }
  }

  @Test func `R26, R29, R35, R38: every transition of two rows in two sections is lawful`() throws {
    try check(ExhaustiveDeltaTests.contents(rows: "ab"), changes: ["", "a", "b", "ab"])
  }

  @Test func `R26, R29, R35, R38: every transition of three rows in two sections is lawful`() throws
  {
    try check(ExhaustiveDeltaTests.contents(rows: "abc"), changes: ["abc"])
  }

  private struct Breach: Error { var law: String }

  private func check(_ layouts: [String], changes: [String]) throws {
    var failures: [String] = []
    let contents = layouts.map(drawn)
    for (old, before) in zip(layouts, contents) {
      for (new, after) in zip(layouts, contents) {
        for changed in changes {
          let delta = contentDelta(before, after, changed: changed)
          do {
            try checkLaws(of: delta, before, after)
          } catch {
            failures.append("\(old) becomes \(new), \(changed) changed: \(error)")
          }
        }
      }
    }
    #expect(failures.prefix(5).isEmpty)
  }

  private func checkLaws(
    of delta: ResultsDelta,
    _ before: ResultsContent,
    _ after: ResultsContent
  ) throws {
    try delta.verify(from: before, to: after)
    try delta.inverse.verify(from: after, to: before)
    var content = before
    for step in delta.sequentialSteps { try content.apply(step) }
    guard content == after else { throw Breach(law: "R35") }
    var view = TableViewSimulator(rowCounts: before.sections.map(\.rows.count))
    try view.perform(
      delta.tableViewBatch,
      newRowCounts: after.sections.map(\.rows.count)
    )
    let nothing = try delta.then(delta.inverse)
    // Without rows nobody can say whether a content that changed twice is the first one again.
    guard nothing.sections.isEmpty, nothing.rows.count == nothing.rows.updates.count,
      nothing.rows.updates.allSatisfy({ $0.changed == nil })
    else { throw Breach(law: "R29") }
  }

  @Test func `R28: every three contents of two rows compose`() throws {
    let layouts = ExhaustiveDeltaTests.contents(rows: "ab")
    let contents = layouts.map(drawn)
    var failures: [String] = []
    for first in contents.indices {
      for second in contents.indices {
        var left = contentDelta(contents[first], contents[second], changed: "ab")
        (left.from, left.to) = (0, 1)
        for third in contents.indices {
          let right = contentDelta(contents[second], contents[third], changed: "ab")
          do {
            try left.then(right).verify(from: contents[first], to: contents[third])
          } catch {
            failures.append(
              "\(layouts[first]) becomes \(layouts[second]) becomes \(layouts[third]): \(error)"
            )
          }
        }
      }
    }
    #expect(failures.prefix(5).isEmpty)
  }

  /// Against every set of rows that may stay in place, for every order and every set of changed rows.
  @Test(arguments: 1...5)
  func `R33: the reference moves the fewest rows, and unchanged ones never`(count: Int) throws {
    let letters = "abcde".prefix(count).map(String.init)
    let old = letters.joined()
    for order in ExhaustiveDeltaTests.permutations(letters) {
      for mask in 0..<(1 << count) {
        let changed = subset(mask, of: letters)
        let unchanged = letters.filter { !changed.contains($0) }
        guard order.filter(unchanged.contains) == unchanged else { continue }
        var best: [String] = []
        for other in 0..<(1 << count) {
          let stay = subset(other, of: letters)
          guard unchanged.allSatisfy(stay.contains), order.filter(stay.contains) == stay
          else { continue }
          let isSmaller = stay.lexicographicallyPrecedes(best)
          if stay.count > best.count || stay.count == best.count && isSmaller { best = stay }
        }
        let delta = drawnDelta("A:\(old)", "A:\(order.joined())", changed: changed.joined())
        let moved = Set(delta.rows.moves.map(\.id.key.description))
        #expect(letters.filter { !moved.contains($0) } == best, "\(order), \(changed) changed")
      }
    }
  }

  private func subset(_ mask: Int, of letters: [String]) -> [String] {
    letters.enumerated().filter { mask >> $0.offset & 1 == 1 }.map(\.element)
  }
}
