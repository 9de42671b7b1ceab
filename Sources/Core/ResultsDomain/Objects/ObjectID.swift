/// The identity of an object: its entity and its key, never a position.
public struct ObjectID: Sendable {
  /// The entity's name.
  public let entity: String
  /// The key within the entity.
  public let key: ObjectKey

  /// Creates the identity of an object.
  public init(entity: String, key: ObjectKey) {
    self.entity = entity
    self.key = key
  }
}

extension ObjectID: Hashable {
  /// Whether two identities have the same bytes.
  public static func == (left: ObjectID, right: ObjectID) -> Bool {
    left.key == right.key && left.entity.hasSameBytes(as: right.entity)
  }

  /// Hashes the key only, because the identities of a list share their entity.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension ObjectID: CustomStringConvertible {
  /// The entity and the key, such as `Book 12`.
  public var description: String { "\(entity) \(key)" }
}

// MARK: - Key

/// The key that identifies an object within its entity, compared by bytes.
public enum ObjectKey: Hashable, Sendable {
  /// An integer key.
  case integer(Int64)
  /// A text key, compared as UTF-8 bytes.
  case text(String)
  /// The parts of a compound key, in key order; a text key that is not UTF-8 has one part.
  case compound([Value])

  /// Whether two keys have the same bytes.
  public static func == (left: ObjectKey, right: ObjectKey) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left == right
    case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
    case (.compound(let left), .compound(let right)): left == right
    default: false
    }
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .integer(let number): hasher.combine(number)
    case .text(let text): hasher.combine(Value.text(text))
    case .compound(let parts): hasher.combine(parts)
    }
  }

  /// The key's parts as values: one for an integer or a text.
  public var parts: [Value] {
    switch self {
    case .integer(let number): [.integer(number)]
    case .text(let text): [.text(text)]
    case .compound(let parts): parts
    }
  }

  /// The text of a key of one part that is not UTF-8.
  package var illFormedText: IllFormedText? {
    guard case .compound(let parts) = self, parts.count == 1,
      case .illFormedText(let text) = parts[0]
    else { return nil }
    return text
  }

  /// Creates a key from its parts, or returns `nil` if they do not fit an identity.
  public init?(parts: [Value], of identity: EntityIdentity) {
    switch (identity, parts.count == 1 ? parts[0] : .null) {
    case (.integer, .integer(let number)): self = .integer(number)
    case (.text, .text(let text)): self = .text(text)
    case (.text, .illFormedText): self = .compound(parts)
    case (.compound(let names), _) where names.count == parts.count: self = .compound(parts)
    default: return nil
    }
  }
}

extension ObjectKey: CustomStringConvertible {
  /// The key for messages: a number, a text, or the parts separated by commas.
  public var description: String {
    switch self {
    case .integer(let number): String(number)
    case .text(let text): text
    case .compound(let parts):
      parts.map { part in part.readableText ?? part.description }.joined(separator: ",")
    }
  }
}

// MARK: - URI

extension ObjectID {
  /// The identity as a URI, such as `results:Book/i12` or `results:Item/tguid%201`.
  ///
  /// Each part of the key begins with its storage class (`i` integer, `r` real as bits, `t` text, `b` blob in
  /// hexadecimal). Commas separate the parts. All characters except unreserved ones (RFC 3986, 2.3) are
  /// percent-encoded.
  public var uri: String {
    let parts = key.parts.map(ObjectID.encoded)
    let prefix = if case .compound = key { "c" } else { "" }
    return "results:\(ObjectID.escaped(entity.utf8))/\(prefix)\(parts.joined(separator: ","))"
  }

  /// Parses a URI, or returns `nil` if it is not the URI of an object.
  public init?(uri: String) {
    let scheme = "results:"
    guard uri.hasPrefix(scheme) else { return nil }
    let halves = uri.dropFirst(scheme.count).split(
      separator: "/",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    guard halves.count == 2, let entity = ObjectID.text(unescaping: halves[0]), !entity.isEmpty
    else { return nil }
    var body = halves[1]
    let isCompound = body.first == "c"
    if isCompound { body = body.dropFirst() }
    var parts: [Value] = []
    for part in body.split(separator: ",", omittingEmptySubsequences: false) {
      guard let value = ObjectID.decoded(part) else { return nil }
      parts.append(value)
    }
    switch (isCompound, parts.count, parts.first) {
    case (true, _, _): self.init(entity: entity, key: .compound(parts))
    case (false, 1, .integer(let number)): self.init(entity: entity, key: .integer(number))
    case (false, 1, .text(let text)): self.init(entity: entity, key: .text(text))
    default: return nil
    }
  }

  private static func encoded(_ value: Value) -> String {
    switch value {
    case .null: "n"
    case .integer(let number): "i\(number)"
    case .real(let number): "r" + String(number.bitPattern, radix: 16)
    case .text(let text): "t" + escaped(text.utf8)
    case .illFormedText(let text): "t" + escaped(text.bytes)
    case .blob(let bytes): "b" + bytes.map(hexadecimal).joined()
    }
  }

  private static func decoded(_ part: Substring) -> Value? {
    let body = part.dropFirst()
    switch part.first {
    case "n": return body.isEmpty ? .null : nil
    case "i" where body.first != "+": return Int64(body).map { .integer($0) }
    case "r" where body.first != "+":
      return UInt64(body, radix: 16).map { .real(Double(bitPattern: $0)) }
    case "t": return textBytes(unescaping: body).map { Value(textBytes: $0) }
    case "b": return bytes(hexadecimal: Array(body.utf8)).map { .blob($0) }
    default: return nil
    }
  }

  private static func escaped(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        text += "%" + hexadecimal(byte).uppercased()
      }
    }
    return text
  }

  private static func text(unescaping part: Substring) -> String? {
    textBytes(unescaping: part).flatMap { String(validating: $0, as: UTF8.self) }
  }

  private static func textBytes(unescaping part: Substring) -> [UInt8]? {
    let source = Array(part.utf8)
    var bytes: [UInt8] = []
    var index = 0
    while index < source.count {
      if source[index] == UInt8(ascii: "%") {
        guard index + 2 < source.count,
          let pair = ObjectID.bytes(hexadecimal: Array(source[index + 1...index + 2]))
        else { return nil }
        bytes += pair
        index += 3
      } else {
        bytes.append(source[index])
        index += 1
      }
    }
    return bytes
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  private static func bytes(hexadecimal digits: [UInt8]) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
      guard !pair.hasPrefix("+"), let byte = UInt8(pair, radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}
