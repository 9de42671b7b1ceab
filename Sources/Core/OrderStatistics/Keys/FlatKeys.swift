/// A borrowed view of consecutive keys in one arena of bytes.
///
/// It is valid only inside the closure that receives it.
@usableFromInline
struct FlatKeys<End: FixedWidthInteger & Sendable> {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  /// The offset just past each key, counted from the start of `bytes`.
  @usableFromInline let ends: UnsafeBufferPointer<End>

  @inlinable
  init(bytes: UnsafeRawBufferPointer, ends: UnsafeBufferPointer<End>) {
    self.bytes = bytes
    self.ends = ends
  }

  @inline(__always)
  var count: Int { ends.count }

  @inlinable
  @inline(__always)
  func start(of position: Int) -> Int {
    position == 0 ? 0 : Int(truncatingIfNeeded: ends[position &- 1])
  }

  @inline(__always)
  func end(of position: Int) -> Int { Int(truncatingIfNeeded: ends[position]) }

  @inlinable
  @inline(__always)
  subscript(position: Int) -> UnsafeRawBufferPointer {
    let start = start(of: position)
    let length = Int(truncatingIfNeeded: ends[position]) &- start
    return UnsafeRawBufferPointer(start: bytes.baseAddress.map { $0 + start }, count: length)
  }

  /// Finds the first position in `low..<high` whose key is not less than `key`, by binary search.
  @inline(__always)
  func search(
    _ key: UnsafeRawBufferPointer,
    from low: Int,
    to high: Int
  ) -> (position: Int, isFound: Bool) {
    var low = low
    var high = high
    while low < high {
      let middle = low &+ (high &- low) / 2
      let order = KeyOrder.compare(self[middle], key)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle &+ 1 } else { high = middle }
    }
    return (low, false)
  }

  /// Searches like `search(_:from:to:)`, in time logarithmic in the distance from `low`.
  func gallop(_ key: UnsafeRawBufferPointer, from low: Int) -> (position: Int, isFound: Bool) {
    var low = low
    var step = 1
    while low &+ step <= count {
      let probe = low &+ step &- 1
      let order = KeyOrder.compare(self[probe], key)
      if order == 0 { return (probe, true) }
      if order > 0 { return search(key, from: low, to: probe) }
      low = probe &+ 1
      step &*= 2
    }
    return search(key, from: low, to: count)
  }

  /// The first position whose key is not greater than its predecessor, or nil if keys ascend strictly.
  func firstViolation() -> (position: Int, isDuplicate: Bool)? {
    guard count > 1 else { return nil }
    var previous = self[0]
    for position in 1..<count {
      let current = self[position]
      let order = KeyOrder.compare(previous, current)
      if order >= 0 { return (position, order == 0) }
      previous = current
    }
    return nil
  }
}
