/// The columns of a list's encoded keys: those of its order, then those of the object's key.
///
/// A key is self-describing under its layout: sections, sort values and the identity are read back from it, so a list
/// holds nothing but keys.
public struct KeyLayout: Hashable, Sendable {
  /// The columns of the order, the section's first.
  public let order: [KeyColumn]
  /// The columns of the object's key, ascending.
  public let identity: [KeyColumn]
  /// The number of bytes of the identity, if it is always the same.
  public let fixedIdentityLength: Int?

  /// The layout of an order over objects with keys of some types.
  public init(order: [KeyColumn], keyTypes: [AttributeType]) {
    self.order = order
    identity = keyTypes.map { KeyColumn($0.storage) }
    let isFixed = identity.allSatisfy { $0.storage == .integer || $0.storage == .real }
    fixedIdentityLength = isFixed ? identity.count * 9 : nil
  }
}

extension KeyLayout {
  /// Where a column ends, given where it begins.
  /// - Complexity: O(*n*) in the bytes of the column.
  public func end(of column: KeyColumn, in key: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard start < key.count, key[start] == 2 else { return min(start + 1, key.count) }
    switch column.storage {
    case .integer, .real: return min(start + 9, key.count)
    case .text, .blob:
      let terminator: UInt8 = column.isDescending ? 255 : 0
      var index = start + 1
      while index < key.count {
        if key[index] == terminator {
          guard index + 1 < key.count, key[index + 1] == ~terminator else { return index + 1 }
          index += 1
        }
        index += 1
      }
      return key.count
    }
  }

  /// How many bytes the first columns of the order take.
  /// - Complexity: O(*n*) in the bytes of those columns.
  public func prefixLength(columns count: Int, in key: UnsafeRawBufferPointer) -> Int {
    var end = 0
    for column in order.prefix(count) { end = self.end(of: column, in: key, from: end) }
    return end
  }

  /// Where the identity begins.
  /// - Complexity: O(1) for numbers as keys, O(*n*) in the bytes otherwise.
  public func identityStart(in key: UnsafeRawBufferPointer) -> Int {
    if let fixedIdentityLength { return max(0, key.count - fixedIdentityLength) }
    return prefixLength(columns: order.count, in: key)
  }

  /// The value of one column of the order.
  public func value(ofColumn index: Int, in key: UnsafeRawBufferPointer) -> Value {
    let start = prefixLength(columns: index, in: key)
    let end = end(of: order[index], in: key, from: start)
    return KeyReader.value(order[index], UnsafeRawBufferPointer(rebasing: key[start..<end]))
  }

  /// The key of the object at the end of an encoded key, or `nil` if the bytes are not of this layout.
  public func objectKey(
    in key: UnsafeRawBufferPointer,
    of identityKind: EntityIdentity
  ) -> ObjectKey? {
    objectKey(
      identity: UnsafeRawBufferPointer(rebasing: key[identityStart(in: key)...]),
      of: identityKind
    )
  }

  /// The key of the object from the identity's bytes alone.
  public func objectKey(
    identity bytes: UnsafeRawBufferPointer,
    of identityKind: EntityIdentity
  ) -> ObjectKey? {
    if identity.count == 1, case .integer = identityKind, !bytes.isEmpty {
      let end = end(of: identity[0], in: bytes, from: 0)
      let part = KeyReader.value(identity[0], UnsafeRawBufferPointer(rebasing: bytes[..<end]))
      if case .integer(let number) = part { return .integer(number) }
    }
    var parts: [Value] = []
    var start = 0
    for column in identity {
      let end = end(of: column, in: bytes, from: start)
      parts.append(KeyReader.value(column, UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
      start = end
    }
    return ObjectKey(parts: parts, of: identityKind)
  }

  /// Encodes an object's key as the identity's bytes, or `nil` if it does not fit.
  public func identityBytes(of key: ObjectKey) -> [UInt8]? {
    var writer = KeyWriter()
    let parts = key.parts
    guard parts.count == identity.count else { return nil }
    for (part, column) in zip(parts, identity) {
      guard writer.append(part, column) else { return nil }
    }
    return writer.bytes
  }
}
