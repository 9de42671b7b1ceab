/// A Unicode encoding of units of two or four bytes, told by how a document of XML begins in it.
enum UnicodeForm: CaseIterable {
  case utf32BigEndian
  case utf32LittleEndian
  case utf16BigEndian
  case utf16LittleEndian

  /// The form, by the byte order mark or by the `<` that a document begins with (XML 1.0, appendix F), or `nil`.
  init?(beginning bytes: [UInt8]) {
    // The shorter beginnings begin the longer ones, which come first.
    let form = UnicodeForm.allCases.first { form in
      ([0xFEFF, 0x3C] as [UInt32]).contains { bytes.starts(with: form.bytes(of: $0)) }
    }
    guard let form else { return nil }
    self = form
  }

  /// What the form is called.
  var name: String { width == 4 ? "UTF-32" : "UTF-16" }

  /// The text in UTF-8 without its byte order mark, or `nil` if the bytes are not of this form.
  func decoded(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count.isMultiple(of: width) else { return nil }
    let units = stride(from: 0, to: bytes.count, by: width).lazy.map { start in
      self.unit(bytes[start..<start + self.width])
    }
    let text =
      width == 4
      ? String(validating: units, as: UTF32.self)
      : String(validating: units.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
    return text.map {
      Array(
        ($0.unicodeScalars.first == "\u{FEFF}" ? String($0.unicodeScalars.dropFirst()) : $0).utf8
      )
    }
  }

  /// Whether a document of this form begins with `<`, with or without a byte order mark.
  func isMarkup(_ bytes: [UInt8]) -> Bool {
    let mark = self.bytes(of: 0xFEFF)
    let start = bytes.starts(with: mark) ? mark.count : 0
    return bytes[start...].starts(with: self.bytes(of: 0x3C))
  }

  private var width: Int {
    switch self {
    case .utf32BigEndian, .utf32LittleEndian: 4
    case .utf16BigEndian, .utf16LittleEndian: 2
    }
  }

  private var isBigEndian: Bool { self == .utf32BigEndian || self == .utf16BigEndian }

  private func unit(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    isBigEndian
      ? bytes.reduce(0) { $0 << 8 | UInt32($1) }
      : bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func bytes(of unit: UInt32) -> [UInt8] {
    let bytes = (0..<width).map { UInt8(truncatingIfNeeded: unit >> (8 * UInt32($0))) }
    return isBigEndian ? bytes.reversed() : bytes
  }
}
