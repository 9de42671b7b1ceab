/// Where a text stands in a field that is wider than it.
public enum TextAlignment: Hashable, Sendable {
  /// At the start of the field, as words.
  case leading
  /// At the end of the field, as numbers.
  case trailing
}

extension DisplayWidth {
  /// The text cut or padded to exactly a number of columns.
  ///
  /// A text that is too wide is cut at a cluster and ends in `…`; where half of a wide cluster would remain, a
  /// space stands instead.
  ///
  /// ```swift
  /// DisplayWidth().fit("吾輩は猫である", columns: 8)  // "吾輩は… "
  /// ```
  /// Below one column the result is empty.
  /// - Complexity: O(*n*) in the bytes that are looked at.
  public func fit(_ text: String, columns: Int, alignment: TextAlignment = .leading) -> String {
    guard columns > 0 else { return "" }
    if DisplayWidth.isPrintableASCII(text), text.utf8.count <= columns {
      return padded(text, by: columns - text.utf8.count, alignment)
    }
    let (result, width) = shortened(text, columns: columns)
    return padded(result, by: columns - width, alignment)
  }

  /// The text, or its longest beginning with `…` that takes no more than a number of columns.
  public func cut(_ text: String, columns: Int) -> String {
    guard columns > 0 else { return "" }
    return shortened(text, columns: columns).text
  }

  private func shortened(_ text: String, columns limit: Int) -> (text: String, width: Int) {
    let ellipsis: Character = "…"
    let room = limit - columns(of: ellipsis)
    var width = 0
    var kept = (end: text.startIndex, width: 0)
    for index in text.indices {
      let next = width + columns(of: text[index])
      guard next <= limit else {
        guard room >= 0 else { return (".", 1) }
        return (String(text[..<kept.end]) + String(ellipsis), kept.width + limit - room)
      }
      width = next
      if width <= room { kept = (text.index(after: index), width) }
    }
    return (text, width)
  }

  private func padded(_ text: String, by count: Int, _ alignment: TextAlignment) -> String {
    guard count > 0 else { return text }
    let space = String(repeating: " ", count: count)
    return alignment == .leading ? text + space : space + text
  }
}
