import Foundation
import ResultsDomain

/// The text of a value in machine form: no locale, no grouping.
enum PlainForm {
  static func text(of value: Value) -> String {
    switch value {
    case .null: ""
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text): text
    case .illFormedText(let text): text.repaired
    case .blob(let bytes): Data(bytes).base64EncodedString()
    }
  }
}

/// Prevents spreadsheets from running texts of a file as formulas.
enum FormulaGuard {
  /// Returns the text, with an apostrophe in front if a spreadsheet could take it for a formula.
  static func guarded(_ text: String) -> String { beginsFormula(text) ? "'" + text : text }

  private static func beginsFormula(_ text: String) -> Bool {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "=", "+", "-", "@": return true
      // Spreadsheets accept their full-width and small forms and the minus sign, too.
      case "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return true
      case "\u{FE66}", "\u{FE62}", "\u{FE63}", "\u{FE6B}", "\u{2212}": return true
      // Some spreadsheets drop a tab or a line end in front.
      case "\u{0}"..."\u{1F}": return true
      // Invisible characters may hide a formula.
      case "\u{200B}", "\u{2060}", "\u{FEFF}": continue
      case _ where scalar.properties.isWhitespace: continue
      default: return false
      }
    }
    return false
  }
}

/// The backslash escapes for tabs, line ends and control characters in a tab-separated file.
enum TabEscapes {
  /// Returns the text with control characters and backslashes escaped.
  static func escaped(_ text: String) -> String {
    // The controls from U+0080 to U+009F begin with the byte C2.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x5C || $0 == 0x7F || $0 == 0xC2 })
    else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\\": result += "\\\\"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}":
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\x" + (digits.utf8.count < 2 ? "0" : "") + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// Returns the bytes with escapes decoded; an unknown escape is text.
  static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
        result.append(bytes[index])
        index += 1
        continue
      }
      switch bytes[index + 1] {
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "\\"): result.append(0x5C)
      case UInt8(ascii: "x"):
        if let control = control(bytes, at: index + 2) {
          result += Array(String(control).utf8)
          index += 2
        } else {
          result += [0x5C, bytes[index + 1]]
        }
      default: result += [0x5C, bytes[index + 1]]
      }
      index += 2
    }
    return result
  }

  private static func control(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int)
    -> Unicode.Scalar?
  {
    guard index + 1 < bytes.count, let high = digit(bytes[index]), let low = digit(bytes[index + 1])
    else { return nil }
    let scalar = Unicode.Scalar(high << 4 | low)
    return scalar.properties.generalCategory == .control ? scalar : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
