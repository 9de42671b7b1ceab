/// An ordered list of run lengths with prefix sums: the row counts of sections.
///
/// Lengths are stored in blocks of a few hundred, with the number of runs and the sum of lengths
/// before each block. A copy is a snapshot that shares all blocks. Runs of length zero are allowed
/// and contain no position.
package struct SectionCounts: Sendable {
  private var blocks: [[Int]] = []
  /// The number of runs in all blocks before each block.
  private var runStarts: [Int] = []
  /// The sum of lengths in all blocks before each block.
  private var flatStarts: [Int] = []
  private let maximumBlockCount: Int

  /// The number of runs.
  ///
  /// - Complexity: O(1).
  package private(set) var count = 0

  /// The sum of all lengths.
  ///
  /// - Complexity: O(1).
  package private(set) var total = 0

  /// Creates a list of no runs.
  package init() {
    self.init([Int]())
  }

  /// Creates a list of runs.
  ///
  /// - Precondition: No length is negative.
  /// - Complexity: O(number of lengths).
  package init(_ lengths: some Sequence<Int>) {
    self.init(Array(lengths))
  }

  /// Creates a list of runs.
  ///
  /// - Precondition: No length is negative.
  /// - Complexity: O(number of lengths).
  package init(_ lengths: [Int]) {
    // A change copies one block and the starts of all blocks, so both should be short.
    self.init(lengths, maximumBlockCount: lengths.count < 8192 ? 128 : 512)
  }

  package init(_ lengths: [Int], maximumBlockCount: Int) {
    precondition(maximumBlockCount >= 4, "blocks too small")
    precondition(lengths.allSatisfy { $0 >= 0 }, "negative length")
    self.maximumBlockCount = maximumBlockCount
    let target = maximumBlockCount / 2
    for start in stride(from: 0, to: lengths.count, by: target) {
      blocks.append(Array(lengths[start..<min(start + target, lengths.count)]))
    }
    recount(from: 0)
  }

  /// Whether there is no run.
  package var isEmpty: Bool { count == 0 }

  /// All lengths in order.
  ///
  /// - Complexity: O(count).
  package var lengths: [Int] { Array(blocks.joined()) }

  /// The length of a run.
  ///
  /// - Precondition: `0 <= run < count`.
  /// - Complexity: O(log count).
  package subscript(run: Int) -> Int {
    precondition(run >= 0 && run < count, "run out of range")
    let block = Self.lastIndex(in: runStarts, notAfter: run)
    return blocks[block][run - runStarts[block]]
  }

  /// The flat position of the first element of a run: the sum of all lengths before it.
  ///
  /// The start of the run at `count` is `total`.
  ///
  /// - Precondition: `0 <= run <= count`.
  /// - Complexity: O(log count + block).
  package func start(of run: Int) -> Int {
    precondition(run >= 0 && run <= count, "run out of range")
    guard run < count else { return total }
    let block = Self.lastIndex(in: runStarts, notAfter: run)
    let offset = run - runStarts[block]
    return blocks[block].withUnsafeBufferPointer { lengths in
      var start = flatStarts[block]
      for index in 0..<offset { start &+= lengths[index] }
      return start
    }
  }

  /// The run that contains a flat position, and the position's offset in it.
  ///
  /// - Returns: Nil if the position is negative or not below `total`.
  /// - Complexity: O(log count + block).
  package func run(containing position: Int) -> (run: Int, offset: Int)? {
    guard position >= 0, position < total else { return nil }
    // Of several blocks with the same start, only the last one has rows.
    let block = Self.lastIndex(in: flatStarts, notAfter: position)
    return blocks[block].withUnsafeBufferPointer { lengths in
      var rest = position &- flatStarts[block]
      var index = 0
      while rest >= lengths[index] {
        rest &-= lengths[index]
        index &+= 1
      }
      return (runStarts[block] &+ index, rest)
    }
  }

  /// Inserts a run before the run at a position, or after the last one.
  ///
  /// - Precondition: `0 <= run <= count`, and the length is not negative.
  /// - Complexity: O(block + number of blocks).
  package mutating func insert(_ length: Int, at run: Int) {
    precondition(run >= 0 && run <= count, "run out of range")
    precondition(length >= 0, "negative length")
    guard !blocks.isEmpty else {
      blocks = [[length]]
      recount(from: 0)
      return
    }
    let block = Self.lastIndex(in: runStarts, notAfter: run)
    blocks[block].insert(length, at: run - runStarts[block])
    if blocks[block].count > maximumBlockCount {
      // Splitting in the middle would leave half-empty blocks if runs are appended.
      let isAppending = run == count
      let cut = isAppending ? blocks[block].count - 1 : blocks[block].count / 2
      let right = Array(blocks[block][cut...])
      blocks[block].removeSubrange(cut...)
      blocks.insert(right, at: block + 1)
      recount(from: block)
    } else {
      shiftStarts(after: block, runs: 1, length: length)
    }
  }

  /// Removes a run.
  ///
  /// - Returns: The length it had.
  /// - Precondition: `0 <= run < count`.
  /// - Complexity: O(block + number of blocks).
  @discardableResult
  package mutating func remove(at run: Int) -> Int {
    precondition(run >= 0 && run < count, "run out of range")
    let block = Self.lastIndex(in: runStarts, notAfter: run)
    let length = blocks[block].remove(at: run - runStarts[block])
    if blocks[block].isEmpty {
      blocks.remove(at: block)
      recount(from: block)
    } else {
      shiftStarts(after: block, runs: -1, length: -length)
      if blocks[block].count < maximumBlockCount / 4 { mergeWithNeighbour(block) }
    }
    return length
  }

  /// Changes the length of a run by a difference, positive or negative.
  ///
  /// - Precondition: `0 <= run < count`, and the new length is not negative.
  /// - Complexity: O(log count + number of blocks).
  package mutating func add(_ difference: Int, at run: Int) {
    precondition(run >= 0 && run < count, "run out of range")
    let block = Self.lastIndex(in: runStarts, notAfter: run)
    let length = blocks[block][run - runStarts[block]] + difference
    precondition(length >= 0, "negative length")
    blocks[block][run - runStarts[block]] = length
    shiftStarts(after: block, runs: 0, length: difference)
  }

  /// Checks the list's bookkeeping.
  ///
  /// - Returns: A description of the first violated invariant, or nil if the list is sound.
  /// - Complexity: O(count).
  package func checkInvariants() -> String? {
    var runs = 0
    var sum = 0
    for (index, block) in blocks.enumerated() {
      guard !block.isEmpty, block.count <= maximumBlockCount else {
        return "block \(index) holds \(block.count) runs"
      }
      guard runStarts[index] == runs, flatStarts[index] == sum else {
        return "block \(index) has wrong starts"
      }
      guard block.allSatisfy({ $0 >= 0 }) else { return "block \(index) has a negative length" }
      runs += block.count
      sum += block.reduce(0, +)
    }
    return runs == count && sum == total ? nil : "count or total is wrong"
  }

  /// The number of blocks, for tests of how they split and merge.
  package var blockCount: Int { blocks.count }

  private mutating func mergeWithNeighbour(_ block: Int) {
    let neighbours = [block - 1, block + 1].filter(blocks.indices.contains)
    guard let neighbour = neighbours.min(by: { blocks[$0].count < blocks[$1].count }) else {
      return
    }
    let left = min(block, neighbour)
    guard blocks[left].count + blocks[left + 1].count <= maximumBlockCount * 3 / 4 else { return }
    let right = blocks.remove(at: left + 1)
    blocks[left].append(contentsOf: right)
    recount(from: left)
  }

  private mutating func shiftStarts(after block: Int, runs: Int, length: Int) {
    count += runs
    total += length
    for later in (block + 1)..<max(block + 1, blocks.count) {
      runStarts[later] &+= runs
      flatStarts[later] &+= length
    }
  }

  private mutating func recount(from block: Int) {
    runStarts.removeSubrange(min(block, runStarts.count)...)
    flatStarts.removeSubrange(min(block, flatStarts.count)...)
    var runs = block == 0 ? 0 : runStarts[block - 1] + blocks[block - 1].count
    var sum = block == 0 ? 0 : flatStarts[block - 1] + blocks[block - 1].reduce(0, +)
    for index in block..<blocks.count {
      runStarts.append(runs)
      flatStarts.append(sum)
      runs += blocks[index].count
      sum += blocks[index].reduce(0, +)
    }
    count = runs
    total = sum
  }

  /// The last index whose start is not greater than `position`; the first start is zero.
  private static func lastIndex(in starts: [Int], notAfter position: Int) -> Int {
    starts.withUnsafeBufferPointer { starts in
      var low = 0
      var high = starts.count
      while high &- low > 1 {
        let middle = low &+ (high &- low) / 2
        if starts[middle] <= position { low = middle } else { high = middle }
      }
      return low
    }
  }
}

extension SectionCounts: Equatable {
  /// Whether both lists have the same lengths in the same order.
  ///
  /// - Complexity: O(count).
  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.total == right.total
      && left.blocks.joined().elementsEqual(right.blocks.joined())
  }
}

extension SectionCounts {
  /// Creates a list of the lengths of a tree's blocks, clipped to a window of its rows.
  ///
  /// Blocks without a row in the window are omitted.
  ///
  /// - Complexity: O(blockCount), and no pivot is copied.
  package init(_ tree: PivotTree, in window: Range<Int>) {
    var lengths: [Int] = []
    lengths.reserveCapacity(tree.blockCount)
    var start = 0
    tree.root.forEachLeaf { packed in
      packed.withView { view in
        for entry in 0..<view.count {
          let end = start &+ view.value(entry)
          let shown = min(end, window.upperBound) &- max(start, window.lowerBound)
          if shown > 0 { lengths.append(shown) }
          start = end
        }
      }
    }
    self.init(lengths)
  }
}
