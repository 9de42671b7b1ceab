/// Output that its reader has not taken yet: in memory, and beyond a limit in a temporary file without a name.
///
/// What is in memory is older than what is in the file.
final class OutputBacklog {
  private let descriptor: Int32
  private var memory: [UInt8] = []
  /// How much of what is in memory was taken.
  private var taken = 0
  private var file: Int32?
  private var fileRange = 0..<0
  /// Whether a write to the file has failed, after which its end is not known.
  private var isFileFull = false
  private static let memoryLimit = 1 << 20

  init(before descriptor: Int32) { self.descriptor = descriptor }

  deinit { if let file { SystemCalls.close(file) } }

  private var isEmpty: Bool { taken == memory.count && fileRange.isEmpty }

  /// Takes some bytes, and gives the reader what it takes at once.
  /// - Throws: ``TerminalOutputError``.
  func write(_ bytes: ArraySlice<UInt8>) throws(TerminalOutputError) {
    try offer()
    var rest = bytes
    if isEmpty { rest = rest.dropFirst(try writeWithoutWaiting(rest)) }
    guard !rest.isEmpty else { return }
    if fileRange.isEmpty, memory.count - taken + rest.count <= OutputBacklog.memoryLimit {
      memory.removeSubrange(..<taken)
      taken = 0
      memory += rest
    } else if !append(rest) {
      // Nowhere to put it: the reader is waited for after all.
      try writeAll()
      try write(rest, to: descriptor)
    }
  }

  /// Writes everything, as soon as the reader takes it.
  /// - Throws: ``TerminalOutputError``.
  func writeAll() throws(TerminalOutputError) {
    while !isEmpty {
      try refill()
      try write(memory[taken...], to: descriptor)
      taken = memory.count
    }
  }

  private func offer() throws(TerminalOutputError) {
    while !isEmpty {
      try refill()
      taken += try writeWithoutWaiting(memory[taken...])
      guard taken == memory.count else { return }
    }
  }

  /// Takes the next bytes of the file into memory, if there are none.
  private func refill() throws(TerminalOutputError) {
    guard taken == memory.count, !fileRange.isEmpty, let file else { return }
    let count = min(fileRange.count, 1 << 16)
    memory = try SystemCalls.read(count, from: file, at: fileRange.lowerBound)
    taken = 0
    fileRange = fileRange.lowerBound + memory.count..<fileRange.upperBound
  }

  /// Appends bytes to the file.
  /// - Returns: Whether there was room for them.
  private func append(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard !isFileFull else { return false }
    file = file ?? SystemCalls.temporaryFile()
    guard let file, (try? write(bytes, to: file)) != nil else {
      isFileFull = true
      return false
    }
    fileRange = fileRange.lowerBound..<fileRange.upperBound + bytes.count
    return true
  }

  private func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(TerminalOutputError) {
    try bytes.written { (raw) throws(TerminalOutputError) in
      try SystemCalls.write(raw, to: descriptor)
    }
  }

  private func writeWithoutWaiting(_ bytes: ArraySlice<UInt8>) throws(TerminalOutputError) -> Int {
    try bytes.written { (raw) throws(TerminalOutputError) in
      try SystemCalls.writeWithoutWaiting(raw, to: descriptor)
    }
  }
}
