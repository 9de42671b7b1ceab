import Foundation
import ResultsDomain

/// Writes values as JSON (RFC 8259).
enum JSONText {
  static func appendString(_ text: String, to result: inout String) {
    result += "\""
    // C2 leads the controls from U+0080, E2 the line separators.
    let isPlain = text.utf8.allSatisfy {
      $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F && $0 != 0xC2 && $0 != 0xE2
    }
    if isPlain {
      result += text
    } else {
      for scalar in text.unicodeScalars { append(scalar, to: &result) }
    }
    result += "\""
  }

  static func append(_ value: Value, to result: inout String) {
    switch value {
    case .null: result += "null"
    case .integer(let number): result += String(number)
    // JSON has no word for infinity.
    case .real(let number): result += number.isFinite ? String(number) : "null"
    case .text(let text): appendString(text, to: &result)
    case .blob(let bytes):
      result += "{\"base64\":\"" + Data(bytes).base64EncodedString() + "\"}"
    }
  }

  private static func append(_ scalar: Unicode.Scalar, to result: inout String) {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    default: result.unicodeScalars.append(scalar)
    }
  }
}
