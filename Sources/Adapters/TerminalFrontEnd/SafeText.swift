/// Makes text from outside harmless and keeps it readable.
///
/// A title may hold escape sequences that set the clipboard, move the cursor or answer as key strokes. What is
/// shown on a terminal goes through ``oneLine(_:)`` or ``lines(_:)``: it then holds no control
/// character, nothing that reorders the line, and no cluster of unlimited size. What is written to a
/// pipe one row a line goes through ``escaped(_:)``, which loses nothing.
public enum SafeText {
  /// The text as one line for a terminal: each control character is shown as a visible symbol.
  ///
  /// C0 controls and DEL become their pictures (`ESC` is `␛`, tab `␉`, newline `␊`). C1 controls, line separators,
  /// the characters that override the direction of text, and format characters that are never seen become their
  /// names, as in `<U+202E>`. What joins letters and emoji, and the marks of direction, stay. A cluster keeps its
  /// first 32 scalars.
  /// - Complexity: O(*n*) in the UTF-8 bytes.
  public static func oneLine(_ text: String) -> String {
    visible(text, keepsNewlines: false)
  }

  /// The text for a terminal with its line ends kept: CR LF is one newline, all else as in ``oneLine(_:)``.
  public static func lines(_ text: String) -> String {
    visible(text, keepsNewlines: true)
  }

  /// JSON text for a terminal: what would reorder or hide text stands there as an escape, which means the same.
  ///
  /// In JSON such characters can stand only inside of strings. Line ends stay.
  /// - Complexity: O(*n*) in the UTF-8 bytes.
  public static func json(_ text: String) -> String {
    // The lead bytes of all that is replaced.
    guard text.utf8.contains(where: { $0 == 0x7F || [0xC2, 0xE1, 0xE2, 0xEF].contains($0) })
    else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      guard isHidden(scalar) || scalar.value == 0x7F else {
        return result.unicodeScalars.append(scalar)
      }
      // All of them are in the basic plane, so that one escape of four digits is enough.
      result += "\\u" + hexadecimal(scalar, digits: 4).lowercased()
    }
  }

  /// The text for a line of a pipe, so that one row stays one line and no column is torn.
  ///
  /// A tab is written `\t`, a newline `\n`, a carriage return `\r`, a backslash `\\`, and every other control
  /// character `\x` with its two hexadecimal digits (`ESC` is `\x1B`). The TSV reader undoes it exactly.
  /// - Complexity: O(*n*) in the UTF-8 bytes.
  public static func escaped(_ text: String) -> String {
    // 0xC2 leads the C1 controls.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x5C || $0 == 0x7F || $0 == 0xC2 })
    else { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count + 8)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\\": result += "\\\\"
      case _ where isControl(scalar): result += "\\x" + hexadecimal(scalar, digits: 2)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension SafeText {
  private static let longestCluster = 32

  private static func visible(_ text: String, keepsNewlines: Bool) -> String {
    guard !isPlain(text) else { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    let scalars = text.unicodeScalars
    var marks = 0
    for index in scalars.indices {
      let scalar = scalars[index]
      // Only marks can make a cluster long; an ordinary letter starts the count anew.
      marks = extendsCluster(scalar) ? marks + 1 : 0
      guard marks < longestCluster else { continue }
      if keepsNewlines, scalar == "\n" {
        result += "\n"
      } else if keepsNewlines, scalar == "\r", isNewline(scalars, after: index) {
        continue
      } else {
        appendVisible(scalar, to: &result)
      }
    }
    return result
  }

  /// Whether the bytes alone show that nothing needs to be replaced: no ASCII control, no lead byte of the C1
  /// controls (C2), of combining marks (CC, CD), of the directional characters (E2), or of any other
  /// script's marks that could pile up.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case 0x20..<0x7F, 0x80..<0xC2, 0xC3..<0xCC: true
      case 0xE4...0xE9, 0xEB, 0xEC: true
      default: false
      }
    }
  }

  private static func isNewline(_ scalars: String.UnicodeScalarView, after index: String.Index)
    -> Bool
  {
    let next = scalars.index(after: index)
    return next < scalars.endIndex && scalars[next] == "\n"
  }

  private static func appendVisible(_ scalar: Unicode.Scalar, to result: inout String) {
    switch scalar.value {
    case 0..<0x20: result.unicodeScalars.append(picture(scalar.value))
    case 0x7F: result += "␡"
    case _ where isHidden(scalar): result += "<U+" + hexadecimal(scalar, digits: 4) + ">"
    default: result.unicodeScalars.append(scalar)
    }
  }

  /// Whether a scalar ends lines, reorders text, or is never seen, and is no part of how letters and emoji are written.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x80..<0xA0, 0x180E, 0x200B, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB:
      true
    default: false
    }
  }

  /// The control pictures stand in the order of the controls from U+2400.
  private static func picture(_ control: UInt32) -> Unicode.Scalar {
    Unicode.Scalar(0x2400 + control) ?? "\u{FFFD}"
  }

  private static func extendsCluster(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x300: false
    case 0x200D, 0x1160...0x11FF, 0xD7B0...0xD7FF: true
    default: scalar.properties.isGraphemeExtend
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar, digits: Int) -> String {
    let text = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
