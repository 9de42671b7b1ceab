/// A measure of the columns that a text takes on a terminal.
///
/// The unit is the grapheme cluster, Swift's `Character`: a cluster drawn as one emoji takes two columns, any other
/// cluster the sum of its scalars. East Asian wide and full-width scalars take two columns; combining marks, format
/// characters and control characters none; all others one. Terminals disagree about some clusters (skin tones, text
/// symbols with emoji presentation, South Asian spacing marks); this type follows the standard.
///
/// ```swift
/// DisplayWidth().columns(of: "吾輩は猫")  // 8
/// ```
package struct DisplayWidth: Hashable, Sendable {
  /// The width of the scalars that Unicode calls ambiguous, such as `①`, `½` or `…`.
  package enum Ambiguous: Int, Hashable, Sendable {
    /// One column, as on nearly every terminal.
    case narrow = 1
    /// Two columns, as on legacy East Asian terminals.
    case wide = 2
  }

  /// The width of ambiguous scalars.
  package var ambiguous: Ambiguous

  /// Creates a measure with a width for ambiguous scalars.
  package init(ambiguous: Ambiguous = .narrow) { self.ambiguous = ambiguous }

  /// Returns the columns that a text takes on one line.
  /// - Complexity: O(*n*) in the UTF-8 bytes; printable ASCII is one pass over the bytes.
  package func columns(of text: String) -> Int {
    if DisplayWidth.isPrintableASCII(text) { return text.utf8.count }
    return text.reduce(0) { $0 + columns(of: $1) }
  }

  /// Returns the columns that a cluster takes: 0, 1, 2, or more if its scalars are drawn side by side.
  package func columns(of cluster: Character) -> Int {
    let scalars = cluster.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.index(after: scalars.startIndex) == scalars.endIndex { return columns(of: first) }
    if isDrawnAsEmoji(scalars, first: first) { return 2 }
    return scalars.reduce(0) { $0 + columns(of: $1) }
  }

  /// Returns the columns that a scalar takes by itself.
  func columns(of scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x7F { return value < 0x20 ? 0 : 1 }
    // In this block only the soft hyphen and the controls before U+00A0 are invisible.
    if value < 0x300, ambiguous == .narrow { return value < 0xA0 || value == 0xAD ? 0 : 1 }
    if isInvisible(scalar) { return 0 }
    if EastAsianWidthTable.contains(value, in: EastAsianWidthTable.wide) { return 2 }
    guard ambiguous == .wide else { return 1 }
    return EastAsianWidthTable.contains(value, in: EastAsianWidthTable.ambiguous) ? 2 : 1
  }

  static func isPrintableASCII(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }
}

extension DisplayWidth {
  private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    // The vowels and final consonants of conjoining Hangul are drawn inside the first consonant's cell.
    if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value) {
      return true
    }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: return true
    case .format: return !isVisibleFormat(scalar.value)
    default: return properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether a format character is visible: number, year and verse signs drawn around or before digits.
  private func isVisibleFormat(_ value: UInt32) -> Bool {
    switch value {
    case 0x600...0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD: true
    default: false
    }
  }

  private func isDrawnAsEmoji(
    _ scalars: Character.UnicodeScalarView,
    first: Unicode.Scalar
  ) -> Bool {
    let properties = first.properties
    guard properties.isEmoji else { return false }
    // A flag is two regional indicators; after an emoji presentation the other scalars only modify the picture.
    if properties.isEmojiPresentation { return true }
    return scalars.dropFirst().contains { scalar in
      switch scalar.value {
      case 0xFE0F: true
      case 0x200D: first.value > 0xFF
      default: scalar.properties.isEmojiModifier && properties.isEmojiModifierBase
      }
    }
  }
}

/// The alignment of a text in a wider field.
package enum TextAlignment: Hashable, Sendable {
  /// At the start of the field, for words.
  case leading
  /// At the end of the field, for numbers.
  case trailing
}

extension DisplayWidth {
  /// Returns the text truncated or padded to exactly a number of columns.
  ///
  /// A text that is too wide is truncated at a cluster and ends in `…`; a space replaces half of a wide cluster.
  ///
  /// ```swift
  /// DisplayWidth().fit("吾輩は猫である", columns: 8)  // "吾輩は… "
  /// ```
  /// Below one column the result is empty.
  /// - Complexity: O(*n*) in the bytes of the result.
  package func fit(_ text: String, columns: Int, alignment: TextAlignment = .leading) -> String {
    guard columns > 0 else { return "" }
    if DisplayWidth.isPrintableASCII(text), text.utf8.count <= columns {
      return padded(text, by: columns - text.utf8.count, alignment)
    }
    let (result, width) = shortened(text, columns: columns)
    return padded(result, by: columns - width, alignment)
  }

  /// Returns the text, truncated with `…` if it takes more than a number of columns.
  package func cut(_ text: String, columns: Int) -> String {
    guard columns > 0 else { return "" }
    return shortened(text, columns: columns).text
  }

  /// Returns the text, with `…` in place of its middle if it takes more than a number of columns: its beginning and its end stay.
  /// - Complexity: O(*n*) in the bytes of the text.
  package func cutMiddle(_ text: String, columns limit: Int) -> String {
    guard limit > 0, columns(of: text) > limit else { return limit > 0 ? text : "" }
    let room = limit - columns(of: "…" as Character)
    guard room > 1 else { return cut(text, columns: limit) }
    var end = text.endIndex
    var used = 0
    while end > text.startIndex {
      let before = text.index(before: end)
      let next = used + columns(of: text[before])
      guard next <= room / 2 else { break }
      (used, end) = (next, before)
    }
    var start = text.startIndex
    while start < end {
      let next = used + columns(of: text[start])
      guard next <= room else { break }
      (used, start) = (next, text.index(after: start))
    }
    return text[..<start] + "…" + text[end...]
  }

  private func shortened(_ text: String, columns limit: Int) -> (text: String, width: Int) {
    let ellipsis: Character = "…"
    let room = limit - columns(of: ellipsis)
    var width = 0
    var prefix = (end: text.startIndex, width: 0)
    for index in text.indices {
      let next = width + columns(of: text[index])
      guard next <= limit else {
        guard room >= 0 else { return (".", 1) }
        return (String(text[..<prefix.end]) + String(ellipsis), prefix.width + limit - room)
      }
      width = next
      if width <= room { prefix = (text.index(after: index), width) }
    }
    return (text, width)
  }

  private func padded(_ text: String, by count: Int, _ alignment: TextAlignment) -> String {
    guard count > 0 else { return text }
    let space = String(repeating: " ", count: count)
    return alignment == .leading ? text + space : space + text
  }
}
