import ResultsDomain

/// Packs the changes of a commit for the log: the key of each row, and its values before.
///
/// Insertions with consecutive integer keys are one entry, so that a million of them take a few bytes.
struct PayloadWriter: Sendable {
  /// The approximate size of a part in bytes at most.
  private static let partSize = 4 << 20

  private struct Run: Sendable {
    let entity: Int
    let first: Int64
    var last: Int64
  }

  private var parts: [[UInt8]] = []
  private var bytes: [UInt8] = []
  private var run: Run?
  /// The integer key that was written last, by entity.
  private var lastKeys: [Int: Int64] = [:]

  /// Whether nothing was written.
  var isEmpty: Bool { parts.isEmpty && bytes.isEmpty && run == nil }

  /// Appends a change of a row.
  /// - Parameters:
  ///   - key: The row's key.
  ///   - before: Its values before, or `nil` if there was no row.
  ///   - entity: The entity's number in the log.
  mutating func append(_ key: ObjectKey, before: [Value]?, of entity: Int) {
    switch (key, before) {
    case (.integer(let number), nil):
      if let run, run.entity == entity, run.last < .max, number == run.last + 1 {
        self.run?.last = number
        return
      }
      closeRun()
      run = Run(entity: entity, first: number, last: number)
    case (.integer(let number), .some(let values)):
      closeRun()
      begin(.image, of: entity)
      append(number, after: entity)
      append(values)
    case (_, nil):
      closeRun()
      begin(.otherAbsence, of: entity)
      append(key.parts)
    case (_, .some(let values)):
      closeRun()
      begin(.otherImage, of: entity)
      append(key.parts)
      append(values)
    }
    if bytes.count > PayloadWriter.partSize { closePart() }
  }

  /// Everything that was appended, in parts that can be read on their own.
  mutating func finish() -> [[UInt8]] {
    closeRun()
    if !bytes.isEmpty || parts.isEmpty { closePart() }
    return parts
  }

  private mutating func closePart() {
    closeRun()
    var sum = PayloadChecksum()
    sum.add(bytes[...])
    withUnsafeBytes(of: sum.value.littleEndian) { bytes.append(contentsOf: $0) }
    parts.append(bytes)
    bytes = []
    lastKeys = [:]
  }

  private mutating func closeRun() {
    guard let run else { return }
    self.run = nil
    begin(.absences, of: run.entity)
    append(run.first, after: run.entity)
    append(UInt64(bitPattern: run.last &- run.first))
    lastKeys[run.entity] = run.last
  }

  private mutating func begin(_ form: PayloadForm, of entity: Int) {
    append(UInt64(entity) << 2 | UInt64(form.rawValue))
  }

  /// Appends an integer key as its distance from the one before.
  private mutating func append(_ number: Int64, after entity: Int) {
    append(signed: number &- (lastKeys[entity] ?? 0))
    lastKeys[entity] = number
  }

  private mutating func append(_ values: [Value]) {
    append(UInt64(values.count))
    for value in values {
      switch value {
      case .null: bytes.append(0)
      case .integer(let number):
        bytes.append(1)
        append(signed: number)
      case .real(let number):
        bytes.append(2)
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
      case .text(let text):
        bytes.append(3)
        append(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
      case .illFormedText(let text):
        bytes.append(3)
        append(UInt64(text.bytes.count))
        bytes.append(contentsOf: text.bytes)
      case .blob(let blob):
        bytes.append(4)
        append(UInt64(blob.count))
        bytes.append(contentsOf: blob)
      }
    }
  }

  /// Appends a signed number; numbers near zero are short.
  private mutating func append(signed number: Int64) {
    append(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }

  private mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}

/// The kind of an entry of packed changes.
enum PayloadForm: UInt8 {
  /// Consecutive integer keys of rows that did not exist.
  case absences = 0
  /// An integer key, and the row's values.
  case image = 1
  /// A key of another kind, of a row that did not exist.
  case otherAbsence = 2
  /// A key of another kind, and the row's values.
  case otherImage = 3
}

/// The checksum at the end of packed changes (FNV-1a, 32 bits).
struct PayloadChecksum {
  private(set) var value: UInt32 = 0x811C_9DC5

  /// Adds bytes.
  mutating func add(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBufferPointer { buffer in
      for byte in buffer { value = (value ^ UInt32(byte)) &* 0x0100_0193 }
    }
  }
}

/// Unpacks the changes of a commit from the log.
struct PayloadReader {
  /// The error for bytes that no writer has produced.
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private let end: Int
  private var position = 0
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

  /// Calls a closure for each row of one entity, with its values before, in the order written.
  /// - Parameters:
  ///   - entity: The entity's number in the log.
  ///   - identity: The kind of the entity's keys.
  ///   - permits: Returns whether a few bytes may stand for this many keys.
  ///   - body: Receives the key and the values of each row.
  /// - Throws: `Malformed`, also if the keys are not permitted.
  mutating func read(
    entity: Int,
    identity: EntityIdentity,
    permitting permits: (UInt64) -> Bool = { _ in true },
    _ body: (ObjectKey, [Value]?) -> Void
  ) throws(Malformed) {
    while position < end {
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
      case 3: values.append(Value(textBytes: try take(try length())))
      case 4: values.append(.blob(Array(try take(try length()))))
      default: throw Malformed()
      }
    }
    return values
  }

  /// A number of items that follow, each of at least one byte.
  private mutating func length() throws(Malformed) -> Int {
    let number = try unsigned()
    guard number <= UInt64(end - position) else { throw Malformed() }
    return Int(number)
  }

  private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count <= end - position else { throw Malformed() }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func signed() throws(Malformed) -> Int64 {
    let number = try unsigned()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  private mutating func unsigned() throws(Malformed) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: 0 as UInt64, to: 64, by: 7) {
      guard position < end else { throw Malformed() }
      let byte = bytes[position]
      position += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw Malformed()
  }
}
