import ResultsDomain

/// The text by which a title is filed: the title with its article behind it, as a cataloguer writes it.
public enum FilingTitle {
  /// The articles that can begin a title, in small letters, by languages in the codes of ISO 639.
  ///
  /// They follow MARC 21, appendix F (loc.gov/marc/bibliographic/bdapndxf.html), for twelve languages that have articles as words of
  /// their own. An article with an apostrophe at its end is written together with the next word.
  static let articles: [(codes: [String], articles: [String])] = [
    (["en", "eng"], ["the", "a", "an"]),
    (
      ["de", "deu", "ger"],
      [
        "der", "die", "das", "dem", "den", "des", "ein", "eine", "einem", "einen", "einer", "eines",
      ]
    ),
    (["fr", "fra", "fre"], ["le", "la", "les", "l'", "un", "une"]),
    (["es", "spa"], ["el", "la", "lo", "los", "las", "un", "una"]),
    (
      ["it", "ita"],
      ["il", "lo", "la", "l'", "i", "gli", "gl'", "le", "un", "uno", "una", "un'"]
    ),
    (["pt", "por"], ["o", "a", "os", "as", "um", "uma"]),
    (["nl", "nld", "dut"], ["de", "het", "'t", "een", "eene", "'n"]),
    (["sv", "swe"], ["den", "det", "de", "en", "ett"]),
    (["da", "dan"], ["den", "det", "de", "en", "et"]),
    (
      ["no", "nb", "nn", "nor", "nob", "nno"],
      ["den", "det", "de", "dei", "en", "ei", "et", "ein", "eit"]
    ),
    (["ca", "cat"], ["el", "la", "els", "les", "l'", "en", "un", "una"]),
    (["hu", "hun"], ["a", "az", "egy"]),
  ]

  /// Returns the title with its article behind it, as in `Zoo, The`.
  /// - Parameters:
  ///   - title: The title.
  ///   - language: The code of its language, such as `fr`, `fre` or `fr-CA`. Without one only `The` is an article, which no other of
  ///     these languages has.
  /// - Returns: The text by which the title is filed; `nil` if it begins with no article of the language, or is nothing else.
  public static func of(_ title: String, language: String?) -> String? {
    let articles = language.map { FilingTitle.articles(of: $0) } ?? ["the"]
    let scalars = title.unicodeScalars
    let end = scalars.firstIndex { $0.properties.isWhitespace } ?? scalars.endIndex
    let word = scalars[..<end]
    func split(at index: String.Index) -> String? {
      let article = String(title[..<index])
      let letters = article.lowercased().unicodeScalars.map { $0 == "\u{2019}" ? "'" : $0 }
      let written = String(String.UnicodeScalarView(letters))
      let rest = scalars[index...].drop { $0.properties.isWhitespace }
      guard !rest.isEmpty, articles.contains(where: { $0.hasSameBytes(as: written) }) else {
        return nil
      }
      return "\(String(rest)), \(article)"
    }
    if let filed = split(at: end) { return filed }
    let mark = word.dropFirst().firstIndex { $0 == "'" || $0 == "\u{2019}" }
    return mark.flatMap { split(at: scalars.index(after: $0)) }
  }

  /// What the title of a record is filed as where a cataloguer has counted the characters that are skipped; code points count.
  /// - Returns: The text; `nil` if it is the title, and without the count it would be too, or if the count is none of the title's.
  static func of(_ record: Record, skipping count: Int) -> String? {
    func text(_ name: String) -> String? {
      record.fields.first { $0.name.hasSameBytes(as: name) }?.value.text
    }
    guard let title = text("title") else { return nil }
    let scalars = title.unicodeScalars
    guard count != 0 else {
      // Nothing is skipped, also where a word looks like an article.
      return of(title, language: text("language")) == nil ? nil : title
    }
    guard count > 0, count < scalars.count else { return nil }
    let end = scalars.index(scalars.startIndex, offsetBy: count)
    let rest = scalars[end...].drop { $0.properties.isWhitespace }
    // A count that ends within a word is wrong; scripts that join articles to words have other letters.
    func isLetter(_ scalar: Unicode.Scalar) -> Bool {
      scalar.isASCII && scalar.properties.isAlphabetic
    }
    let isInWord = isLetter(scalars[end]) && isLetter(scalars[scalars.index(before: end)])
    guard !rest.isEmpty, !isInWord else { return nil }
    // What opens a title, such as a bracket, is no part of the article.
    let article = scalars.prefix(count).filter { scalar in
      scalar == "'" || scalar == "\u{2019}" || scalar == "-" || scalar.properties.isWhitespace
        || scalar.properties.isAlphabetic
        || scalar.properties.canonicalCombiningClass != .notReordered
    }
    let name = String(String.UnicodeScalarView(article)).split { $0.isWhitespace }
      .joined(separator: " ")
    return name.isEmpty ? String(rest) : "\(String(rest)), \(name)"
  }

  private static func articles(of language: String) -> [String] {
    let code = String(language.lowercased().unicodeScalars.prefix { $0 != "-" && $0 != "_" })
    return articles.first { $0.codes.contains { $0.hasSameBytes(as: code) } }?.articles ?? []
  }
}
