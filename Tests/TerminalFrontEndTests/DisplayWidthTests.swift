import Testing

@testable import TerminalFrontEnd

@Suite("DisplayWidth")
struct DisplayWidthTests {
  @Test(
    arguments: [
      ("か\u{3099}", 2), ("葛\u{E0100}", 2), ("각", 2), ("〜", 2), ("𠮷", 2),
      ("\u{FF76}\u{FF9E}", 2), ("①", 1), ("½", 1), ("…", 1), ("—", 1), ("─", 1), ("★", 1),
      ("→", 1), ("×", 1), ("👨‍👩‍👧‍👦", 2), ("🇯🇵", 2), ("👍🏽", 2), ("❤️", 2), ("©️", 2), ("1️⃣", 2),
      ("🪿", 2), ("🫨", 2), ("नमस्ते", 4), ("ถ้ำ", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
      ("", 0), ("abc", 3), ("吾輩は猫である", 14), ("ﾊﾝｶｸ", 4), ("Ａ", 2), ("e\u{301}", 1),
      ("\u{1B}", 0), ("\t", 0), ("\u{9B}", 0), ("\u{AD}", 0), ("\u{A0}\u{202F}", 2),
      ("\u{200F}\u{61C}\u{200B}\u{2060}\u{FEFF}", 0), ("❤", 1), ("#", 1), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2),
      ("🧑‍🌾", 2), ("\r\n", 0), ("\u{603}", 1), ("é", 1),
    ] as [(String, Int)]
  )
  func `a text takes the columns of the standard`(text: String, columns: Int) {
    #expect(DisplayWidth().columns(of: text) == columns)
  }

  @Test(
    arguments: [
      ("①", 2), ("½", 2), ("…", 2), ("×", 2), ("a", 1), ("猫", 2), ("ﾊ", 1), ("é", 2), ("ñ", 1),
    ] as [(String, Int)]
  )
  func `ambiguous scalars take two columns when asked for`(text: String, columns: Int) {
    #expect(DisplayWidth(ambiguous: .wide).columns(of: text) == columns)
  }

  @Test(
    arguments: [
      (EastAsianWidthTable.wide, 125, 0x993d_e839_35d9_28f as UInt64),
      (EastAsianWidthTable.ambiguous, 176, 0x5479_3518_23ec_cd99),
    ] as [([ClosedRange<UInt32>], Int, UInt64)]
  )
  func `the tables are those of Unicode 17`(
    table: [ClosedRange<UInt32>],
    count: Int,
    checksum: UInt64
  ) {
    #expect(table.count == count)
    #expect(zip(table, table.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
    // Fowler-Noll-Vo 1a, 64 bits, over the bounds as little-endian 32-bit numbers.
    let bounds = table.flatMap { [$0.lowerBound, $0.upperBound] }
    let bytes = bounds.flatMap { bound in
      (0..<4).map { UInt8(truncatingIfNeeded: bound >> ($0 * 8)) }
    }
    let hash = bytes.reduce(14_695_981_039_346_656_037 as UInt64) {
      ($0 ^ UInt64($1)) &* 1_099_511_628_211
    }
    #expect(hash == checksum)
  }

  @Test func `the width of ASCII is the same by the short way and the long`() {
    for value in 0x20..<0x7F as Range<UInt8> {
      let scalar = Unicode.Scalar(value)
      #expect(DisplayWidth().columns(of: scalar) == DisplayWidth().columns(of: String(scalar)))
    }
  }
}

@Suite("Fitting text")
struct FittingTests {
  @Test(
    arguments: [
      ("吾輩は猫である", 8, "吾輩は… "), ("吾輩は猫である", 7, "吾輩は…"), ("吾輩", 4, "吾輩"),
      ("吾輩", 6, "吾輩  "), ("吾輩", 3, "吾…"), ("吾輩", 2, "… "), ("吾輩", 1, "…"), ("吾輩", 0, ""),
      ("abc", 5, "abc  "), ("abcdef", 4, "abc…"), ("", 3, "   "), ("abc", -1, ""),
      ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "👨‍👩‍👧‍👦…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ] as [(String, Int, String)]
  )
  func `a text is cut at a cluster and padded to the width`(
    text: String,
    columns: Int,
    expected: String
  ) {
    let fitted = DisplayWidth().fit(text, columns: columns)
    #expect(Array(fitted.unicodeScalars) == Array(expected.unicodeScalars))
    #expect(DisplayWidth().columns(of: fitted) == max(columns, 0))
  }

  @Test func `numbers are padded in front`() {
    #expect(DisplayWidth().fit("1914", columns: 6, alignment: .trailing) == "  1914")
  }

  @Test func `a wide ellipsis that has no room is a dot`() {
    let width = DisplayWidth(ambiguous: .wide)
    #expect(width.fit("吾輩は猫", columns: 1) == ".")
    #expect(width.fit("吾輩は猫", columns: 5) == "吾… ")
  }

  @Test func `every cut of a mixed text fills its field exactly`() {
    let text = "Ａb👨‍👩‍👧か\u{3099}c\u{301}ｶﾞ🇯🇵葛\u{E0100}नमस्ते…❤️x"
    for width in [DisplayWidth(), DisplayWidth(ambiguous: .wide)] {
      for columns in 0...40 {
        let fitted = width.fit(text, columns: columns)
        #expect(width.columns(of: fitted) == columns)
        #expect(width.columns(of: width.cut(text, columns: columns)) <= columns)
      }
    }
  }
}
