import BookCatalog
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Testing

@Suite struct FilingTitleTests {
  @Test(
    arguments: [
      ("The Zoo", "en", "Zoo, The"), ("A Zoo", "eng", "Zoo, A"), ("THE ZOO", "en-GB", "ZOO, THE"),
      ("L'Étranger", "fr", "Étranger, L'"), ("L’Étranger", "fre", "Étranger, L’"),
      ("Die Verwandlung", "ger", "Verwandlung, Die"), ("El Quijote", "es", "Quijote, El"),
      ("Un'altra vita", "it", "altra vita, Un'"), ("Gli  indifferenti", "ita", "indifferenti, Gli"),
      ("O Crime", "pt_BR", "Crime, O"), ("De avonden", "nl", "avonden, De"),
      ("’t Hooge nest", "dut", "Hooge nest, ’t"), ("Ett hem", "sv", "hem, Ett"),
      ("Det gode", "dan", "gode, Det"), ("Ei natt", "nno", "natt, Ei"),
      ("Els jocs", "ca", "jocs, Els"),
      ("Az ember", "hun", "ember, Az"), ("The Zoo", nil, "Zoo, The"),
      // Other languages, other words, and titles that are nothing else.
      ("A Zoo", nil, nil), ("An der Donau", "de", nil), ("Die Hard", "en", nil),
      ("The Zoo", "ja", nil), ("The Zoo", "", nil), ("Theory", "en", nil), ("The", "en", nil),
      ("The ", "en", nil), ("L'", "fr", nil), ("L' ", "fr", nil), ("D'Artagnan", "fr", nil),
      ("", "en", nil), ("'", "fr", nil), (" The Zoo", "en", nil), ("The\u{301} Zoo", "en", nil),
    ] as [(String, String?, String?)]
  )
  func `R288: a title is filed with the article of its language behind it`(
    title: String,
    language: String?,
    filed: String?
  ) {
    #expect(FilingTitle.of(title, language: language) == filed)
  }

  @Test func `R288: the filing order is by what a title is filed as, and by the title without it`()
    throws
  {
    let catalog = BookCatalog(try InMemoryStore(entities: BookCatalog.entities))
    for (title, filed) in [
      ("Zoologie", nil), ("The Zoo", "Zoo, The"), ("Øen", nil), ("吾輩は猫である", "Wagahai"),
      ("Odes", nil),
    ] {
      try catalog.add(Book(publisher: "p", title: title, filedAs: filed))
    }
    let request = FetchRequest<Book>(
      entity: Book.entity,
      sortedBy: [FetchSortDescriptor(BookCatalog.filing)]
    )
    #expect(
      try catalog.store.fetch(request).map(\.title)
        == ["Odes", "Øen", "吾輩は猫である", "The Zoo", "Zoologie"]
    )
  }
}
