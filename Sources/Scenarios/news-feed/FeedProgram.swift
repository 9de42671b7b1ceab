import ArgumentParser
import CommandLineFrontEnd
import NewsFeed
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsPresentation

/// The program `news-feed`: what it adds to the shared verbs.
enum FeedProgram: StoredProgram {
  static let name = "news-feed"
  static let abstract = "A reader for RSS and Atom feeds."
  static let nouns = (one: "item", many: "items")
  static let entity = Item.entity
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

  static let importsFeeds = true

  static func isDimmed(_ row: Row) -> Bool { row["isRead"] == true }

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    NewsFeed.definition()
  }

  static func object(
    from record: Record,
    for settings: LocaleSettings
  ) throws(RecordError) -> ImportedObject {
    try ImportedObject(
      ItemRecord.complete(record),
      of: entity,
      aliases: ItemRecord.aliases,
      identifiedBy: nil,
      columns: record.fields.map(\.name),
      for: settings
    )
  }

  static func take(_ object: ImportedObject, into transaction: any StoreTransaction)
    throws(StoreError) -> ImportOutcome?
  {
    guard let key = object.key else { return nil }
    let id = ObjectID(entity: entity.name, key: key)
    guard let item = try? Item(row: Row(entity: entity, id: id, values: object.values)) else {
      return nil
    }
    switch try NewsFeed.importItem(item, into: transaction) {
    case .added: return .added
    case .known: return .known
    case .updated: return .updated
    }
  }

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
