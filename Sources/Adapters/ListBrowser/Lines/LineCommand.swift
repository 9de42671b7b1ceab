/// What a typed line means in a browser without a screen.
enum LineCommand: Hashable, Sendable {
  /// An action of the keymap, with the number typed before its key and the text typed after it.
  case action(BrowserAction, count: Int? = nil, text: String = "")
  /// A command of the program, by its key.
  case program(Character)
  /// Nothing that is known.
  case unknown(String)

  /// The actions that make sense without a screen.
  static let actions: Set<BrowserAction> = [
    .down, .up, .halfPageDown, .halfPageUp, .pageDown, .pageUp, .first, .last, .nextSection,
    .previousSection, .indexTitle, .sections, .goTo, .share, .back, .fold, .open, .toggleFold,
    .foldAll, .openAll, .filter, .nextMatch, .previousMatch, .sameValue, .selectAll, .sort,
    .sectionBy, .usual, .columns, .savedLists, .select, .selectSection, .enter, .detail, .links,
    .delete,
    .commands, .undo, .redo, .hold, .applyHeld, .help, .messages, .repaint, .suspend, .escape,
    .interrupt, .quit, .quitAll,
  ]
  /// The actions that are repeated by repeating their key: `jjj` is `3j`.
  private static let steps: Set<BrowserAction> = [.down, .up, .nextSection, .previousSection]

  /// Reads a line: a number and a key by its name in the keymap, or a key with a text behind it.
  ///
  /// No line starts an action by chance: a word that is no key is unknown, whatever keys its letters are.
  init(_ line: String, commands: [BrowserCommand]) {
    let typed = LineCommand.trimmed(line)
    guard let first = typed.first else {
      self = line.isEmpty ? .action(.enter) : .action(.select)
      return
    }
    switch first {
    case "/": self = .action(.filter, text: LineCommand.trimmed(typed.dropFirst()))
    case ":": self = .action(.goTo, text: LineCommand.trimmed(typed.dropFirst()))
    case "'": self = .action(.indexTitle, text: LineCommand.trimmed(typed.dropFirst()))
    default: self = LineCommand.key(typed, commands)
    }
  }

  private static func key(_ typed: String, _ commands: [BrowserCommand]) -> LineCommand {
    let digits = typed.prefix { $0.isASCII && $0.isNumber }
    let count = digits.isEmpty ? nil : min(Int(digits) ?? .max, BrowserModel.mostCount)
    let rest = trimmed(typed.dropFirst(digits.count))
    if rest.isEmpty { return .action(.goTo, text: "#\(digits)") }
    let words = rest.split(separator: " ", maxSplits: 1)
    let text = words.count > 1 ? trimmed(words[1]) : ""
    let name = words.first.map(String.init) ?? rest
    if let action = action(named: name) {
      return text.isEmpty || takesText(action)
        ? .action(action, count: count, text: text) : .unknown(rest)
    }
    if let key = rest.first, Set(rest).count == 1, let action = action(named: String(key)),
      steps.contains(action)
    {
      return .action(action, count: (count ?? 1) + rest.count - 1)
    }
    if let command = commands.first(where: { $0.keyText == rest }), let key = command.key {
      return .program(key)
    }
    return .unknown(rest)
  }

  /// Returns the action of a key's name; the case of names such as `Esc` is ignored.
  private static func action(named name: String) -> BrowserAction? {
    BrowserKeymap.entries.first { entry in
      entry.keys.contains { sequence in
        let key = sequence.joined()
        return key == name || name.count > 2 && key.lowercased() == name.lowercased()
      }
    }?.action
  }

  /// Whether an action takes a text behind its key: a part of the name to choose.
  private static func takesText(_ action: BrowserAction) -> Bool {
    switch action {
    case .sort, .sectionBy, .columns, .savedLists, .sections, .commands, .links, .help: true
    default: false
    }
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let start = text.drop { $0 == " " || $0 == "\t" }
    let kept = start.reversed().drop { $0 == " " || $0 == "\t" }
    return String(kept.reversed())
  }
}
