/// A way in which a store can be wrong, and the case of the conformance kit that finds it.
enum StoreFault: CaseIterable, Sendable {
  case dropsBeforeImages
  case handsKeysOverUnsorted
  case ignoresPlaceOfNulls
  case keepsHalfTransactions
  case tellsChangesThatCancelOut
  case tellsChangesOfOtherCommits
  case digestsAreAllAlike
  case digestsIgnoreChoice
  case countsEveryRow
  case neverHints
  case composesTexts
  case storesEmptyTextsAsNull
  case overwritesConflicts
  case readsSeveralVersions
  case readersWaitForWriters
  case cutsLongSets
  case twoValuedLogic
  case assignsUsedKeys
  case forgetsOrigin
  case answersWhenClosed
  case skipsMissingRows

  /// The name of the case that finds it.
  var caught: String {
    switch self {
    case .dropsBeforeImages: "the history tells each change with the row before and after"
    case .handsKeysOverUnsorted:
      "the keys handed over are those of the definition, strictly ascending"
    case .ignoresPlaceOfNulls:
      "a list is ordered by its terms, its nulls stand where asked, ties go by key"
    case .keepsHalfTransactions: "a transaction that throws leaves nothing behind"
    case .tellsChangesThatCancelOut:
      "steps of one transaction that cancel out are not in the history"
    case .tellsChangesOfOtherCommits:
      "commits come oldest first, and only those after the version asked"
    case .digestsAreAllAlike, .digestsIgnoreChoice:
      "a digest changes if and only if one of its attributes' values does"
    case .countsEveryRow: "a predicate holds for the rows the evaluator says, whatever it is"
    case .neverHints: "a commit is hinted at to everyone who listens"
    case .composesTexts: "texts come back byte for byte"
    case .storesEmptyTextsAsNull: "no value, an empty text and an empty blob are three things"
    case .overwritesConflicts: "an edit is refused if its object was changed meanwhile"
    case .readsSeveralVersions: "a reader sees one version from its first read to its last"
    case .readersWaitForWriters: "a reader sees nothing of a transaction that has not committed"
    case .cutsLongSets: "a fixed set may hold a hundred thousand identities"
    case .twoValuedLogic: "a comparison with no value is unknown, and not of unknown is unknown"
    case .assignsUsedKeys: "integer keys are assigned as one more than the largest"
    case .forgetsOrigin: "the history tells each change with the row before and after"
    case .answersWhenClosed: "a closed store says so"
    case .skipsMissingRows: "rows come in the order asked, with nil where there is none"
    }
  }
}
