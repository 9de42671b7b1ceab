import TerminalFrontEnd

/// A field of an open form: its text, and where the caret stands in it.
struct FormEntry: Sendable {
  /// The position of the field among all fields.
  let field: Int
  /// The text that was stored when the form began or the user began to type; `nil` where several rows have several.
  private(set) var original: String?
  /// The text that others have stored since, where that is another one than was typed.
  private(set) var others: String?
  /// What has been typed, or the original text.
  private(set) var text: String
  /// The number of characters before the caret.
  private(set) var caret: Int
  /// Whether the text was changed by the user, if only to what it was.
  private(set) var isTouched = false
  /// What is wrong with the text, and what to write instead.
  var problem: String?

  init(field: Int, original: String?) {
    self.field = field
    self.original = original
    text = original ?? ""
    caret = text.count
  }

  /// Whether the text is to be written.
  ///
  /// Texts are compared by their bytes: another form of the same letters is a change.
  var isChanged: Bool {
    original.map { !$0.utf8.elementsEqual(text.utf8) } ?? isTouched
  }

  /// Whether the rows have several values, and none was typed.
  var isVarious: Bool { original == nil && !isTouched }

  /// Takes the text that is stored by now: one that was not changed follows it.
  /// - Returns: Whether the shown text is another one than before.
  mutating func follow(_ stored: String?, others: String?) -> Bool {
    self.others = isChanged ? others : nil
    guard !isChanged, stored.map({ !$0.utf8.elementsEqual(text.utf8) }) ?? (original != nil) else {
      return false
    }
    let isAtEnd = caret == text.count
    original = stored
    text = stored ?? ""
    caret = isAtEnd ? text.count : min(caret, text.count)
    return true
  }

  // MARK: - Typing

  /// Inserts a text at the caret.
  mutating func insert(_ inserted: String) {
    let before = text.prefix(caret) + inserted
    let after = text.dropFirst(caret)
    // A mark that is typed joins the character before it.
    caret = before.count
    change(to: String(before + after))
  }

  /// Replaces the whole text.
  mutating func replace(with text: String) {
    caret = text.count
    change(to: text)
  }

  /// Takes the stored text again, which may be that of others.
  mutating func restore() {
    if let others { original = others }
    others = nil
    text = original ?? ""
    caret = text.count
    isTouched = false
    problem = nil
  }

  /// Takes a key that edits or moves the caret.
  /// - Returns: Whether the key means anything in a field.
  mutating func press(_ key: Key) -> Bool {
    switch key.code {
    case .character(let character) where !key.isControl && !key.isAlt: insert(String(character))
    case .backspace: delete(from: max(caret - 1, 0), to: caret)
    case .delete: delete(from: caret, to: min(caret + 1, text.count))
    case .character("w") where key.isControl: delete(from: wordStart, to: caret)
    case .character("u") where key.isControl: delete(from: 0, to: caret)
    case .character("k") where key.isControl: delete(from: caret, to: text.count)
    case .left: caret = key.isControl ? wordStart : max(caret - 1, 0)
    case .right: caret = key.isControl ? wordEnd : min(caret + 1, text.count)
    case .home,
      .character("a") where key.isControl:
      caret = 0
    case .end: caret = text.count
    default: return false
    }
    return true
  }

  private mutating func delete(from start: Int, to end: Int) {
    let after = text.dropFirst(end)
    caret = start
    change(to: String(text.prefix(start) + after))
  }

  private mutating func change(to text: String) {
    self.text = text
    caret = min(caret, text.count)
    isTouched = true
    problem = nil
  }

  private var wordStart: Int {
    let before = text.prefix(caret).reversed()
    let word = before.drop(while: \.isWhitespace).drop { !$0.isWhitespace }
    return word.count
  }

  private var wordEnd: Int {
    let after = text.dropFirst(caret)
    return text.count - after.drop(while: \.isWhitespace).drop { !$0.isWhitespace }.count
  }
}
