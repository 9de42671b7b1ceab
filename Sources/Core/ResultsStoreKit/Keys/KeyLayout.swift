public import ResultsDomain

/// The columns of a list's encoded keys: those of its order, then those of the object's key.
///
/// Sections, sort values and the identity can be decoded from a key with its layout, so a list stores nothing but keys.
public struct KeyLayout: Hashable, Sendable {
  /// The columns of the order, those of the section first.
  public let order: [KeyColumn]
  /// The columns of the object's key, ascending.
  public let identity: [KeyColumn]
  /// The length of the identity in bytes, if it is constant.
  public let fixedIdentityLength: Int?

  /// Creates the layout of an order over objects with keys of the given types.
  public init(order: [KeyColumn], keyTypes: [AttributeType]) {
    self.init(order: order, keyStorage: keyTypes.map(\.storage))
  }

  /// Creates the layout of an order over objects with keys of the given storage classes.
  public init(order: [KeyColumn], keyStorage: [StorageClass]) {
    self.order = order
    identity = keyStorage.map { KeyColumn($0) }
    let isFixed = identity.allSatisfy { $0.storage == .integer || $0.storage == .real }
    fixedIdentityLength = isFixed ? identity.count * 9 : nil
  }
}

extension KeyLayout {
  /// The end offset of a column that begins at an offset.
  /// - Complexity: O(*n*) in the bytes of the column.
  public func end(of column: KeyColumn, in key: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard start < key.count, key[start] == 2 else { return min(start + 1, key.count) }
    var start = start
    switch column.storage {
    case .integer, .real: return min(start + 9, key.count)
    case .any:
      start += 1
      guard start < key.count else { return key.count }
      if AnyValueCoding.isNumber(key[start], column) {
        return min(start + AnyValueCoding.numberLength, key.count)
      }
      fallthrough
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

  /// The length of the first columns of the order in bytes.
  /// - Complexity: O(*n*) in the bytes of those columns.
  public func prefixLength(columns count: Int, in key: UnsafeRawBufferPointer) -> Int {
    var end = 0
    for column in order.prefix(count) { end = self.end(of: column, in: key, from: end) }
    return end
  }

  /// The offset of the identity.
  /// - Complexity: O(1) for numeric keys, otherwise O(*n*) in the bytes.
  public func identityStart(in key: UnsafeRawBufferPointer) -> Int {
    if let fixedIdentityLength { return max(0, key.count - fixedIdentityLength) }
    return prefixLength(columns: order.count, in: key)
  }

  /// The value of a column of the order.
  public func value(ofColumn index: Int, in key: UnsafeRawBufferPointer) -> Value {
    let start = prefixLength(columns: index, in: key)
    let end = end(of: order[index], in: key, from: start)
    return KeyReader.value(of: order[index], in: UnsafeRawBufferPointer(rebasing: key[start..<end]))
  }

  /// Decodes the object's key at the end of an encoded key, or returns `nil` if the bytes do not have this layout.
  public func objectKey(
    in key: UnsafeRawBufferPointer,
    of identityKind: EntityIdentity
  ) -> ObjectKey? {
    objectKey(
      identity: UnsafeRawBufferPointer(rebasing: key[identityStart(in: key)...]),
      of: identityKind
    )
  }

  /// Decodes the object's key from the identity's bytes alone.
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

  /// Encodes an object's key as the identity's bytes, or returns `nil` if it does not fit the layout.
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

/// The encoding of one column of a key.
public struct KeyColumn: Hashable, Sendable {
  /// The storage class of its values.
  public let storage: StorageClass
  /// Whether larger values come first.
  public let isDescending: Bool
  /// The position of null.
  public let nulls: NullPlacement

  /// Creates a description of a column.
  public init(_ storage: StorageClass, isDescending: Bool = false, nulls: NullPlacement = .first) {
    self.storage = storage
    self.isDescending = isDescending
    self.nulls = nulls
  }
}

// MARK: - Bounds

/// A position between the keys of an order, defined by the bytes of complete columns.
///
/// The columns are a whole key, or the first columns of a key; the bound is before or after all keys that begin with them.
/// So `.before` a whole key is the position of that key, and the keys that agree in some first columns are between `.before`
/// and `.after` those columns.
public struct KeyBound: Hashable, Sendable {
  /// The bytes of complete columns.
  public let columns: [UInt8]
  /// Whether the bound is after, not before, the keys that begin with the columns.
  public let isAfter: Bool

  /// The bound before all keys that begin with the columns.
  public static func before(_ columns: [UInt8]) -> KeyBound {
    KeyBound(columns: columns, isAfter: false)
  }

  /// The bound after all keys that begin with the columns.
  public static func after(_ columns: [UInt8]) -> KeyBound {
    KeyBound(columns: columns, isAfter: true)
  }

  private init(columns: [UInt8], isAfter: Bool) {
    self.columns = columns
    self.isAfter = isAfter
  }
}

/// The keys of an order between two bounds.
public struct KeyRange: Hashable, Sendable {
  /// The bound before the first key, or `nil` for the start of the list.
  public let lower: KeyBound?
  /// The bound behind the last key, or `nil` for the end of the list.
  public let upper: KeyBound?

  /// Creates the range between two bounds; it is empty if the second is not after the first.
  public init(from lower: KeyBound?, to upper: KeyBound?) {
    self.lower = lower
    self.upper = upper
  }
}

extension KeyLayout {
  /// The bytes to search for a bound: exactly the keys before the bound sort before them.
  ///
  /// A zero byte inside a text is encoded as the terminator and another byte, so the bytes of a column can be a prefix of those of
  /// a longer text, which sorts after all keys with the shorter one (before them in descending order). The next byte distinguishes
  /// the two, because a column begins with 1, 2 or 3.
  /// - Complexity: O(*n*) in the bound's bytes.
  public func searchKey(for bound: KeyBound) -> [UInt8] {
    if bound.isAfter { return bound.columns + [4] }
    return endsDescending(bound.columns) ? bound.columns + [1] : bound.columns
  }

  /// Whether the last column of a bound is descending; identity columns never are.
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
