/// Texts that a function which quotes must get through unchanged: its marks beside all of Unicode.
///
/// A mark and a scalar beside it can be one `Character`, in which a search for the mark does not find it.
package enum QuotingTexts {
  /// The scalars that form one character with those before or behind them, and line ends.
  package static let joining: [Unicode.Scalar] = [
    // Combining, enclosing, spacing, and prepended marks.
    "\u{301}", "\u{20DD}", "\u{903}", "\u{600}", "\u{110BD}",
    // A joiner, a variation selector, a skin tone, an emoji, a regional indicator, a tag.
    "\u{200D}", "\u{FE0F}", "\u{1F3FD}", "\u{1F469}", "\u{1F1E9}", "\u{E0067}",
    // The parts of a syllable in Hangul, a virama, and line ends.
    "\u{1100}", "\u{1161}", "\u{11A8}", "\u{94D}", "\r", "\n",
  ]

  /// Returns texts in which each scalar stands between each two marks, and sequences of those that join.
  ///
  /// - Complexity: O(all scalars of Unicode × marks).
  package static func all(
    around marks: [Unicode.Scalar],
    without excluded: Set<Unicode.Scalar> = ["\0"]
  ) -> [String] {
    between(marks, without: excluded)
      + sequences(of: marks + joining.filter { !excluded.contains($0) })
  }

  /// Texts of some thousand scalars, each with every mark before and behind it.
  private static func between(
    _ marks: [Unicode.Scalar],
    without excluded: Set<Unicode.Scalar>
  ) -> [String] {
    var texts: [String] = []
    var text = String.UnicodeScalarView()
    var count = 0
    for scalar in (0...0x10FFFF).lazy.compactMap(Unicode.Scalar.init)
    where !excluded.contains(scalar) {
      for mark in marks {
        text.append(mark)
        text.append(scalar)
        text.append(mark)
      }
      count += 1
      guard count == 8000 else { continue }
      texts.append(String(text))
      (text, count) = (String.UnicodeScalarView(), 0)
    }
    return texts + [String(text)]
  }

  /// Every sequence of one to three of some scalars.
  private static func sequences(of scalars: [Unicode.Scalar]) -> [String] {
    var texts: [[Unicode.Scalar]] = [[]]
    var all: [String] = []
    for _ in 0..<3 {
      texts = texts.flatMap { text in scalars.map { text + [$0] } }
      all += texts.map { String(String.UnicodeScalarView($0)) }
    }
    return all
  }
}
