import TerminalFrontEnd

/// A line that is being typed, on a terminal that echoes nothing by itself.
///
/// What it sends to the terminal is the typed text, backspaces, blanks and line ends: no escape sequence.
struct LineEditor: Hashable, Sendable {
  /// What a key came to.
  enum Outcome: Hashable, Sendable {
    /// The line goes on.
    case typing
    /// The line is complete.
    case line(String)
    /// A key that is no text was pressed on an empty line.
    case key(Key)
    /// The input has ended.
    case end
  }

  /// The text typed so far.
  private(set) var text = ""
  private let width: DisplayWidth

  init(width: DisplayWidth = DisplayWidth()) { self.width = width }

  /// Takes a key.
  /// - Returns: What it came to, and what the terminal has to show for it.
  mutating func press(_ key: Key) -> (outcome: Outcome, echo: String) {
    switch key.code {
    case .enter:
      defer { text = "" }
      return (.line(text), "\r\n")
    case .backspace: return (.typing, erase(text.isEmpty ? 0 : 1))
    case .character("u") where key.isControl: return (.typing, erase(text.count))
    case .character("w") where key.isControl:
      let blanks = text.reversed().prefix { $0 == " " }.count
      let word = text.dropLast(blanks).reversed().prefix { $0 != " " }.count
      return (.typing, erase(blanks + word))
    case .character("c") where key.isControl && !text.isEmpty:
      text = ""
      return (.line("^L"), "\r\n")
    case .character("d") where key.isControl: return (text.isEmpty ? .end : .typing, "")
    case .character(let character) where !key.isControl && !key.isAlt:
      let before = width.columns(of: text)
      text.append(character)
      // A character may join the one before it.
      let shown = width.columns(of: text) > before || before > 0
      return (.typing, shown ? SafeText.oneLine(String(character)) : "")
    default: return (text.isEmpty ? .key(key) : .typing, "")
    }
  }

  /// Removes characters from the end.
  /// - Returns: What removes them from the terminal.
  private mutating func erase(_ count: Int) -> String {
    let before = width.columns(of: text)
    text.removeLast(count)
    return String(repeating: "\u{8} \u{8}", count: max(before - width.columns(of: text), 0))
  }
}
