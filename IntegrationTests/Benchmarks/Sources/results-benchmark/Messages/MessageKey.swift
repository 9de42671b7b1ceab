/// The key of a message in the order of folder, date and id.
struct MessageKey: Comparable {
  var folder: Int64
  var date: Int64
  var id: Int64

  static func < (left: MessageKey, right: MessageKey) -> Bool {
    (left.folder, left.date, left.id) < (right.folder, right.date, right.id)
  }
}

extension [MessageKey] {
  /// Returns the index of the last of these ascending keys that is not greater than a key, or `nil` if all are.
  func lastIndex(notAbove key: MessageKey) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] <= key { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }
}
