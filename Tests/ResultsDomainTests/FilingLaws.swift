import Foundation
import ResultsTesting
import Testing

@testable import ResultsDomain

@Suite("Filing order")
struct FilingLaws {
  private static let filing = TextTransform.filing

  @Test(
    "R286: titles are filed by their letters, whatever stands before and between them",
    arguments: [
      ["9 Nights", "11/22/63", "Ægypt", "After", "¿Dónde?", "Don’t", "L'Été", "Łódź", "Œuvres"],
      ["Oasis", "“Øst", "Osten", "Straße", "Strassen", "þing", "[Untitled]", "‘Vita’", "Zoo"],
      ["Dear", "Ðear", "Đear", "deer"], ["ısı", "IŞIK", "isle"], ["", "'", "«", "a"],
      ["Sea", "Sea, The", "Sea The Sea, The", "Sea,a"], ["ʿAbd", "Abd al", "« Abe »"],
      ["Gödel", "Godel 2", "gödel 10"], ["がく", "きく"],
    ]
  )
  func order(texts: [String]) {
    func precedes(_ left: String, _ right: String) -> Bool {
      Self.filing.applied(to: left).utf8.lexicographicallyPrecedes(
        Self.filing.applied(to: right).utf8
      )
    }
    for (left, right) in zip(texts, texts.dropFirst()) {
      #expect(precedes(left, right), "\(left) before \(right)")
    }
  }

  @Test(
    "R286: filing order is natural order of the letters that count",
    arguments: 1...30 as ClosedRange<UInt64>
  )
  func letters(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let parts = [
      "a", "O", "z", "é", "e\u{301}", "ø", "Ǿ", "Ł", "œ", "Æ", "Đ", "ð", "Þ", "ß", "ẞ", "ı", "İ",
      "が", "か\u{3099}", "'", "’", "ʼ", "\"", "“", "«", "(", "]", "「", "ʿ", " ", "\u{A0}", "¿", "1",
      "23", "٣", "\u{1}", "\u{0}", "-", ",",
    ]
    for _ in 0..<100 {
      let count = generator.number(in: 0...6)
      let text = (0..<count).map { _ in generator.element(of: parts) ?? "" }.joined()
      let letters = Self.letters(of: text)
      let key = TextTransform.natural.applied(to: letters).utf8.dropLast(letters.utf8.count)
      let expected = Array(key) + Array(text.utf8)
      #expect(Array(Self.filing.applied(to: text).utf8) == expected, "\(text), seed \(seed)")
    }
  }

  @Test(
    "R286: a text of ASCII has the key that the steps for all texts make",
    arguments: [TextTransform.natural, .filing],
    1...20 as ClosedRange<UInt64>
  )
  func ascii(transform: TextTransform, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let frequent = Array("  ,,''00099aZ\"([1".utf8)
    for _ in 0..<500 {
      let bytes = (0..<generator.number(in: 0...30)).map { _ -> UInt8 in
        generator.number(in: 0...1) == 0
          ? UInt8(generator.number(in: 0...127)) : generator.element(of: frequent) ?? 0
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let key = transform.keyOfASCII(text)
      #expect(key.map { Array($0.utf8) } == Array(transform.keyOfScalars(text).utf8), "\(bytes)")
      #expect(transform.keyOfASCII(text + "é") == nil)
    }
  }

  /// The letters that count, by what Foundation knows of them.
  private static func letters(of text: String) -> String {
    let kept = text.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
      let isMark = $0.properties.generalCategory == .nonspacingMark
      return !"'’ʼ".unicodeScalars.contains($0) && (!isMark || $0 == "\u{3099}")
    }
    var text = String(String.UnicodeScalarView(kept)).precomposedStringWithCanonicalMapping
      .lowercased()
    let written = [
      ("ø", "o"), ("ł", "l"), ("œ", "oe"), ("æ", "ae"), ("đ", "d"), ("ð", "d"), ("þ", "th"),
      ("ß", "ss"), ("ı", "i"),
    ]
    for (letter, letters) in written + [(", ", "\u{2}")] {
      text = text.replacingOccurrences(of: letter, with: letters, options: .literal)
    }
    let rest = text.unicodeScalars.drop { "\"“«(]「ʿ \u{A0}¿".unicodeScalars.contains($0) }
    return String(String.UnicodeScalarView(rest))
  }
}
