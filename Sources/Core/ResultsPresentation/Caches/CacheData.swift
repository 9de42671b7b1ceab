/// The bytes kept under one name, of which as much is read as is needed.
///
/// They are those that were kept when they were opened, whatever is kept under the name meanwhile, or cannot be read any more.
/// Who reads them checks what is in them.
public protocol CacheData: Sendable {
  /// The number of bytes.
  var count: Int { get }

  /// The bytes in a range, or `nil` if they cannot be read, all of them.
  /// - Precondition: The range is within `0..<count`.
  func bytes(in range: Range<Int>) -> [UInt8]?
}

/// Kept bytes that are in memory altogether.
public struct InMemoryCacheData: CacheData {
  private let bytes: [UInt8]

  /// Bytes in memory.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of bytes.
  public var count: Int { bytes.count }

  /// The bytes in a range.
  public func bytes(in range: Range<Int>) -> [UInt8]? {
    range == 0..<bytes.count ? bytes : Array(bytes[range])
  }
}
