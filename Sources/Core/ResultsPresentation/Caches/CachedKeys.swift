import OrderStatistics

/// The keys of a list as a cache keeps them: written out, or counted over an index of the store.
enum CachedKeys {
  case held(SortedKeyList)
  case counted(PivotTree, sections: PivotTree)

  static let heldForm: UInt64 = 1
  static let countedForm: UInt64 = 2

  /// Which of the two it is, as a number in the cache.
  var form: UInt64 {
    switch self {
    case .held: CachedKeys.heldForm
    case .counted: CachedKeys.countedForm
    }
  }

  /// Whether the keys are only counted.
  var isCounted: Bool { form == CachedKeys.countedForm }

  /// Whether a part of a cache that they came from was found not to be what was written.
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
