import ArgumentParser
import BookCatalog
import CommandLineFrontEnd
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import SQLitePersistence

/// The program `book-catalog`: what it adds to the shared verbs.
enum CatalogProgram: StoredProgram {
  static let name = "book-catalog"
  static let abstract = "A catalog of books, by publisher and title."
  static let nouns = (one: "book", many: "books")
  static var entity: EntityDescription { CustomColumns.extending(Book.entity) }
  static let entities = BookCatalog.entities
  static let declaredFields = ObjectFields(
    of: Book.entity,
    naming: [
      (relationship: "author", attribute: "name"), (relationship: "coauthors", attribute: "name"),
      (relationship: "tags", attribute: "name"),
    ],
    alsoSearching: ["author": "coauthors"],
    deriving: DerivedField("filedAs", from: ["title", "language"]) { values in
      let filed = values[0].text.flatMap { FilingTitle.of($0, language: values[1].text) }
      return filed.map { .text($0) } ?? .null
    }
  )
  static let namedOrders = [NamedValue("filing", BookCatalog.filing)]
  static let attributeReplacements = [authorText]
  static let columns = ["title", "author", "year"]
  static let examples = ProgramExamples(
    condition: "title CONTAINS 'sea' AND year >= 1990",
    sort: "-year,title",
    assignments: "publisher=Collins title='The Sea' year=1978",
    change: "year=1979",
    file: "books.csv",
    numbers: ["1990", "1999"]
  )
  static let sectionKeyNames = ["decade", "letter"]
  static let importsMARC = true
  static let identifier: String? = BookRecord.identifier

  static func identity(of identifier: Value) -> Value { BookRecord.identity(of: identifier) }

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    CustomColumns.extending(BookCatalog.definition())
  }

  static func sectionKey(named name: String, for settings: LocaleSettings) -> SectionKey? {
    switch name {
    case "decade": .expression(.bucket(.attribute("year"), width: 10))
    case "letter": .expression(.uppercased(.prefix(.attribute("title"), length: 1)))
    default: nil
    }
  }

  static func object(
    from record: Record,
    for settings: LocaleSettings
  ) throws(RecordError) -> ImportedObject {
    let (record, remark) = BookRecord.prepared(record)
    var object = try ImportedObject(
      record,
      of: fields.form,
      aliases: BookRecord.aliases,
      identifiedBy: identifier,
      for: settings
    )
    object.remark = remark
    return object
  }

  /// Makes authors of the texts that books had before version 0.1.0, in the order of each author's first book.
  private static let authorText = AttributeReplacement(
    of: "author",
    in: "Book",
    by: [
      """
      INSERT INTO Author (name) SELECT author FROM Book WHERE author IS NOT NULL
      GROUP BY author ORDER BY min(id)
      """,
      // Only for the next statement, which would read all authors for each book.
      "CREATE INDEX AuthorOfText ON Author (name)",
      """
      UPDATE Book SET authorID = (SELECT min(Author.id) FROM Author WHERE Author.name = Book.author)
      WHERE author IS NOT NULL
      """,
      "DROP INDEX AuthorOfText",
    ]
  )

  static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    try await BookCatalogStory.play(in: store, print)
  }
}

/// The command `book-catalog`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = ProgramVerbs.configuration(
    of: CatalogProgram.self,
    verbs: ProgramVerbs.all(of: CatalogProgram.self).map {
      $0 == ImportVerb<CatalogProgram>.self ? CatalogImportVerb.self : $0
    } + [DemoVerb.self, DumpVerb.self]
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
