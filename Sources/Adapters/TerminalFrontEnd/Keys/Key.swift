/// A key press, as a terminal reports it.
package struct Key: Hashable, Sendable {
  /// The key without its modifiers.
  package enum Code: Hashable, Sendable {
    /// A character; letters are as typed, so `J` is no `j` with shift.
    case character(Character)
    /// The keys of a keyboard that type no character.
    case enter, tab, backspace, escape, up, down, left, right, home, end, pageUp, pageDown, insert,
      delete
    /// A function key, from 1.
    case function(Int)
  }

  /// The key without its modifiers.
  package var code: Code
  /// Whether control is held; the character is then a small letter or a sign.
  package var isControl: Bool
  /// Whether alt is held.
  package var isAlt: Bool
  /// Whether shift is held, for keys that type no character.
  package var isShift: Bool

  /// Creates a key press.
  package init(_ code: Code, control: Bool = false, alt: Bool = false, shift: Bool = false) {
    self.code = code
    isControl = control
    isAlt = alt
    isShift = shift
  }
}

extension Key: CustomStringConvertible {
  /// The key as help shows it: `j`, `^D`, `PgDn`, `S-Tab`, `A-x`, `␣`.
  package var description: String {
    let prefix = (isAlt ? "A-" : "") + (isShift ? "S-" : "")
    let name =
      switch code {
      case .character(" "): "␣"
      case .character(let character): isControl ? "^" + character.uppercased() : String(character)
      case .enter: "Enter"
      case .tab: "Tab"
      case .backspace: "Backspace"
      case .escape: "Esc"
      case .up: "↑"
      case .down: "↓"
      case .left: "←"
      case .right: "→"
      case .home: "Home"
      case .end: "End"
      case .pageUp: "PgUp"
      case .pageDown: "PgDn"
      case .insert: "Ins"
      case .delete: "Del"
      case .function(let number): "F\(number)"
      }
    if case .character = code { return prefix + name }
    return prefix + (isControl ? "^" : "") + name
  }
}

/// What a terminal sent: a key, or a text that was pasted.
package enum KeyInput: Hashable, Sendable {
  /// A key was pressed.
  case key(Key)
  /// A text was pasted; it is never read as keys.
  case paste(String)
  /// The mouse was used.
  case mouse(Mouse)
}

/// What a mouse did, where the terminal reports it.
package struct Mouse: Hashable, Sendable {
  /// The button or the wheel.
  package enum Action: Hashable, Sendable { case press, wheelUp, wheelDown }

  /// What was done.
  package var action: Action
  /// The line, in cells from 0 at the top.
  package var line: Int
  /// The column, in cells from 0 at the left.
  package var column: Int

  /// Creates a report.
  package init(_ action: Action, line: Int, column: Int) {
    self.action = action
    self.line = line
    self.column = column
  }

  /// The sequence that lets a terminal report the mouse, with positions in the form SGR 1006, or no longer.
  package static func reporting(_ isOn: Bool) -> String {
    isOn ? "\u{1B}[?1000h\u{1B}[?1006h" : "\u{1B}[?1006l\u{1B}[?1000l"
  }
}
