import OrderStatistics

/// The keys in a cache: all of them, or their counts over an index of the store.
enum CachedKeys {
  case held(SortedKeyList)
  case counted(PivotTree, sections: PivotTree)

  static let heldForm: UInt64 = 1
  static let countedForm: UInt64 = 2

  /// The number of the form in the file format.
  var form: UInt64 {
    switch self {
    case .held: CachedKeys.heldForm
    case .counted: CachedKeys.countedForm
    }
  }

  /// Whether the keys are only counted.
  var isCounted: Bool { form == CachedKeys.countedForm }

  /// Whether a part of the cache that they were read from turned out to be damaged.
  var isDamaged: Bool {
    if case .counted(let blocks, _) = self { blocks.isDamaged } else { false }
  }

  /// The number of keys.
  var count: Int {
    switch self {
    case .held(let keys): keys.count
    case .counted(let blocks, _): blocks.rowCount
    }
  }
}
