import CommandLineFrontEnd
import NewsFeed
import ProgramStores
import ResultsDomain
import ResultsPresentation

/// What `news-feed` adds to the shared verbs.
enum FeedProgram: StoredProgram {
  static let name = "news-feed"
  static let abstract = "A reader of feeds whose unread list stays still while you read."
  static let nouns = (one: "item", many: "items")
  static let entity = Item.entity
  static let columns = ["id", "isRead", "title", "published"]

  static func definition(for reader: ReaderSettings) -> ResultsDefinition<Row> {
    NewsFeed.definition()
  }

  static func object(
    from record: Record,
    for reader: ReaderSettings
  ) throws(RecordError) -> ImportedObject {
    var record = record
    let names = Set(record.fields.map(\.name))
    if !names.contains("guid"), let link = record.fields.first(where: { $0.name == "link" }) {
      record.fields.append(RecordField(name: "guid", value: link.value, column: link.column))
    }
    if !names.contains("isRead") {
      record.fields.append(RecordField(name: "isRead", value: .integer(0), column: 1))
    }
    return try ImportedObject(
      record,
      of: entity,
      aliases: ["guid": "id"],
      identifiedBy: nil,
      for: reader
    )
  }

  static func tellStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    try await NewsFeedStory.tell(in: store, print)
  }
}
