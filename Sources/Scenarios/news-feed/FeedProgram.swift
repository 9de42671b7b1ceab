import ArgumentParser
import CommandLineFrontEnd
import NewsFeed
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// The program `news-feed`: what it adds to the shared verbs.
enum FeedProgram: StoredProgram {
  static let name = "news-feed"
  static let abstract = "A reader for RSS and Atom feeds."
  static let nouns = (one: "item", many: "items")
  static var entity: EntityDescription { CustomColumns.extending(Item.entity) }
  static let entities = NewsFeed.entities
  static let declaredFields = ObjectFields(
    of: Item.entity,
    naming: [(relationship: "feed", attribute: "title")]
  )
  static let attributeReplacements = [feedText]
  /// A guid is mostly an address, which says less than the title and is longer.
  static let columns = ["isRead", "title", "published"]
  static let examples = ProgramExamples(
    condition: "title CONTAINS[c] 'swift' AND isRead == FALSE",
    sort: "-published",
    assignments: "id=note-1 title='A note' feed=Notes isRead=false",
    change: "title='A better note'",
    id: "note-1",
    file: "feed.xml"
  )

  static let timeAttribute: String? = "published"
  static let importsFeeds = true
  static let headerAggregates = [
    SectionAggregate("unread", FetchAggregate.count("isRead").matching(NewsFeed.unread))
  ]

  static func isDimmed(_ row: Row) -> Bool { row["isRead"] == true }

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    CustomColumns.extending(NewsFeed.definition())
  }

  static func object(
    from record: Record,
    for settings: LocaleSettings
  ) throws(RecordError) -> ImportedObject {
    try ImportedObject(
      ItemRecord.complete(record),
      of: fields.form,
      aliases: ItemRecord.aliases,
      identifiedBy: nil,
      columns: record.fields.map(\.name),
      for: settings
    )
  }

  static func take(_ object: ImportedObject, into transaction: any StoreTransaction)
    throws(StoreError) -> ImportOutcome?
  {
    guard let (item, title) = item(of: object) else { return nil }
    let feed = try NewsFeed.feed(titled: title, in: transaction)
    switch try NewsFeed.importItem(item, of: feed, into: transaction) {
    case .added: return .added
    case .known: return .known
    case .updated: return .updated
    }
  }

  /// The item of an imported object, without its feed, and the title of that.
  static func item(of object: ImportedObject) -> (item: Item, feed: String)? {
    guard let key = object.key, let field = fields.form.index(of: "feed") else { return nil }
    var values = object.values
    let title = values[field].text ?? ""
    values[field] = .null
    let id = ObjectID(entity: entity.name, key: key)
    guard let item = try? Item(row: Row(entity: entity, id: id, values: values)) else { return nil }
    return (item, title)
  }

  /// Makes feeds of the titles that items had before feeds were objects, in the order of each feed's first item.
  private static let feedText = AttributeReplacement(
    of: "feed",
    in: "Item",
    by: [
      """
      INSERT INTO "Feed" (title) SELECT feed FROM "Item" GROUP BY feed ORDER BY min(id)
      """,
      // Only for the next statement, which would read all feeds for each item.
      """
      CREATE INDEX "FeedOfText" ON "Feed" (title)
      """,
      """
      UPDATE "Item" SET "feedID" =
        (SELECT min("Feed".id) FROM "Feed" WHERE "Feed".title = "Item".feed)
      """,
      """
      DROP INDEX "FeedOfText"
      """,
    ]
  )

  static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    try await NewsFeedStory.play(in: store, print)
  }
}

/// The command `news-feed`.
@main
struct Main: AsyncParsableCommand {
  static let configuration = ProgramVerbs.configuration(
    of: FeedProgram.self,
    verbs: FeedVerbs.all
  )

  static func main() async { await ProgramRunner.run(Main.self) }
}
