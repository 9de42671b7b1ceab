import OrderStatistics
import ResultsDomain

/// Where a row stands in two generations of a list, outside the windows too.
struct RowPlaces {
  var before: Int?
  var after: Int?
}

/// Where keys stand in two generations of a list, for the time of one change.
protocol KeyPlaces {
  /// The positions of the rows whose keys a change touches, as often as it has rows; none for a row that is nowhere near either
  /// window.
  func places(of touched: TouchedKeys, rowCount: Int) -> [RowPlaces]
  /// The position of a key in the generation before, outside the window too, or `nil` if it is not in it, or nowhere
  /// near either window.
  func oldPosition(of key: [UInt8]) throws(StoreError) -> Int?
  /// The position of a key in the new generation, likewise.
  func newPosition(of key: [UInt8]) throws(StoreError) -> Int?
  /// Whether a key stands behind both windows, so that no row in them has another position because of it.
  func isBehind(_ windows: (old: Range<Int>, new: Range<Int>), _ key: [UInt8]) -> Bool
  /// The keys at some positions of the generation before.
  func oldKeys(at positions: Range<Int>) throws(StoreError) -> [[UInt8]]
  /// The keys at some positions of the new generation.
  func newKeys(at positions: Range<Int>) throws(StoreError) -> [[UInt8]]
}

/// Places in two lists of keys that are held.
struct HeldPlaces: KeyPlaces {
  let old: SortedKeyList
  let next: SortedKeyList

  func places(of touched: TouchedKeys, rowCount: Int) -> [RowPlaces] {
    var places = [RowPlaces](repeating: RowPlaces(), count: rowCount)
    touched.keys.forEachKey(in: 0..<touched.count) { place, key in
      let origin = touched.origins[place]
      if origin.fate != .comes { places[origin.row].before = old.position(of: key) }
      if origin.fate != .leaves { places[origin.row].after = next.position(of: key) }
    }
    return places
  }

  func oldPosition(of key: [UInt8]) -> Int? { old.position(of: key) }
  func newPosition(of key: [UInt8]) -> Int? { next.position(of: key) }
  func isBehind(_ windows: (old: Range<Int>, new: Range<Int>), _ key: [UInt8]) -> Bool {
    old.rank(of: key) >= windows.old.upperBound && next.rank(of: key) >= windows.new.upperBound
  }
  func oldKeys(at positions: Range<Int>) -> [[UInt8]] { positions.map(old.key(at:)) }
  func newKeys(at positions: Range<Int>) -> [[UInt8]] { positions.map(next.key(at:)) }
}
