/// A line of a log.
public struct LogLine: Hashable, Sendable {
  /// Its bytes, without the line end; of a very long line the first ones.
  public var bytes: [UInt8]
  /// The number of bytes up to the next line.
  public var length: Int

  /// Whether it has nothing but a line end.
  public var isEmpty: Bool { bytes.isEmpty || bytes == [0x0D] }
}

/// The beginning of a line whose end has not come, and the lines that come.
public struct LineBuffer: Sendable {
  private var bytes: [UInt8] = []
  /// The number of bytes of the unfinished line.
  public private(set) var length = 0

  /// The most bytes of a line that are kept.
  public static let longestLine = 1 << 20

  /// An empty buffer.
  public init() {}

  /// Takes what has come.
  /// - Returns: The lines that are complete with it.
  /// - Complexity: O(*n*) in the bytes.
  public mutating func take(_ new: ArraySlice<UInt8>) -> [LogLine] {
    var lines: [LogLine] = []
    var rest = new
    while let end = rest.firstIndex(of: 0x0A) {
      keep(rest[..<end])
      lines.append(LogLine(bytes: bytes, length: length + 1))
      clear()
      rest = rest[(end + 1)...]
    }
    keep(rest)
    return lines
  }

  /// Takes the unfinished line as a whole one, because no more of it will come; `nil` if there is none.
  public mutating func takeRest() -> LogLine? {
    guard length > 0 else { return nil }
    defer { clear() }
    return LogLine(bytes: bytes, length: length)
  }

  /// Forgets the unfinished line.
  public mutating func clear() { (bytes, length) = ([], 0) }

  private mutating func keep(_ part: ArraySlice<UInt8>) {
    bytes += part.prefix(Self.longestLine - bytes.count)
    length += part.count
  }
}
