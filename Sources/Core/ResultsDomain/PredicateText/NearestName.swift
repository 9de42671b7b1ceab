/// A search for the name that was probably meant.
package enum NearestName {
  /// Returns the candidate with the smallest edit distance, ignoring letter case, or `nil` if none is near.
  /// - Complexity: O(*n* · *m*) in the characters of the name and of each candidate.
  package static func of(_ name: String, among candidates: [String]) -> String? {
    let sought = Array(name.lowercased())
    guard sought.count <= 64 else { return nil }
    var best: (name: String, distance: Int)?
    for candidate in candidates where candidate.utf8.count <= 256 {
      let distance = distance(sought, Array(candidate.lowercased()))
      guard distance <= max(1, sought.count / 3), distance < best?.distance ?? .max else {
        continue
      }
      best = (candidate, distance)
    }
    return best?.name
  }

  /// The number of insertions, deletions, replacements and transpositions between two names (optimal string alignment, after
  /// Damerau).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var older: [Int] = []
    var old = Array(0...right.count)
    for row in left.indices {
      var new = [row + 1]
      for column in right.indices {
        let cost = left[row] == right[column] ? 0 : 1
        var least = min(old[column] + cost, old[column + 1] + 1, new[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, older[column - 1] + 1)
        }
        new.append(least)
      }
      (older, old) = (old, new)
    }
    return old[right.count]
  }
}
