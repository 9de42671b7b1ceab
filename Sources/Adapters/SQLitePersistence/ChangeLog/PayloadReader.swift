import ResultsDomain

/// Unpacks the changes of a commit from the log.
struct PayloadReader {
  /// Bytes that are not what a writer wrote.
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private let end: Int
  private var place = 0
  private var lastKeys: [Int: Int64] = [:]

  /// Reads a part.
  /// - Throws: `Malformed` if it was damaged.
  init(_ bytes: [UInt8]) throws(Malformed) {
    guard bytes.count >= 4 else { throw Malformed() }
    self.bytes = bytes
    end = bytes.count - 4
    var sum = PayloadChecksum()
    sum.add(bytes[..<end])
    let stored = bytes[end...].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    guard stored == sum.value else { throw Malformed() }
  }

  /// Hands over each row of one entity, with what it was before, in the order written; the entity by its number in the log.
  /// - Parameters:
  ///   - entity: The entity's number in the log.
  ///   - identity: What the entity's keys are.
  ///   - permits: Whether so many keys may come of a few bytes.
  ///   - body: Is given each row.
  /// - Throws: `Malformed`, also if that is not permitted.
  mutating func read(
    entity: Int,
    identity: EntityIdentity,
    permitting permits: (UInt64) -> Bool = { _ in true },
    _ body: (ObjectKey, [Value]?) -> Void
  ) throws(Malformed) {
    while place < end {
      let header = try unsigned()
      guard let form = PayloadForm(rawValue: UInt8(header & 3)) else { throw Malformed() }
      let number = Int(header >> 2)
      switch form {
      case .absences:
        let first = try key(of: number)
        let count = try unsigned()
        let (last, isOver) = first.addingReportingOverflow(Int64(bitPattern: count))
        guard !isOver, last >= first, count < 1 << 32 else { throw Malformed() }
        lastKeys[number] = last
        guard number == entity else { continue }
        guard permits(count + 1) else { throw Malformed() }
        for key in first...last { body(.integer(key), nil) }
      case .image:
        let key = try key(of: number)
        let values = try values()
        if number == entity { body(.integer(key), values) }
      case .otherAbsence, .otherImage:
        let parts = try values()
        let values = form == .otherImage ? try values() : nil
        guard number == entity else { continue }
        guard let key = ObjectKey(parts: parts, of: identity) else { throw Malformed() }
        body(key, values)
      }
    }
  }

  private mutating func key(of entity: Int) throws(Malformed) -> Int64 {
    let number = try signed() &+ (lastKeys[entity] ?? 0)
    lastKeys[entity] = number
    return number
  }

  private mutating func values() throws(Malformed) -> [Value] {
    let count = try length()
    var values: [Value] = []
    values.reserveCapacity(min(count, 64))
    for _ in 0..<count {
      switch try take(1).first {
      case 0: values.append(.null)
      case 1: values.append(.integer(try signed()))
      case 2:
        let bits = try take(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        values.append(.real(Double(bitPattern: bits)))
      case 3: values.append(.text(String(decoding: try take(try length()), as: UTF8.self)))
      case 4: values.append(.blob(Array(try take(try length()))))
      default: throw Malformed()
      }
    }
    return values
  }

  /// A number of things that must still come, each of a byte at least.
  private mutating func length() throws(Malformed) -> Int {
    let number = try unsigned()
    guard number <= UInt64(end - place) else { throw Malformed() }
    return Int(number)
  }

  private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count <= end - place else { throw Malformed() }
    defer { place += count }
    return bytes[place..<place + count]
  }

  private mutating func signed() throws(Malformed) -> Int64 {
    let number = try unsigned()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  private mutating func unsigned() throws(Malformed) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: 0 as UInt64, to: 64, by: 7) {
      guard place < end else { throw Malformed() }
      let byte = bytes[place]
      place += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw Malformed()
  }
}
