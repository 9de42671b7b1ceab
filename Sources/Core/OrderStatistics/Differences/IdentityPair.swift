/// Two lists of identities in one row of indices: first all old ones, then all new ones.
package protocol IdentityPair {
  var oldCount: Int { get }
  var newCount: Int { get }
  func hash(at index: Int, seed: UInt64) -> UInt64
  func areEqual(_ left: Int, _ right: Int) -> Bool
}

struct IntegerIdentities: IdentityPair {
  let old: UnsafeBufferPointer<Int64>
  let new: UnsafeBufferPointer<Int64>

  @inline(__always) var oldCount: Int { old.count }
  @inline(__always) var newCount: Int { new.count }

  @inline(__always)
  func hash(at index: Int, seed: UInt64) -> UInt64 {
    mix(UInt64(bitPattern: identity(at: index)) ^ seed)
  }

  @inline(__always)
  func areEqual(_ left: Int, _ right: Int) -> Bool {
    identity(at: left) == identity(at: right)
  }

  @inline(__always)
  private func identity(at index: Int) -> Int64 {
    index < old.count ? old[index] : new[index &- old.count]
  }
}

struct ByteIdentities: IdentityPair {
  let old: FlatKeys<Int>
  let new: FlatKeys<Int>

  @inline(__always) var oldCount: Int { old.count }
  @inline(__always) var newCount: Int { new.count }

  @inline(__always)
  func hash(at index: Int, seed: UInt64) -> UInt64 {
    let key = identity(at: index)
    var hash = mix(seed ^ UInt64(truncatingIfNeeded: key.count))
    var offset = 0
    while offset &+ 8 <= key.count {
      hash = mix(hash ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset &+= 8
    }
    var rest: UInt64 = 0
    while offset < key.count {
      rest = rest << 8 | UInt64(key[offset])
      offset &+= 1
    }
    return mix(hash ^ rest)
  }

  @inline(__always)
  func areEqual(_ left: Int, _ right: Int) -> Bool {
    let left = identity(at: left)
    let right = identity(at: right)
    return left.count == right.count && KeyOrder.compare(left, right) == 0
  }

  @inline(__always)
  private func identity(at index: Int) -> UnsafeRawBufferPointer {
    index < old.count ? old[index] : new[index &- old.count]
  }
}

/// Spreads every bit of a word over the result: both halves of a full product by an odd constant.
@inline(__always)
private func mix(_ word: UInt64) -> UInt64 {
  let product = word.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
  return product.high ^ product.low
}
