/// What can be measured: the goals of `docs/performance.md` by their numbers, and other cases by their names.
enum BenchmarkCase: Hashable {
  /// A goal.
  case goal(Int)
  /// A case without a number.
  case other(Other)

  /// Cases that have no number among the goals.
  enum Other: String, CaseIterable {
    case firstFetch = "first-fetch"
    case sectionCounts = "section-counts"
    case lookups
    case ownChange = "own-change"
    case changesOfOthers = "changes-of-others"
    case wakeUp = "wake-up"
    case peer
    case capture
    case manyLists = "many-lists"
    case shuffle
    case bookImport = "import"
  }

  /// The numbers of the goals.
  static let numbers = 1...16

  /// Everything.
  static var all: Set<BenchmarkCase> {
    Set(numbers.map(BenchmarkCase.goal) + Other.allCases.map(BenchmarkCase.other))
  }

  /// The cases that a text names: numbers, ranges of numbers and names, separated by commas; `goals`, `others` and `all` name many.
  /// - Returns: The cases, or the first word that names none.
  static func parse(_ text: String) -> Result<Set<BenchmarkCase>, UnknownCase> {
    var cases: Set<BenchmarkCase> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let word = String(part.filter { $0 != " " })
      guard let named = named(word) else { return .failure(UnknownCase(word: word)) }
      cases.formUnion(named)
    }
    return .success(cases)
  }

  /// A word that names no case.
  struct UnknownCase: Error {
    let word: String
  }

  private static func named(_ word: String) -> [BenchmarkCase]? {
    switch word {
    case "all": return Array(all)
    case "goals": return numbers.map(BenchmarkCase.goal)
    case "others": return Other.allCases.map(BenchmarkCase.other)
    default: break
    }
    if let other = Other(rawValue: word) { return [.other(other)] }
    let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
      first <= last, numbers.contains(first), numbers.contains(last)
    else { return nil }
    return (first...last).map(BenchmarkCase.goal)
  }
}
