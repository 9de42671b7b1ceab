/// A compiled regular expression of `MATCHES`, which must match a whole text.
///
/// It has characters, `.` (any but a line break), classes (`[a-z]`, `[^…]`, `\d`, `\w`, `\s` and their capitals), groups,
/// alternatives, the repeats `*`, `+`, `?`, `{n}`, `{n,}` and `{n,m}`, and the anchors `^` and `$`. A backslash makes
/// punctuation literal. There are no back-references and no lookaround, so that matching takes linear time whatever the pattern:
/// all alternatives advance together, one scalar at a time (Thompson, "Regular expression search algorithm", 1968).
package struct MatchPattern: Sendable {
  /// A step of the compiled pattern.
  private enum Step {
    case scalar(Unicode.Scalar)
    case any
    case set(ScalarSet)
    case begin
    case end
    case split(Int, Int)
    case jump(Int)
    case accept
  }

  private var steps: [Step] = []
  private let isFolding: Bool
  /// The number of nodes compiled, with those of repeats.
  private var nodeCount = 0

  /// The largest number of steps, which repeats multiply.
  static let stepLimit = 10_000

  /// Compiles a pattern.
  /// - Parameters:
  ///   - text: The pattern.
  ///   - caseInsensitive: Whether texts are folded by `TextFolding` before they are matched.
  /// - Throws: `RequestError.invalidPattern` for a pattern that is not valid, or too large.
  /// - Complexity: O(*n*) in the pattern, with its repeats written out.
  package init(_ text: String, caseInsensitive: Bool = false) throws(RequestError) {
    isFolding = caseInsensitive
    var parser = MatchPatternParser(text)
    let node = try parser.pattern()
    try append(node, of: text)
    steps.append(.accept)
  }

  /// Whether the pattern matches a whole text, which is folded already if letter case is ignored.
  /// - Complexity: O(*n* · *m*) in the scalars of the text and the steps of the pattern.
  package func matches(_ text: some Sequence<Unicode.Scalar>) -> Bool {
    var current = Threads(steps.count)
    var next = Threads(steps.count)
    var rest = text.makeIterator()
    var upcoming = rest.next()
    follow(0, in: &current, isStart: true, isEnd: upcoming == nil)
    while let scalar = upcoming {
      upcoming = rest.next()
      guard !current.list.isEmpty else { return false }
      next.clear()
      for index in current.list where accepts(scalar, at: index) {
        follow(index + 1, in: &next, isStart: false, isEnd: upcoming == nil)
      }
      swap(&current, &next)
    }
    return current.list.contains(steps.count - 1)
  }

  private func accepts(_ scalar: Unicode.Scalar, at index: Int) -> Bool {
    switch steps[index] {
    case .scalar(let sought): sought == scalar
    case .any:
      !("\n"..."\r").contains(scalar) && !["\u{85}", "\u{2028}", "\u{2029}"].contains(scalar)
    case .set(let set): set.contains(scalar, isFolding: isFolding)
    case .begin, .end, .split, .jump, .accept: false
    }
  }

  /// Adds the steps that are reached from one without a scalar.
  private func follow(_ start: Int, in threads: inout Threads, isStart: Bool, isEnd: Bool) {
    var pending = [start]
    while let index = pending.popLast() {
      guard threads.insert(index) else { continue }
      switch steps[index] {
      case .split(let first, let second): pending += [second, first]
      case .jump(let target): pending.append(target)
      case .begin where isStart, .end where isEnd: pending.append(index + 1)
      case .scalar, .any, .set, .begin, .end, .accept: break
      }
    }
  }

  /// A set of steps with constant-time insertion.
  private struct Threads {
    private(set) var list: [Int] = []
    private var marks: [Bool]

    init(_ count: Int) { marks = Array(repeating: false, count: count) }

    mutating func insert(_ index: Int) -> Bool {
      guard !marks[index] else { return false }
      marks[index] = true
      list.append(index)
      return true
    }

    mutating func clear() {
      for index in list { marks[index] = false }
      list.removeAll(keepingCapacity: true)
    }
  }
}

// MARK: - Compilation

extension MatchPattern {
  private mutating func append(_ node: MatchNode, of text: String) throws(RequestError) {
    nodeCount += 1
    guard nodeCount < MatchPattern.stepLimit, steps.count < MatchPattern.stepLimit else {
      throw .invalidPattern(text, reason: "Its repeats make it too large.")
    }
    switch node {
    case .scalar(let scalar):
      let folded = isFolding ? TextFolding.folded(String(scalar)) : String(scalar)
      for scalar in folded.unicodeScalars { steps.append(.scalar(scalar)) }
    case .any: steps.append(.any)
    case .set(let set): steps.append(.set(set))
    case .begin: steps.append(.begin)
    case .end: steps.append(.end)
    case .sequence(let parts): for part in parts { try append(part, of: text) }
    case .alternatives(let parts):
      var ends: [Int] = []
      for (index, part) in parts.enumerated() {
        guard index < parts.count - 1 else {
          try append(part, of: text)
          break
        }
        let split = steps.count
        steps.append(.split(split + 1, 0))
        try append(part, of: text)
        ends.append(steps.count)
        steps.append(.jump(0))
        steps[split] = .split(split + 1, steps.count)
      }
      for end in ends { steps[end] = .jump(steps.count) }
    case .repeated(let part, let least, let most):
      for _ in 0..<least { try append(part, of: text) }
      guard let most else {
        let split = steps.count
        steps.append(.split(split + 1, 0))
        try append(part, of: text)
        steps.append(.jump(split))
        steps[split] = .split(split + 1, steps.count)
        return
      }
      var splits: [Int] = []
      for _ in least..<most {
        splits.append(steps.count)
        steps.append(.split(0, 0))
        try append(part, of: text)
      }
      for split in splits { steps[split] = .split(split + 1, steps.count) }
    }
  }
}

// MARK: - Syntax

/// A node of a pattern's syntax tree.
private indirect enum MatchNode {
  case scalar(Unicode.Scalar)
  case any
  case set(ScalarSet)
  case begin
  case end
  case sequence([MatchNode])
  case alternatives([MatchNode])
  case repeated(MatchNode, least: Int, most: Int?)
}

/// A class of scalars.
private struct ScalarSet: Sendable {
  enum Kind: Sendable {
    case digit
    case word
    case space
  }

  var ranges: [ClosedRange<Unicode.Scalar>] = []
  var kinds: [(kind: Kind, isNegated: Bool)] = []
  var isNegated = false

  func contains(_ scalar: Unicode.Scalar, isFolding: Bool) -> Bool {
    var isMember = holds(scalar)
    if !isMember, isFolding {
      let capital = scalar.properties.uppercaseMapping.unicodeScalars
      if let first = capital.first, capital.count == 1 { isMember = holds(first) }
    }
    return isMember != isNegated
  }

  private func holds(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar) }
      || kinds.contains { ScalarSet.holds(scalar, $0.kind) != $0.isNegated }
  }

  private static func holds(_ scalar: Unicode.Scalar, _ kind: Kind) -> Bool {
    let properties = scalar.properties
    return switch kind {
    case .digit: properties.generalCategory == .decimalNumber
    case .space: properties.isWhitespace
    case .word:
      switch properties.generalCategory {
      case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark:
        true
      default: properties.isAlphabetic
      }
    }
  }
}

/// Parses a pattern by recursive descent.
private struct MatchPatternParser {
  /// The maximum nesting depth of groups.
  static let depthLimit = 32
  /// The largest count of a repeat.
  static let repeatLimit = 1_000

  private let text: String
  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var depth = 0

  init(_ text: String) {
    self.text = text
    scalars = Array(text.unicodeScalars)
  }

  mutating func pattern() throws(RequestError) -> MatchNode {
    let node = try alternatives()
    guard position == scalars.count else { throw invalid("A ) closes no group.") }
    return node
  }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private func invalid(_ reason: String) -> RequestError { .invalidPattern(text, reason: reason) }

  private mutating func alternatives() throws(RequestError) -> MatchNode {
    var parts = [try sequence()]
    while next == "|" {
      position += 1
      parts.append(try sequence())
    }
    return parts.count == 1 ? parts[0] : .alternatives(parts)
  }

  private mutating func sequence() throws(RequestError) -> MatchNode {
    var parts: [MatchNode] = []
    while let scalar = next, scalar != "|", scalar != ")" { parts.append(try repeated()) }
    return .sequence(parts)
  }

  private mutating func repeated() throws(RequestError) -> MatchNode {
    let node = try atom()
    let bounds: (least: Int, most: Int?)
    switch next {
    case "*": bounds = (0, nil)
    case "+": bounds = (1, nil)
    case "?": bounds = (0, 1)
    case "{": bounds = try counts()
    default: return node
    }
    position += 1
    // Whether a repeat takes much or little does not matter where the whole text must match.
    if next == "?" { position += 1 }
    return .repeated(node, least: bounds.least, most: bounds.most)
  }

  /// Parses `{n}`, `{n,}` or `{n,m}` up to the brace that closes it.
  private mutating func counts() throws(RequestError) -> (least: Int, most: Int?) {
    position += 1
    guard let least = count() else { throw invalid("A { needs a number; \\{ is the character.") }
    var most: Int? = least
    if next == "," {
      position += 1
      most = next == "}" ? nil : count()
      guard next == "}", most.map({ $0 >= least }) ?? true else {
        throw invalid("The counts of a repeat do not fit.")
      }
    }
    guard next == "}" else { throw invalid("A { is not closed.") }
    guard max(least, most ?? 0) <= Self.repeatLimit else {
      throw invalid("A repeat counts to more than \(Self.repeatLimit).")
    }
    return (least, most)
  }

  private mutating func count() -> Int? {
    var digits = ""
    while let scalar = next, ("0"..."9").contains(scalar), digits.utf8.count < 6 {
      digits.unicodeScalars.append(scalar)
      position += 1
    }
    return Int(digits)
  }

  private mutating func atom() throws(RequestError) -> MatchNode {
    guard let scalar = next else { return .sequence([]) }
    position += 1
    switch scalar {
    case ".": return .any
    case "^": return .begin
    case "$": return .end
    case "(": return try group()
    case "[": return .set(try set())
    case "\\":
      var set = ScalarSet()
      if let scalar = try escape(into: &set) { return .scalar(scalar) }
      return .set(set)
    case "*", "+", "?", "{":
      throw invalid("\(scalar) repeats nothing; \\\(scalar) is the character.")
    default: return .scalar(scalar)
    }
  }

  private mutating func group() throws(RequestError) -> MatchNode {
    depth += 1
    guard depth < Self.depthLimit else { throw invalid("It is nested too deep.") }
    defer { depth -= 1 }
    if next == "?" {
      position += 1
      guard next == ":" else { throw invalid("Of the groups with (? only (?:…) is supported.") }
      position += 1
    }
    let node = try alternatives()
    guard next == ")" else { throw invalid("A ( is not closed.") }
    position += 1
    return node
  }

  /// Parses what follows a backslash: a scalar, or a class, which is added to a set.
  private mutating func escape(into set: inout ScalarSet) throws(RequestError) -> Unicode.Scalar? {
    guard let scalar = next else { throw invalid("A backslash ends it.") }
    position += 1
    switch scalar {
    case "d": set.kinds.append((.digit, false))
    case "D": set.kinds.append((.digit, true))
    case "w": set.kinds.append((.word, false))
    case "W": set.kinds.append((.word, true))
    case "s": set.kinds.append((.space, false))
    case "S": set.kinds.append((.space, true))
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    default:
      guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
        throw invalid("\\\(scalar) is not supported.")
      }
      return scalar
    }
    return nil
  }

  private mutating func set() throws(RequestError) -> ScalarSet {
    var set = ScalarSet()
    if next == "^" {
      set.isNegated = true
      position += 1
    }
    var isFirst = true
    while let scalar = next, scalar != "]" || isFirst {
      isFirst = false
      guard let low = try member(of: &set) else { continue }
      guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
        set.ranges.append(low...low)
        continue
      }
      position += 1
      guard let high = try member(of: &set), low <= high else {
        throw invalid("A range of a class needs a smaller and a larger character.")
      }
      set.ranges.append(low...high)
    }
    guard next == "]" else { throw invalid("A [ is not closed.") }
    position += 1
    return set
  }

  private mutating func member(of set: inout ScalarSet) throws(RequestError) -> Unicode.Scalar? {
    guard let scalar = next else { throw invalid("A [ is not closed.") }
    position += 1
    if scalar == "\\" { return try escape(into: &set) }
    guard scalar != "[" else {
      throw invalid("A class in a class is not supported; \\[ is the character.")
    }
    return scalar
  }
}
