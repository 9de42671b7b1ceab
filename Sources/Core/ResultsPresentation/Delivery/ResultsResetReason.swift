/// The reason why a whole list is delivered instead of a change (R43, R72).
///
/// A reset always has a reason: either the change exceeds the consumer's threshold, or no delta from the content before is known.
public enum ResultsResetReason: Hashable, Sendable {
  /// More rows changed than the consumer wants to receive one by one.
  case tooManyChanges(count: Int)
  /// The store is another one: it was restored, replaced or opened again.
  case storeReplaced
  /// A table of the entity was created again or changed its columns.
  case schemaChanged
  /// The store's history does not reach back to the content of a list over an index; a list that holds its keys is repaired instead.
  case historyLost
  /// The index of the list no longer exists, or does not fit its counts.
  case indexLost
  /// The changes since a consumer's generation are not known: the journal does not reach back to it, or the changes named observed
  /// rows only. Only a consumer that continues from a generation of its own receives it.
  case beyondJournal
  /// The consumer's generation is that of another list, such as one of an earlier run of the program. Only a consumer that continues
  /// from a generation of its own receives it.
  case otherLife

  /// The reason's name in the wire form.
  public var wireName: String {
    switch self {
    case .tooManyChanges: "tooManyChanges"
    case .storeReplaced: "storeReplaced"
    case .schemaChanged: "schemaChanged"
    case .historyLost: "historyLost"
    case .indexLost: "indexLost"
    case .beyondJournal: "beyondJournal"
    case .otherLife: "otherLife"
    }
  }
}

extension ResultsResetReason: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .tooManyChanges(let count): "\(count) rows changed at once"
    case .storeReplaced: "the store was replaced"
    case .schemaChanged: "the entity's table was changed"
    case .historyLost: "the store's history does not reach back far enough"
    case .indexLost: "the index of the list no longer exists or does not fit it"
    case .beyondJournal: "the changes since are not known one by one"
    case .otherLife: "the generation is that of another list"
    }
  }
}
