/// How many single-character edits lead from one word to another (Levenshtein).
enum EditDistance {
  /// The distance between two words.
  /// - Complexity: O(*n* · *m*)
  static func between(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var row = Array(0...right.count)
    for (i, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let change = diagonal + (character == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[right.count]
  }
}
