/// How a piece of text looks on a terminal: attributes and one of its own 16 colours.
///
/// Only the terminal's palette is used, so that dark and light themes both work. A style never carries meaning
/// alone; a sign or a word always says the same.
public struct Style: Hashable, Sendable {
  /// A colour of the terminal's palette.
  public enum Color: Int, Hashable, Sendable {
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
  public var isBold: Bool
  /// Whether the text is faint.
  public var isDim: Bool
  /// Whether the text is underlined.
  public var isUnderlined: Bool
  /// Whether foreground and background are exchanged.
  public var isReversed: Bool
  /// The colour of the text, or `nil` for the terminal's own.
  public var color: Color?

  /// A style; without arguments, plain text.
  public init(
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

  /// The text between the escape sequences of this style (ECMA-48, SGR).
  ///
  /// The text is written as it is: make it safe first.
  public func applied(to text: String) -> String {
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
  /// A section's title.
  public static let sectionTitle = Style(bold: true)
  /// A table's headings, counts and aggregates.
  public static let secondary = Style(dim: true)
  /// A row that came.
  public static let inserted = Style(color: .green)
  /// A row that went.
  public static let deleted = Style(color: .red)
  /// A row that changed.
  public static let updated = Style(color: .yellow)
  /// A row that moved.
  public static let moved = Style(color: .cyan)
}

/// When output is coloured.
public enum ColorChoice: String, CaseIterable, Hashable, Sendable {
  /// On a terminal that can, unless the environment says otherwise.
  case auto
  /// Also on a pipe.
  case always
  /// Not at all.
  case never

  /// Whether to colour, given the environment and where the output goes.
  ///
  /// For ``auto``, in this order: `NO_COLOR` with any content forbids colour (no-color.org), `CLICOLOR_FORCE` other
  /// than empty or `0` demands it (bixense.com/clicolors), `TERM` missing or `dumb` and `CLICOLOR=0` forbid it;
  /// otherwise a terminal is coloured.
  public func isEnabled(environment: [String: String], isTerminal: Bool) -> Bool {
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
