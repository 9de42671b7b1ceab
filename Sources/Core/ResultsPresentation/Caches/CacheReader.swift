/// Reads the bytes of a cache from front to back; what is not there is `nil`, whatever the bytes are.
struct CacheReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var place = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { place == bytes.count }

  /// The next bytes, as many as asked, or `nil` if there are fewer.
  mutating func next(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, count <= bytes.count - place else { return nil }
    defer { place += count }
    return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
  }

  /// The bytes between an earlier place of this reader and the present one.
  func bytes(since earlier: CacheReader) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[earlier.place..<place])
  }

  mutating func byte() -> UInt8? { next(1)?.first }

  /// Eight bytes, the least significant first.
  mutating func word() -> UInt64? {
    next(8).map { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
  }

  /// A word that counts something there can be at most so many of.
  mutating func count(upTo limit: Int) -> Int? {
    word().flatMap { Int(exactly: $0) }.flatMap { $0 <= limit ? $0 : nil }
  }

  /// A number in bytes of seven bits.
  mutating func number() -> Int? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 63, let byte = byte() {
      number |= UInt64(byte & 127) << shift
      if byte < 128 { return Int(exactly: number) }
      shift += 7
    }
    return nil
  }

  /// A text after the number of its bytes.
  mutating func text() -> String? {
    number().flatMap { next($0) }.map { String(decoding: $0, as: UTF8.self) }
  }
}
