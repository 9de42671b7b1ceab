/// Whole pivots with their counts, on the way into pieces.
struct PivotEntries {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private var values: [UInt32] = []

  var count: Int { ends.count }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
  }

  mutating func append(_ pivot: UnsafeRawBufferPointer, value: UInt32) {
    bytes.append(contentsOf: pivot)
    ends.append(bytes.count)
    values.append(value)
  }

  mutating func append(_ piece: PivotPiece, in range: Range<Int>) {
    piece.withView { view in
      for entry in range {
        bytes.append(contentsOf: view.prefix)
        append(view.suffix(entry), value: UInt32(truncatingIfNeeded: view.value(entry)))
      }
    }
  }

  mutating func append(_ other: PivotEntries) {
    let shift = bytes.count
    bytes.append(contentsOf: other.bytes)
    ends.append(contentsOf: other.ends.lazy.map { $0 + shift })
    values.append(contentsOf: other.values)
  }

  /// Appends the first pivot of a node, with the number of its blocks.
  mutating func append(_ node: PivotNode) {
    let blockCount = node.blockCount
    node.piece.withView { view in
      bytes.append(contentsOf: view.prefix)
      append(view.suffix(0), value: UInt32(clamping: blockCount))
    }
  }

  func withPivot<Result>(_ entry: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
      body(UnsafeRawBufferPointer(rebasing: bytes[start(entry)..<ends[entry]]))
    }
  }

  private func start(_ entry: Int) -> Int { entry == 0 ? 0 : ends[entry - 1] }

  /// The length of what two entries, and so all between them, begin with.
  private func sharedCount(_ first: Int, _ last: Int) -> Int {
    let start = start(first)
    let other = self.start(last)
    let limit = min(ends[first] - start, ends[last] - other)
    var shared = 0
    while shared < limit, bytes[start + shared] == bytes[other + shared] { shared += 1 }
    return shared
  }

  /// One piece of a range of entries.
  ///
  /// - Precondition: The range is not empty.
  func piece(_ range: Range<Int>) -> PivotPiece {
    let count = range.count
    let prefixCount = count == 1 ? 0 : sharedCount(range.lowerBound, range.upperBound - 1)
    let pivotByteCount = ends[range.upperBound - 1] - start(range.lowerBound)
    let prefixOffset = PivotPieceView.headerByteCount + PivotPieceView.entryByteCount * count
    let size = prefixOffset + pivotByteCount - (count - 1) * prefixCount
    let flat = [UInt8](unsafeUninitializedCapacity: size) { flat, initializedCount in
      let target = UnsafeMutableRawBufferPointer(flat)
      bytes.withUnsafeBytes { bytes in
        func store(_ number: UInt32, _ offset: Int) {
          target.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt32.self)
        }
        func copy(_ source: Range<Int>, _ offset: Int) {
          UnsafeMutableRawBufferPointer(rebasing: target[offset...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[source]))
        }
        store(UInt32(truncatingIfNeeded: count), 0)
        store(UInt32(truncatingIfNeeded: prefixCount), 4)
        let first = start(range.lowerBound)
        copy(first..<(first + prefixCount), prefixOffset)
        var end = 0
        for (index, entry) in range.enumerated() {
          let suffix = (start(entry) + prefixCount)..<ends[entry]
          copy(suffix, prefixOffset + prefixCount + end)
          end += suffix.count
          store(values[entry], PivotPieceView.headerByteCount + 4 * index)
          store(
            UInt32(truncatingIfNeeded: end),
            PivotPieceView.headerByteCount + 4 * (count + index)
          )
        }
      }
      initializedCount = size
    }
    return PivotPiece(verified: flat)
  }

  /// The entries' range cut into parts of about equal size.
  static func parts(of count: Int, maximumCount: Int) -> [Range<Int>] {
    guard count > 0 else { return [] }
    let wanted = (count + maximumCount - 1) / maximumCount
    return (0..<wanted).map { (count * $0 / wanted)..<(count * ($0 + 1) / wanted) }
  }
}
