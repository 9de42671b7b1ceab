/// The look of a text on a terminal: attributes and one of the palette's 16 colours.
///
/// Only the terminal's palette is used, so that dark and light themes both work. A style never carries meaning
/// alone: a sign or a word always says the same.
package struct Style: Hashable, Sendable {
  /// A colour of the terminal's palette.
  package enum Color: Int, Hashable, Sendable {
    /// The palette's black.
    case black = 30
    /// The palette's red.
    case red
    /// The palette's green.
    case green
    /// The palette's yellow.
    case yellow
    /// The palette's blue.
    case blue
    /// The palette's magenta.
    case magenta
    /// The palette's cyan.
    case cyan
    /// The palette's white.
    case white
  }

  /// Whether the text is bold.
  package var isBold: Bool
  /// Whether the text is faint.
  package var isDim: Bool
  /// Whether the text is underlined.
  package var isUnderlined: Bool
  /// Whether foreground and background are swapped.
  package var isReversed: Bool
  /// The colour of the text, or `nil` for the terminal's default.
  package var color: Color?

  /// Creates a style; without arguments, plain text.
  package init(
    bold: Bool = false,
    dim: Bool = false,
    underlined: Bool = false,
    reversed: Bool = false,
    color: Color? = nil
  ) {
    isBold = bold
    isDim = dim
    isUnderlined = underlined
    isReversed = reversed
    self.color = color
  }

  /// Returns the text wrapped in the escape sequences of this style (ECMA-48, SGR).
  ///
  /// The text is not changed: make it safe first, with ``SafeText``.
  package func applied(to text: String) -> String {
    let codes = parameters
    guard !codes.isEmpty, !text.isEmpty else { return text }
    return "\u{1B}[\(codes.map(String.init).joined(separator: ";"))m\(text)\u{1B}[0m"
  }

  private var parameters: [Int] {
    [
      isBold ? 1 : nil, isDim ? 2 : nil, isUnderlined ? 4 : nil, isReversed ? 7 : nil,
      color?.rawValue,
    ].compactMap(\.self)
  }
}

extension Style {
  /// The style of a section's title.
  package static let sectionTitle = Style(bold: true)
  /// The style of a table's headings, counts and aggregates.
  package static let secondary = Style(dim: true)
  /// The style of an inserted row.
  package static let inserted = Style(color: .green)
  /// The style of a deleted row.
  package static let deleted = Style(color: .red)
  /// The style of an updated row.
  package static let updated = Style(color: .yellow)
  /// The style of a moved row.
  package static let moved = Style(color: .cyan)
}

/// The choice of when output is coloured.
package enum ColorChoice: String, CaseIterable, Hashable, Sendable {
  /// Colour on a terminal, unless the environment says otherwise.
  case auto
  /// Colour everywhere, on a pipe too.
  case always
  /// No colour.
  case never

  /// Returns whether to colour, given the environment and whether the output is a terminal.
  ///
  /// For ``auto``, the first rule that applies decides: a non-empty `NO_COLOR` turns colour off (no-color.org);
  /// `CLICOLOR_FORCE` other than empty or `0` turns it on (bixense.com/clicolors); a missing or `dumb` `TERM` and
  /// `CLICOLOR=0` turn it off; otherwise a terminal is coloured.
  package func isEnabled(environment: [String: String], isTerminal: Bool) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty } ?? false }
    if isSet("NO_COLOR") { return false }
    if isSet("CLICOLOR_FORCE"), environment["CLICOLOR_FORCE"] != "0" { return true }
    guard isTerminal, isSet("TERM"), environment["TERM"] != "dumb" else { return false }
    return environment["CLICOLOR"] != "0"
  }
}
