/// Turns HTML into plain text for a line of a list.
enum HTMLText {
  /// The text without tags, comments, scripts and styles, entities decoded, white space collapsed.
  ///
  /// A `<` that begins no tag stays. Control characters that an entity stands for stay as data.
  /// - Complexity: O(*n*) in the scalars.
  static func plain(_ html: String) -> String {
    var result = String.UnicodeScalarView()
    var isSpacePending = false
    var rest = Substring(html).unicodeScalars
    func append(_ scalar: Unicode.Scalar) {
      guard !isSpace(scalar) else {
        isSpacePending = true
        return
      }
      if isSpacePending, !result.isEmpty { result.append(" ") }
      isSpacePending = false
      result.append(scalar)
    }
    while let scalar = rest.first {
      if scalar == "<", let tag = takeTag(&rest) {
        if !inline.contains(tag.name) { isSpacePending = true }
        let isHidden = tag.name == "script" || tag.name == "style"
        if isHidden, !tag.isEnd { skip(&rest, untilEndOf: tag.name) }
      } else if scalar == "&", let decoded = takeEntity(&rest) {
        append(decoded)
      } else {
        append(scalar)
        rest.removeFirst()
      }
    }
    return String(result)
  }

  /// The text with entities decoded and nothing else changed but white space at its ends.
  static func decodingEntities(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var rest = Substring(text).unicodeScalars
    while let scalar = rest.first {
      if scalar == "&", let decoded = takeEntity(&rest) {
        result.append(decoded)
      } else {
        result.append(scalar)
        rest.removeFirst()
      }
    }
    return trimmed(String(result))
  }

  /// The text without white space at its ends.
  static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[first...last])
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || (0x09...0x0D).contains(scalar.value) || scalar == "\u{A0}"
  }

  /// Tags that stand inside a word's line, so that dropping them parts nothing.
  static let inline: Set<String> = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "mark",
    "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt",
    "u",
    "var", "wbr",
  ]
}

// MARK: - Parts

extension HTMLText {
  /// Takes a tag or comment from the front and gives its name in lower case, or leaves a `<` that is none.
  private static func takeTag(_ rest: inout Substring.UnicodeScalarView)
    -> (name: String, isEnd: Bool)?
  {
    var ahead = rest.dropFirst()
    if ahead.starts(with: "!--".unicodeScalars) {
      skip(&ahead, behind: "-->")
      rest = ahead
      return ("!", false)
    }
    let isEnd = ahead.first == "/"
    if isEnd { ahead.removeFirst() }
    guard let first = ahead.first, first == "!" || first == "?" || isLetter(first) else {
      return nil
    }
    var name = ""
    while let scalar = ahead.first, isLetter(scalar) || ("0"..."9").contains(scalar) {
      name.unicodeScalars.append(scalar)
      ahead.removeFirst()
    }
    var quote: Unicode.Scalar?
    while let scalar = ahead.first {
      ahead.removeFirst()
      if let open = quote {
        if scalar == open { quote = nil }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if scalar == ">" {
        break
      }
    }
    rest = ahead
    return (name.lowercased(), isEnd)
  }

  /// Takes an entity with its semicolon from the front, or leaves an `&` that begins none.
  private static func takeEntity(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
    let ahead = rest.dropFirst()
    guard let end = ahead.prefix(33).firstIndex(of: ";") else { return nil }
    guard let scalar = scalar(ofEntity: String(ahead[..<end])) else { return nil }
    rest = ahead[ahead.index(after: end)...]
    return scalar
  }

  private static func scalar(ofEntity name: String) -> Unicode.Scalar? {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard name.utf8.first == UInt8(ascii: "#") else { return HTMLEntities.scalar(named: name) }
    let digits = name.dropFirst()
    let isHexadecimal = digits.first == "x" || digits.first == "X"
    let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.map { $0 == 0 ? "\u{FFFD}" : Unicode.Scalar($0) ?? "\u{FFFD}" }
  }

  private static func skip(_ rest: inout Substring.UnicodeScalarView, behind end: String) {
    while !rest.isEmpty {
      if rest.starts(with: end.unicodeScalars) {
        rest = rest.dropFirst(end.unicodeScalars.count)
        return
      }
      rest.removeFirst()
    }
  }

  private static func skip(_ rest: inout Substring.UnicodeScalarView, untilEndOf tag: String) {
    while !rest.isEmpty {
      let end = rest.prefix(tag.unicodeScalars.count + 2)
      if rest.first == "<", String(end).lowercased() == "</" + tag { return }
      rest.removeFirst()
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }
}
