/// A key press, as a terminal reports it.
public struct Key: Hashable, Sendable {
  /// The key without its modifiers.
  public enum Code: Hashable, Sendable {
    /// A character; letters are as typed, so `J` is no `j` with shift.
    case character(Character)
    /// The keys of a keyboard that type no character.
    case enter, tab, backspace, escape, up, down, left, right, home, end, pageUp, pageDown, insert,
      delete
    /// A function key, from 1.
    case function(Int)
  }

  /// The key without its modifiers.
  public var code: Code
  /// Whether control is held; the character is then a small letter or a sign.
  public var isControl: Bool
  /// Whether alt is held.
  public var isAlt: Bool
  /// Whether shift is held, for keys that type no character.
  public var isShift: Bool

  /// Creates a key press.
  public init(_ code: Code, control: Bool = false, alt: Bool = false, shift: Bool = false) {
    self.code = code
    isControl = control
    isAlt = alt
    isShift = shift
  }
}

extension Key: CustomStringConvertible {
  /// The key as help shows it: `j`, `^D`, `PgDn`, `S-Tab`, `A-x`, `␣`.
  public var description: String {
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
public enum KeyInput: Hashable, Sendable {
  /// A key was pressed.
  case key(Key)
  /// A text was pasted; it is never read as keys.
  case paste(String)
}
