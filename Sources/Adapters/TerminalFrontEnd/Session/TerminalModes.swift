/// The modes of a terminal that a full screen needs, and the sequences that set and reset them.
package struct TerminalModes: Hashable, Sendable {
  /// Whether pasted text is reported as such.
  package var bracketsPaste = true
  /// Whether the terminal's cursor stays visible, for readers that follow it.
  package var showsCursor = false

  /// Whether the terminal shows a screen at all; otherwise nothing but text is written to it.
  package var isFullScreen = true

  /// The modes of a list that is read out in lines: no sequence is ever sent.
  package static let lines: TerminalModes = {
    var modes = TerminalModes()
    modes.isFullScreen = false
    return modes
  }()

  /// Creates the modes of a list: another screen than the shell's, no cursor, bracketed paste.
  package init() {}

  /// The sequence that enters the full screen.
  package var enter: String {
    guard isFullScreen else { return "" }
    return "\u{1B}[?1049h" + (bracketsPaste ? "\u{1B}[?2004h" : "")
      + (showsCursor ? "" : "\u{1B}[?25l")
      + "\u{1B}[2J"
  }

  /// The sequence that leaves it as it was found.
  package var leave: String {
    guard isFullScreen else { return "" }
    return "\u{1B}[0m\u{1B}[?2004l\u{1B}[?1000l\u{1B}[?1006l\u{1B}[?25h\u{1B}[?1049l"
  }
}
