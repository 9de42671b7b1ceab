import Foundation
import ResultsDomain
import ResultsTesting
import Testing

@Suite("Marks, regular expressions and natural order")
struct TextOperatorTests {
  private func holds(_ condition: String, title: String) throws -> Bool {
    try FetchPredicate(parsing: condition, entity: Book.entity)
      .holds(for: Book.row(["title": .text(title)]))
  }

  @Test(
    "R105: [d] ignores marks, and a kana with a voicing mark is a letter of its own",
    arguments: [
      ("BEGINSWITH[d] 'cafe'", "Café noir", false), ("BEGINSWITH[cd] 'cafe'", "Café noir", true),
      ("CONTAINS[d] 'é'", "cafe", true), ("CONTAINS[d] 'e\u{301}'", "caf\u{E9}", true),
      ("ENDSWITH[dc] 'STRASSE'", "Große straße", false), ("LIKE[d] 'a?o*'", "Ångström", false),
      ("LIKE[cd] 'a?g*'", "Ångström", true), ("CONTAINS[d] 'か'", "が", false),
      ("CONTAINS[d] 'が'", "か\u{3099}く", true), ("CONTAINS[d] 'か'", "か\u{3099}く", false),
      ("CONTAINS[d] '하'", "한", false), ("CONTAINS[cd] 'i'", "İ", true),
      ("CONTAINS[d] 'Ω'", "\u{2126}", true), ("MATCHES[d] 'e+'", "éèê", true),
    ]
  )
  func marks(condition: String, title: String, truth: Bool) throws {
    #expect(try holds("title \(condition)", title: title) == truth)
  }

  @Test(
    "base letters are those of the canonical decomposition",
    arguments: 1...20 as ClosedRange<UInt64>
  )
  func decomposition(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let code = UInt32(generator.number(in: 0xA0...0x1FFFF))
      guard let scalar = Unicode.Scalar(code), !(0x1100...0x11FF).contains(code),
        !(0xA960...0xD7FF).contains(code), scalar.properties.generalCategory != .unassigned
      else { continue }
      let text = "x" + String(scalar)
      let expected = text.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
        $0.properties.generalCategory != .nonspacingMark || $0 == "\u{3099}" || $0 == "\u{309A}"
      }
      let found = TextTransform.baseLetters.applied(to: text)
      #expect(
        found.decomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual(expected),
        "seed \(seed): U+\(String(code, radix: 16))"
      )
      #expect(TextTransform.baseLetters.applied(to: found) == found)
    }
  }

  @Test(
    "R105: MATCHES matches the whole text",
    arguments: [
      ("a|bc", "bc", true), ("a|bc", "abc", false), ("(a|ab)(c|bcd)", "abcd", true),
      ("[a-c]{2,3}", "abc", true), ("[a-c]{2,3}", "abca", false), ("[^a-c]+", "xyz", true),
      ("[^a-c]+", "xay", false), ("[]a]+", "]a", true), ("[a-]+", "a-", true),
      ("\\d{3}-\\d{4}", "123-4567", true), ("\\d+", "٣٤", true), ("\\w+", "Ärger_1", true),
      ("\\S+", "a b", false), (".", "岩", true), (".", "\n", false), ("..", "e\u{301}", true),
      ("", "", true), ("", "a", false), ("^a$", "a", true), ("a^b", "ab", false),
      ("(?:ab)*", "abab", true), ("a*?b", "aab", true), ("a{0}", "", true), ("a{2}", "aa", true),
      ("a{2,}", "aaaa", true), ("a{2,}", "a", false), ("\\.\\*", ".*", true),
      ("(a*)*", "aaa", true),
      ("()", "", true), ("a|", "", true), ("[\\]\\d]+", "]1", true), ("\\n", "\n", true),
      ("x\u{0}y", "x\u{0}y", true),
    ]
  )
  func matching(pattern: String, text: String, truth: Bool) throws {
    #expect(try MatchPattern(pattern).matches(text.unicodeScalars) == truth)
  }

  @Test("MATCHES[c] folds the text and the letters of the pattern, not its classes")
  func folding() throws {
    #expect(try holds("title MATCHES[c] 'straSSE'", title: "STRASSE"))
    #expect(try holds("title MATCHES[c] '[A-C]+'", title: "abC"))
    #expect(try !holds("title MATCHES[c] '[^A-C]+'", title: "abC"))
    #expect(try !holds("title MATCHES[c] '\\\\D+'", title: "123"))
    #expect(try holds("title MATCHES[c] 'İ'", title: "i\u{307}"))
  }

  @Test("a pattern on which others backtrack takes linear time")
  func linearTime() throws {
    let pattern = try MatchPattern("(a|a)*(a*)*(a?){30}a{30}b")
    #expect(!pattern.matches(repeatElement("a", count: 3_000)))
  }

  @Test(
    "a pattern that is not valid is refused with the reason",
    arguments: [
      ("(a", "A ( is not closed."), ("a)", "A ) closes no group."), ("[a", "A [ is not closed."),
      ("*a", "repeats nothing"), ("a**", "repeats nothing"), ("a{2", "A { is not closed."),
      ("a{x}", "needs a number"), ("a{3,2}", "do not fit"), ("a{1001}", "more than 1000"),
      ("[z-a]", "smaller and a larger"), ("\\1", "not supported"), ("\\b", "not supported"),
      ("(?=a)", "only (?:…)"), ("a\\", "A backslash ends it."), ("[[a]]", "class in a class"),
      ("((a{999}){999}){999}", "too large"), ("((){999}){999}", "too large"),
      (String(repeating: "(", count: 100), "nested too deep"),
    ]
  )
  func invalidPatterns(pattern: String, reason: String) throws {
    let error = try #require(throws: RequestError.self) { try MatchPattern(pattern) }
    #expect(error.description.contains(reason), "\(error)")
    let predicate = FetchPredicate.text(
      .attribute("title"),
      .matches,
      pattern,
      caseInsensitive: false
    )
    #expect(throws: RequestError.self) { try predicate.validate(in: Book.entity) }
  }

  @Test(
    "R105: natural order ignores case and marks, and compares digits by value",
    arguments: [
      ["", "0", "00", "01", "1", "2", "10", "A", "a", "á", "a1", "a2", "a10", "a10b", "b"],
      ["file", "file 2", "File 10", "file02", "file2", "file10", "file100", "file1000000000"],
      ["1.2", "1.10", "2.0"], ["x9", "x99999999", "x999999999", "x9999999999"],
      ["Ａ" /* full width */, "ｚ"],
    ]
  )
  func naturalOrder(texts: [String]) {
    let key = TextTransform.natural
    func precedes(_ left: String, _ right: String) -> Bool {
      key.applied(to: left).utf8.lexicographicallyPrecedes(key.applied(to: right).utf8)
    }
    for (left, right) in zip(texts, texts.dropFirst()) {
      #expect(precedes(left, right), "\(left) before \(right)")
    }
  }

  @Test("numbers in names sort by their value", arguments: 1...20 as ClosedRange<UInt64>)
  func naturalNumbers(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let numbers = (0..<200).map { _ in
      generator.next() >> UInt64(generator.number(in: 0...63))
    }
    let sorted = numbers.sorted { left, right in
      TextTransform.natural.applied(to: "n\(left)").utf8
        .lexicographicallyPrecedes(TextTransform.natural.applied(to: "N\(right)").utf8)
    }
    #expect(sorted == numbers.sorted(), "seed \(seed)")
  }

  @Test(
    "the text forms are parsed and written",
    arguments: [
      "title CONTAINS[cd] 'e'", "title BEGINSWITH[d] 'e'", "title MATCHES 'a+'",
      "title MATCHES[cd] '[a-c]*'", "natural(title) > 'x'", "baseletters(title) == 'x'",
      "baseletters(title) CONTAINS 'é'", "natural(baseletters(title)) == title",
      "filing(ifnull(author, title)) > 'x'",
    ]
  )
  func textForms(text: String) throws {
    let predicate = try FetchPredicate(parsing: text, entity: Book.entity)
    #expect(predicate.text(in: Book.entity) == text)
  }
}
