/// Why a whole list is told instead of what changed in it (R43, R72).
///
/// A reset is never silent and never for comfort: the consumer's own threshold was passed, or there is no past to lead on from.
public enum ResultsResetReason: Hashable, Sendable {
  /// More rows changed than the consumer wants to be told one by one.
  case tooManyChanges(count: Int)
  /// The store is another one: it was restored, replaced or opened anew.
  case storeReplaced
  /// A table of the entity was made anew or changed its columns.
  case schemaChanged
  /// The store's history does not reach back to what an indexed list showed; one that holds its keys is repaired instead.
  case historyLost
  /// The index that the list was read from is gone, or does not fit what was counted over it.
  case indexLost
  /// What led from a generation to the present one is not known change by change: the journal does not reach back to it, or the changes
  /// named observed rows only. Only who comes from a generation of its own is answered so.
  case beyondJournal
  /// The generation is another list's, such as one of an earlier run of the program; only who comes from a generation of its own is
  /// answered so.
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
    case .historyLost: "the store no longer tells all that was changed"
    case .indexLost: "the index that the list was read from is gone or does not fit it"
    case .beyondJournal: "what changed since is not known step by step"
    case .otherLife: "what was shown is another list's"
    }
  }
}
