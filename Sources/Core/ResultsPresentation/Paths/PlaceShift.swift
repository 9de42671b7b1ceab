/// How the places of one row of things shift when some are taken out and others put in.
///
/// Things that stay keep their order: the `k`-th that stays before is the `k`-th that stayed after.
struct PlaceShift {
  /// Ascending old places of what was taken out.
  var removed: [Int] = []
  /// Ascending new places of what was put in.
  var placed: [Int] = []

  /// How many of those that stay stand before an old place.
  func stayers(beforeOld place: Int) -> Int { place &- PlaceShift.rank(of: place, in: removed) }

  /// How many of those that stayed stand before a new place.
  func stayers(beforeNew place: Int) -> Int { place &- PlaceShift.rank(of: place, in: placed) }

  /// Where what stood at an old place stands now, or `nil` if it was taken out.
  func newPlace(ofOld place: Int) -> Int? {
    PlaceShift.contains(place, in: removed)
      ? nil : PlaceShift.place(ofRank: stayers(beforeOld: place), among: placed)
  }

  /// Where what stands at a new place stood, or `nil` if it was put in.
  func oldPlace(ofNew place: Int) -> Int? {
    PlaceShift.contains(place, in: placed)
      ? nil : PlaceShift.place(ofRank: stayers(beforeNew: place), among: removed)
  }

  /// The new place of the stayer of a rank.
  func newPlace(ofRank rank: Int) -> Int { PlaceShift.place(ofRank: rank, among: placed) }

  /// How many of the ascending places are smaller.
  static func rank(of place: Int, in places: [Int]) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func contains(_ place: Int, in places: [Int]) -> Bool {
    let rank = rank(of: place, in: places)
    return rank < places.count && places[rank] == place
  }

  /// The place with `rank` places before it that are not in the list, and that is not in it itself.
  private static func place(ofRank rank: Int, among taken: [Int]) -> Int {
    var (low, high) = (0, taken.count)
    while low < high {
      let middle = (low + high) / 2
      // `taken[i] - i` free places stand before the i-th taken one, and that number never falls.
      if taken[middle] &- middle <= rank { low = middle + 1 } else { high = middle }
    }
    return rank &+ low
  }
}
