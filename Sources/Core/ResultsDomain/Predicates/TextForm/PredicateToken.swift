/// A piece of a predicate's text.
struct PredicateToken {
  enum Kind: Equatable {
    case word(String)
    case quotedName(String)
    case text(String)
    case blob([UInt8])
    case number(String)
    case reference(ObjectID)
    case symbol(String)
    case option(String)
    case placeholder(String)
    case end
  }

  let kind: Kind
  /// Where it begins, in scalars.
  let start: Int
  /// The keyword a bare word is, in capitals; for anything else empty.
  let keyword: String

  init(_ kind: Kind, at start: Int) {
    self.kind = kind
    self.start = start
    keyword = if case .word(let word) = kind { PredicateWord.capitals(word) } else { "" }
  }

  /// What it is, for a message.
  var found: String {
    switch kind {
    case .word(let word): PredicateToken.short(word)
    case .quotedName(let name): PredicateToken.short(PredicateWord.quoted(name))
    case .text(let text): PredicateToken.short(PredicateWord.quotedText(text))
    case .blob: "bytes"
    case .number(let digits): PredicateToken.short(digits)
    case .reference(let id): PredicateToken.short(id.uri)
    case .symbol(let symbol), .placeholder(let symbol): symbol
    case .option(let letters): PredicateToken.short("[\(letters)]")
    case .end: "the end"
    }
  }

  /// A piece of text that fits into a sentence.
  static func short(_ text: String) -> String {
    text.count > 40 ? text.prefix(39) + "…" : text
  }
}
