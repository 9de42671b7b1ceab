import ResultsPresentation
import TerminalFrontEnd

/// The letters beside a list: each once, thinned to the height of the screen, and the present one among them.
struct IndexStrip: Hashable {
  /// The letters, from the top.
  let letters: [String]
  /// The index of the letter of the cursor's section.
  let present: Int?

  /// Collects the letters.
  /// - Parameters:
  ///   - titles: The index titles of the sections.
  ///   - section: The section of the cursor.
  ///   - height: The number of lines.
  /// - Complexity: O(*t*) in the titles.
  init(_ titles: SectionIndexTitles, section: Int, height: Int) {
    // A letter can return where the sections are not in the order of their titles.
    var all: [String] = []
    var indexes: [String: Int] = [:]
    var current: Int?
    for (title, start) in zip(titles.titles, titles.sections) {
      let letter = String(SafeText.oneLine(title, atMost: 64).prefix(1))
      let index = indexes[letter] ?? all.count
      if index == all.count {
        all.append(letter)
        indexes[letter] = index
      }
      if start <= section { current = index }
    }
    guard all.count > height, height > 0 else {
      (letters, present) = (all, current)
      return
    }
    var shown = (0..<height).map { $0 * (all.count - 1) / max(height - 1, 1) }
    // The present letter takes the line of the one before it.
    let line = shown.lastIndex { $0 <= current ?? 0 } ?? 0
    if let current { shown[line] = current }
    letters = shown.map { all[$0] }
    present = current == nil ? nil : line
  }
}
