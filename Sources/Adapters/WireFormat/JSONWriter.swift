/// Writes JSON without spaces; printable text stands as it is, only control characters are escaped.
struct JSONWriter {
  private(set) var text = ""

  mutating func write(raw: String) { text += raw }

  mutating func write(_ number: Int) { text += String(number) }

  /// Opens with `open`, writes the elements with commas between them, and closes.
  mutating func write<Elements: Sequence>(
    _ open: String,
    _ elements: Elements,
    _ close: String,
    element: (inout JSONWriter, Elements.Element) -> Void
  ) {
    text += open
    var isFirst = true
    for item in elements {
      if !isFirst { text += "," }
      isFirst = false
      element(&self, item)
    }
    text += close
  }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .number(let digits): text += digits
    case .string(let string): write(string: string)
    case .array(let values): write("[", values, "]") { $0.write($1) }
    case .object(let members):
      write("{", members, "}") { writer, member in
        writer.write(string: member.name)
        writer.text += ":"
        writer.write(member.value)
      }
    }
  }

  /// Writes a string in quotation marks.
  ///
  /// Besides what JSON demands, DEL and the C1 controls are escaped, as a terminal might obey them.
  mutating func write(string: String) {
    text += "\""
    if string.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) {
      text += string
    } else {
      for scalar in string.unicodeScalars { write(scalar) }
    }
    text += "\""
  }

  private mutating func write(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x22: text += "\\\""
    case 0x5C: text += "\\\\"
    case 0x08: text += "\\b"
    case 0x09: text += "\\t"
    case 0x0A: text += "\\n"
    case 0x0C: text += "\\f"
    case 0x0D: text += "\\r"
    case 0x00..<0x20, 0x7F..<0xA0:
      let digits = String(scalar.value, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    default: text.unicodeScalars.append(scalar)
    }
  }
}
