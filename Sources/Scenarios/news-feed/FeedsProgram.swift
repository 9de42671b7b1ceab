import ArgumentParser
import CommandLineFrontEnd
import NewsFeed
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsPresentation

/// The list of feeds, of the same store as the list of items.
enum FeedsProgram: StoredProgram {
  static let name = FeedProgram.name
  static let command = "news-feed feeds"
  static let abstract = "The feeds, with the number of unread items of each."
  static let nouns = (one: "feed", many: "feeds")
  static let entity = Feed.entity
  static let entities = NewsFeed.entities
  static let attributeReplacements = FeedProgram.attributeReplacements
  static let namedValues = [NamedValue("unread", Feed.unread)]
  static let columns = ["id", "title", "unread", "failure"]
  static let commands = [FeedProgram.refresh]
  static let examples = ProgramExamples(
    condition: "failure != NULL",
    sort: "-unread",
    assignments: "title=Notes",
    change: "folder=linux",
    id: "1",
    file: "feeds.csv"
  )

  static func refusal(of value: Value, for field: String) -> String? {
    if field == "keep", case .integer(let days) = value, days < 0 {
      return "must be 0 or more days, for which a read item stays that its feed has no more."
    }
    guard field == "address", let address = value.text else { return nil }
    do throws(FeedAddress.Refusal) {
      _ = try FeedAddress.checked(address)
      return nil
    } catch {
      return "\(error.sentence)."
    }
  }

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    NewsFeed.feedsDefinition()
  }
}

/// `feeds`: the list of feeds, with the verbs that all lists have.
struct FeedsVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feeds",
    abstract: "List the feeds, follow them, or change one.",
    discussion: FeedProgram.discussion(
      """
      Without a verb behind it, the list is printed; it takes the options of 'list'. The column unread counts the unread items. \
      failure says why the last try to fetch the feed failed, and nextCheck when it is tried again.
      """,
      examples: "feeds",
      "feeds --sort -unread --columns title,unread,items.@count",
      "feeds --where 'ANY items.isRead == FALSE'",
      "feeds edit 1 folder=linux"
    ),
    subcommands: [
      ListVerb<FeedsProgram>.self, WatchVerb<FeedsProgram>.self, BrowseVerb<FeedsProgram>.self,
      ShowVerb<FeedsProgram>.self, EditVerb<FeedsProgram>.self, ExportVerb<FeedsProgram>.self,
    ],
    defaultSubcommand: ListVerb<FeedsProgram>.self
  )
}
