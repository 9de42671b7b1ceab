import ResultsDomain
import ResultsTesting
import Testing

/// R176: texts and names that are written in the language of predicates, as identities, or as lists are read back as they were.
@Suite struct QuotingTests {
  private static let texts = QuotingTexts.all(around: ["'", "\"", "\\"])

  private func codes(_ texts: [String]) -> [[UInt32]] {
    texts.prefix(3).map { $0.unicodeScalars.prefix(8).map(\.value) }
  }

  @Test func `R176: a text in a predicate is that text when it is parsed, beside all of Unicode`()
    throws
  {
    let wrong = try Self.texts.filter { text in
      let predicate = FetchPredicate.comparison(.attribute("title"), .equal, .literal(.text(text)))
      let parsed = try FetchPredicate(
        parsing: predicate.text(in: Book.entity),
        entity: Book.entity
      )
      guard case .comparison(_, .equal, .literal(.text(let found))) = parsed else { return true }
      return !found.utf8.elementsEqual(text.utf8)
    }
    #expect(codes(wrong) == [])
  }

  @Test func `R176: a name in a predicate is that name when it is parsed, beside all of Unicode`()
    throws
  {
    // A name is at most a few letters; long sequences would be many names.
    let names = QuotingTexts.all(around: ["`"]).filter { !$0.isEmpty && $0.utf8.count < 200 }
    let wrong = try names.filter { name in
      let entity = try EntityDescription(
        name: "T",
        identity: .integer(column: "id"),
        attributes: [AttributeDescription(name, .integer64)]
      )
      let predicate = FetchPredicate.comparison(.attribute(name), .equal, .literal(1))
      let parsed = try FetchPredicate(parsing: predicate.text(in: entity), entity: entity)
      guard case .comparison(.attribute(let found), .equal, _) = parsed else { return true }
      return !found.utf8.elementsEqual(name.utf8)
    }
    #expect(codes(wrong) == [])
  }

  @Test func `R176: identities and lists are read as they were written, beside all of Unicode`() {
    let wrong = Self.texts.filter { text in
      let id = ObjectID(entity: "T", key: .text(text))
      guard case .text(let key)? = ObjectID(uri: id.uri)?.key,
        case .text(let element)? = Value.list([.text(text)]).elements?.first
      else { return true }
      return !key.utf8.elementsEqual(text.utf8) || !element.utf8.elementsEqual(text.utf8)
    }
    #expect(codes(wrong) == [])
  }
}
