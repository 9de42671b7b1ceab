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
    return KeyReader.value(of: order[index], in: UnsafeRawBufferPointer(rebasing: key[start..<end]))
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
      let part = KeyReader.value(
        of: identity[0],
        in: UnsafeRawBufferPointer(rebasing: bytes[..<end])
      )
      if case .integer(let number) = part { return .integer(number) }
    }
    var parts: [Value] = []
    var start = 0
    for column in identity {
      let end = end(of: column, in: bytes, from: start)
      parts.append(
        KeyReader.value(of: column, in: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      )
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

// MARK: - Columns

/// How one column of an encoded key is written.
public struct KeyColumn: Hashable, Sendable {
  /// The storage class of its values.
  public let storage: StorageClass
  /// Whether larger values come first.
  public let isDescending: Bool
  /// Where null stands.
  public let nulls: NullPlacement

  /// One column of an encoded key.
  public init(_ storage: StorageClass, isDescending: Bool = false, nulls: NullPlacement = .first) {
    self.storage = storage
    self.isDescending = isDescending
    self.nulls = nulls
  }
}

// MARK: - Bounds

/// A place between the keys of an order, whether or not there is a key beside it.
///
/// It is told by the bytes of complete columns: a whole key, or the first columns of one. The place is before or behind
/// all keys that begin with them. So `.before` a whole key is the key's own place, and the rows that agree in the first columns stand
/// between `.before` and `.behind` those columns.
public struct KeyBound: Hashable, Sendable {
  /// The bytes of complete columns.
  public let columns: [UInt8]
  /// Whether the place is behind the keys that begin with the columns, and not before them.
  public let isAfter: Bool

  /// The place before all keys that begin with some columns.
  public static func before(_ columns: [UInt8]) -> KeyBound {
    KeyBound(columns: columns, isAfter: false)
  }

  /// The place behind all keys that begin with some columns.
  public static func after(_ columns: [UInt8]) -> KeyBound {
    KeyBound(columns: columns, isAfter: true)
  }

  private init(columns: [UInt8], isAfter: Bool) {
    self.columns = columns
    self.isAfter = isAfter
  }
}

extension KeyLayout {
  /// The bytes before which exactly the keys stand that stand before a bound.
  ///
  /// A zero byte inside a text is written as its terminator and one byte more. So the bytes of a column may begin the bytes of
  /// another, longer one, which stands behind all keys with the first, or before them where the order descends. The byte that
  /// follows tells the two apart: a column begins with 1, 2 or 3.
  /// - Complexity: O(*n*) in the bound's bytes.
  public func searchKey(for bound: KeyBound) -> [UInt8] {
    if bound.isAfter { return bound.columns + [4] }
    return endsDescending(bound.columns) ? bound.columns + [1] : bound.columns
  }

  /// Whether the last column of a bound descends; those of the identity never do.
  private func endsDescending(_ columns: [UInt8]) -> Bool {
    columns.withUnsafeBytes { bytes in
      var end = 0
      for column in order where end < bytes.count {
        end = self.end(of: column, in: bytes, from: end)
        if end == bytes.count { return column.isDescending }
      }
      return false
    }
  }
}
