import ResultsDomain

extension SectionCache {
  /// A checksum in which every changed bit of some bytes shows.
  static func checksum(of bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { checksum(of: $0) }
  }

  /// A checksum in which every changed bit of some bytes shows.
  ///
  /// Four chains, each of every fourth word, do not wait for each other, which makes megabytes a matter of some hundred microseconds.
  /// A word goes into its chain, and a chain into the sum, in a way that can be undone, so that no single word can change unseen.
  static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var chains: (UInt64, UInt64, UInt64, UInt64) = (
      0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89
    )
    var place = 0
    while place &+ 32 <= bytes.count {
      add(bytes, place, to: &chains.0)
      add(bytes, place &+ 8, to: &chains.1)
      add(bytes, place &+ 16, to: &chains.2)
      add(bytes, place &+ 24, to: &chains.3)
      place &+= 32
    }
    var sum = RowDigest()
    sum.add(Int64(bytes.count))
    for chain in [chains.0, chains.1, chains.2, chains.3] {
      sum.add(Int64(bitPattern: chain))
    }
    sum.addBlob(UnsafeRawBufferPointer(rebasing: bytes[place...]))
    return sum.value
  }

  @inline(__always)
  private static func add(
    _ bytes: UnsafeRawBufferPointer,
    _ place: Int,
    to chain: inout UInt64
  ) {
    let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    chain = (chain ^ UInt64(littleEndian: word)) &* 0x9e37_79b9_7f4a_7c15
    chain ^= chain >> 32
  }
}
