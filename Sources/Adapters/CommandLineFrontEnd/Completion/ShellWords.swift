/// The words of a command line of bash, as far as it is typed.
///
/// Quotes and backslashes are understood; nothing is expanded, so that `$x` stays what it is.
struct ShellWords {
  /// The quotes in which a word stands.
  enum Quote {
    case none, single, double
  }

  /// A word as it is typed, and as the program would get it.
  struct Word {
    var raw = ""
    var text = ""
    /// The quotes that are open at its end.
    var quote = Quote.none
  }

  /// The complete words.
  private(set) var words: [String] = []
  /// The last word, at whose end the line ends; it is empty behind a blank.
  private(set) var last = Word()

  /// Reads a line up to the cursor.
  /// - Complexity: O(*n*) in the line.
  init(_ line: String) {
    var isEscaped = false
    for scalar in line.unicodeScalars {
      if !isEscaped, last.quote == .none, scalar == " " || scalar == "\t" {
        if !last.raw.isEmpty { words.append(last.text) }
        last = Word()
        continue
      }
      last.raw.unicodeScalars.append(scalar)
      if isEscaped {
        // Between double quotes a backslash is itself, but before these signs.
        if last.quote == .double, !"\"\\$`".unicodeScalars.contains(scalar) { last.text += "\\" }
        last.text.unicodeScalars.append(scalar)
        isEscaped = false
        continue
      }
      switch (scalar, last.quote) {
      case ("\\", .none), ("\\", .double): isEscaped = true
      case ("'", .none): last.quote = .single
      case ("\"", .none): last.quote = .double
      case ("'", .single), ("\"", .double): last.quote = .none
      default: last.text.unicodeScalars.append(scalar)
      }
    }
  }

  /// Returns what bash must insert for a word that the last one can become.
  /// - Parameters:
  ///   - word: The whole word, as the program would get it.
  ///   - replaced: What bash replaces: the end of the last word, from a quote, an equals sign or a colon on.
  /// - Returns: The end of the word, quoted as the line goes on; `nil` for a word that does not begin as the line does.
  func insertion(of word: String, replacing replaced: String) -> String? {
    guard last.raw.utf8.count >= replaced.utf8.count, last.raw.hasSuffix(replaced) else {
      return nil
    }
    let kept = ShellWords(String(last.raw.unicodeScalars.dropLast(replaced.unicodeScalars.count)))
    guard word.utf8.starts(with: kept.last.text.utf8),
      let rest = String(word.utf8.dropFirst(kept.last.text.utf8.count))
    else { return nil }
    return ShellWords.quoted(rest, within: kept.last.quote)
  }

  /// Returns a candidate as zsh reads it, which takes what follows a colon for a description.
  static func beforeDescription(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      if scalar == "\\" || scalar == ":" { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
  }

  /// Returns a text as it is typed within some quotes.
  static func quoted(_ text: String, within quote: Quote) -> String {
    var quoted = ""
    for scalar in text.unicodeScalars {
      switch quote {
      case .none:
        let isPlain =
          !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "_-./,+@%:=".unicodeScalars.contains(scalar)
        if !isPlain { quoted += "\\" }
      case .single where scalar == "'":
        quoted += "'\\'"
      case .double where scalar == "!":
        // Between double quotes it would be an event of the history.
        quoted += "\"'!'\""
        continue
      case .double where "\"\\$`".unicodeScalars.contains(scalar): quoted += "\\"
      case .single, .double: break
      }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted
  }
}
