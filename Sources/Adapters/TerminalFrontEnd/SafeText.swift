/// Functions that make text from outside harmless and keep it readable.
///
/// A title may contain escape sequences that set the clipboard, move the cursor or inject key strokes. Text for a
/// terminal goes through ``oneLine(_:)`` or ``lines(_:)``, which remove control characters, characters that reorder
/// the line, and grapheme clusters of unlimited size. Rows written to a pipe go through ``escaped(_:)``, which is
/// lossless.
package enum SafeText {
  /// Returns the text as one line for a terminal, with each control character shown as a visible symbol.
  ///
  /// C0 controls and DEL become their pictures (`ESC` is `␛`, tab `␉`, newline `␊`). C1 controls, line separators,
  /// direction overrides and invisible format characters become their code points, as in `<U+202E>`. Joiners and
  /// direction marks stay. A cluster keeps its first 32 scalars.
  /// - Complexity: O(*n*) in the UTF-8 bytes.
  package static func oneLine(_ text: String) -> String {
    visible(text, keepsNewlines: false)
  }

  /// Returns the beginning of the text as ``oneLine(_:)``, with `…` if it goes on.
  ///
  /// What is laid out for a screen is bounded by it, however long a value is.
  /// - Complexity: O(*k*) in the scalars that are kept.
  package static func oneLine(_ text: String, atMost most: Int) -> String {
    guard let beginning = beginning(of: text, most) else { return oneLine(text) }
    return oneLine(beginning) + "…"
  }

  /// Returns the beginning of the text as ``lines(_:)``, with `…` if it goes on.
  /// - Complexity: O(*k*) in the scalars that are kept.
  package static func lines(_ text: String, atMost most: Int) -> String {
    guard let beginning = beginning(of: text, most) else { return lines(text) }
    return lines(beginning) + "…"
  }

  /// The first scalars of a text, or `nil` if it has no more.
  private static func beginning(of text: String, _ most: Int) -> String? {
    guard text.utf8.count > most else { return nil }
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: most, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return nil }
    return String(scalars[..<end])
  }

  /// Returns the text for a terminal with its line ends; CR LF becomes LF, everything else as in ``oneLine(_:)``.
  package static func lines(_ text: String) -> String {
    visible(text, keepsNewlines: true)
  }

  /// Returns JSON for a terminal, with characters that reorder or hide text written as JSON escapes.
  ///
  /// The result means the same: in JSON such characters occur only inside strings. Line ends stay.
  /// - Complexity: O(*n*) in the UTF-8 bytes.
  package static func json(_ text: String) -> String {
    // The first UTF-8 bytes of everything that is replaced.
    guard text.utf8.contains(where: { $0 == 0x7F || [0xC2, 0xE1, 0xE2, 0xEF].contains($0) })
    else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      guard isHidden(scalar) || scalar.value == 0x7F else {
        return result.unicodeScalars.append(scalar)
      }
      // All of them are in the basic plane: one escape of four digits suffices.
      result += "\\u" + hexadecimal(scalar, digits: 4).lowercased()
    }
  }

  /// Returns the text as one field of a tab-separated line.
  ///
  /// A tab is written `\t`, a newline `\n`, a carriage return `\r`, a backslash `\\`, and every other control
  /// character `\x` with two hexadecimal digits (`ESC` is `\x1B`). The TSV parser reverses it exactly.
  /// - Complexity: O(*n*) in the UTF-8 bytes.
  package static func escaped(_ text: String) -> String {
    // 0xC2 is the first byte of the C1 controls.
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
      // Only marks can make a cluster long; any other scalar resets the count.
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

  /// Whether the bytes alone show that nothing needs to be replaced: no ASCII control, and no first byte of the C1
  /// controls (C2), combining marks (CC, CD), directional characters (E2), or marks of other scripts.
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

  /// Whether a scalar ends lines, reorders text or is invisible, and is not part of letters or emoji.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x80..<0xA0, 0x180E, 0x200B, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB:
      true
    default: false
    }
  }

  /// Returns the control picture; U+2400 and the following are in the order of the controls.
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
