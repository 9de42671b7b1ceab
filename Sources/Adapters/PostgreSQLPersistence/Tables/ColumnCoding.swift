#if PostgreSQL
import ResultsDomain
import ResultsStoreKit

/// How the values of a column travel between PostgreSQL's binary form and the domain.
///
/// The binary forms are those of the types' send functions (PostgreSQL's src/backend/utils/adt), which `record_send` uses too.
struct ColumnCoding: Hashable, Sendable {
  /// What a column holds.
  enum Kind: Hashable, Sendable {
    /// `smallint`, `integer`, `bigint`: the number; a date's microseconds and a decimal's units in the store's own tables.
    case integer(bytes: Int)
    /// `boolean`: 1 or 0.
    case boolean
    /// `double precision`, or `real`.
    case real(bytes: Int)
    /// `text`, `varchar`, `name`, `json` and enumerations.
    case text
    /// `jsonb`: its text.
    case jsonBinary
    /// `bytea`.
    case blob
    /// `uuid`: its text in small letters.
    case uuid
    /// `timestamptz`, or `timestamp` as UTC: microseconds since 1970.
    case timestamp
    /// `date`: a whole day (`Instant.wholeDay`).
    case date
    /// `numeric`: units of 10^-scale.
    case numeric(scale: Int)
  }

  let kind: Kind
  /// The column's type in `pg_type`.
  let type: UInt32
  /// The storage class of the values in the domain.
  let storage: StorageClass
  /// Whether a value that has none in the domain is read as the nearest one that there is: not-a-number as null, as SQLite stores it, and
  /// a date after the last one as infinity.
  ///
  /// So it is in databases of others, where nobody has declared that there are no such values.
  var isLenient = false

  init(kind: Kind, type: UInt32, storage: StorageClass) {
    (self.kind, self.type, self.storage) = (kind, type, storage)
  }

  /// 2000-01-01 in microseconds since 1970, from which PostgreSQL counts.
  static let epochMicroseconds: Int64 = 946_684_800_000_000
  static let epochDays: Int64 = 10_957

  /// Whether the values in a result's column have the form that is read here.
  ///
  /// A column whose type was changed can have bytes that would be read as another value: eight letters as a number.
  /// - Parameter found: The column's type in `pg_type`.
  /// - Returns: Whether they can be read.
  func canRead(type found: UInt32) -> Bool {
    if found == type { return true }
    return switch kind {
    case .integer: TypeNumber.wholeNumbers.contains(found)
    case .text: TypeNumber.textForms.contains(found)
    default: false
    }
  }

  /// The value in some bytes, or `nil` if the domain has none for it.
  func value(_ bytes: UnsafeRawBufferPointer) -> Value? {
    switch kind {
    case .integer: return .integer(BinaryForm.integer(bytes))
    case .boolean: return .integer(bytes.first == 0 ? 0 : 1)
    case .real(let count):
      let number: Double
      if count == 4 {
        let bits = UInt32(truncatingIfNeeded: BinaryForm.integer(bytes))
        number = Double(Float(bitPattern: bits))
      } else {
        number = ColumnCoding.real(bytes)
      }
      guard !number.isNaN else { return isLenient ? .null : nil }
      return .real(number == 0 ? 0 : number)
    case .text: return .text(String(decoding: bytes, as: UTF8.self))
    case .jsonBinary: return .text(String(decoding: bytes.dropFirst(), as: UTF8.self))
    case .blob: return .blob(Array(bytes))
    case .uuid: return .text(ColumnCoding.uuidText(bytes))
    case .timestamp:
      let count = BinaryForm.integer(bytes)
      // The two ends stand for infinity, here and in the domain (`Instant.infinity`).
      guard count != .max, count != .min else { return .integer(count) }
      let (sum, overflow) = count.addingReportingOverflow(ColumnCoding.epochMicroseconds)
      guard !overflow, sum != .max else { return isLenient && count > 0 ? .integer(.max) : nil }
      return .integer(sum)
    case .date:
      let days = BinaryForm.integer(bytes)
      if days == Int64(Int32.max) { return .integer(Instant.infinity.microseconds) }
      if days == Int64(Int32.min) { return .integer(Instant.negativeInfinity.microseconds) }
      if let date = Instant(wholeDay: days + ColumnCoding.epochDays) {
        return .integer(date.microseconds)
      }
      return isLenient && days > 0 ? .integer(Instant.infinity.microseconds) : nil
    case .numeric(let scale):
      if isLenient, NumericForm.isNoNumber(bytes) { return .null }
      return NumericForm.units(in: bytes, scale: scale).map { .integer($0) }
    }
  }

  /// The parameter for a value that the column accepts, or `nil` for one that it cannot hold.
  ///
  /// Null is the column type's null. A text with NUL cannot be held.
  func parameter(_ value: Value) -> Parameter? {
    switch (kind, value) {
    case (_, .null): return .null(type)
    case (.integer(let count), .integer(let number)):
      let bytes = Array(BinaryForm.bytes(of: number).suffix(count))
      return BinaryForm.integer(bytes) == number ? Parameter(type: type, bytes: bytes) : nil
    case (.boolean, .integer(let number)):
      return number == 0 || number == 1
        ? Parameter(type: type, bytes: [UInt8(truncatingIfNeeded: number)]) : nil
    case (.real, .integer(let number)): return parameter(.real(Double(number)))
    case (.real(let count), .real(let number)):
      guard !number.isNaN else { return .null(type) }
      if count == 8 {
        let bits = Int64(bitPattern: number.bitPattern)
        return Parameter(type: type, bytes: BinaryForm.bytes(of: bits))
      }
      let single = Float(number)
      guard Double(single) == number else { return nil }
      let bits = Int64(Int32(bitPattern: single.bitPattern))
      return Parameter(type: type, bytes: Array(BinaryForm.bytes(of: bits).suffix(4)))
    case (.text, .text(let text)):
      return text.utf8.contains(0) ? nil : Parameter(type: type, bytes: Array(text.utf8))
    case (.jsonBinary, .text(let text)):
      return text.utf8.contains(0) ? nil : Parameter(type: type, bytes: [1] + Array(text.utf8))
    case (.blob, .blob(let bytes)): return Parameter(type: type, bytes: bytes)
    case (.uuid, .text(let text)):
      return ColumnCoding.uuidBytes(text).map { Parameter(type: type, bytes: $0) }
    case (.timestamp, .integer(.max)), (.timestamp, .integer(.min)):
      return Parameter(type: type, bytes: BinaryForm.bytes(of: value.integer ?? .max))
    case (.date, .integer(.max)): return Parameter(type: type, bytes: [0x7F, 0xFF, 0xFF, 0xFF])
    case (.date, .integer(.min)): return Parameter(type: type, bytes: [0x80, 0, 0, 0])
    case (.timestamp, .integer(let date)):
      let (count, overflow) = date.subtractingReportingOverflow(ColumnCoding.epochMicroseconds)
      // 4713 BC to 294276 AD (timestamp.h).
      guard !overflow, count >= -211_813_488_000_000_000, count < 9_223_371_331_200_000_000
      else { return nil }
      return Parameter(type: type, bytes: BinaryForm.bytes(of: count))
    case (.date, .integer(let date)):
      guard let day = Instant(microseconds: date).wholeDay,
        let days = Int32(exactly: day - ColumnCoding.epochDays), days >= -2_451_545
      else { return nil }
      return Parameter(type: type, bytes: Array(BinaryForm.bytes(of: Int64(days)).suffix(4)))
    case (.numeric(let scale), .integer(let units)):
      return Parameter(type: type, bytes: NumericForm.bytes(units: units, scale: scale))
    default: return nil
    }
  }

  /// The number in the eight bytes of a `double precision`.
  static func real(_ bytes: UnsafeRawBufferPointer) -> Double {
    Double(bitPattern: UInt64(bitPattern: BinaryForm.integer(bytes)))
  }

  private static func uuidText(_ bytes: UnsafeRawBufferPointer) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a UUID in its usual form, in small letters.
  private static func uuidBytes(_ text: String) -> [UInt8]? {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    guard digits.count == 32 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 32, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    return bytes.withUnsafeBytes { uuidText($0) }.utf8.elementsEqual(text.utf8) ? bytes : nil
  }
}

/// The binary form of `numeric`: groups of four decimal digits (`numeric_send` in PostgreSQL's numeric.c).
enum NumericForm {
  /// Whether it is not-a-number (`NUMERIC_NAN`).
  static func isNoNumber(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= 8 && bytes[4] == 0xC0 && bytes[5] == 0
  }

  /// The number in units of 10^-scale, or `nil` if it has more decimal places, or is too large, or not a number.
  static func units(in bytes: UnsafeRawBufferPointer, scale: Int) -> Int64? {
    guard bytes.count >= 8 else { return nil }
    func word(_ index: Int) -> Int {
      Int(BinaryForm.integer(bytes[(index * 2)..<(index * 2 + 2)]))
    }
    let (count, weight, sign) = (word(0), word(1), word(2) & 0xFFFF)
    guard sign == 0 || sign == 0x4000, bytes.count >= 8 + count * 2 else { return nil }
    var units: Int64 = 0
    // The digits of 10^-scale and above, one by one; those below must be zero.
    for group in 0..<max(count, weight + 1 + (scale + 3) / 4) {
      let digits = group < count ? word(4 + group) : 0
      for (index, power) in [1000, 100, 10, 1].enumerated() {
        let exponent = (weight - group) * 4 + 3 - index
        let digit = Int64(digits / power % 10)
        guard exponent >= -scale else {
          guard digit == 0 else { return nil }
          continue
        }
        let (product, first) = units.multipliedReportingOverflow(by: 10)
        let (sum, second) = product.subtractingReportingOverflow(digit)
        guard !first, !second else { return nil }
        units = sum
      }
    }
    // The number was built negative, since the least one has no positive counterpart.
    // Groups before the first one are zeros.
    if sign == 0x4000 { return units }
    return units == .min ? nil : -units
  }

  /// The binary form of a number in units of 10^-scale.
  static func bytes(units: Int64, scale: Int) -> [UInt8] {
    var digits = String(units.magnitude).utf8.map { Int64($0 - UInt8(ascii: "0")) }
    // Zeros are appended until the decimal point is between groups.
    digits += [Int64](repeating: 0, count: (4 - scale % 4) % 4)
    let fraction = (scale + 3) / 4
    digits.insert(contentsOf: [Int64](repeating: 0, count: (4 - digits.count % 4) % 4), at: 0)
    var groups = stride(from: 0, to: digits.count, by: 4).map { start in
      digits[start..<start + 4].reduce(0) { $0 * 10 + $1 }
    }
    var weight = groups.count - fraction - 1
    while groups.first == 0 {
      groups.removeFirst()
      weight -= 1
    }
    while groups.last == 0 { groups.removeLast() }
    if groups.isEmpty { weight = 0 }
    var bytes: [UInt8] = []
    for word in [Int64(groups.count), Int64(weight), units < 0 ? 0x4000 : 0, Int64(scale)] + groups
    {
      bytes += BinaryForm.bytes(of: word).suffix(2)
    }
    return bytes
  }
}
#endif
