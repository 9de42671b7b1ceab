#if PostgreSQL
/// A value that is bound to a parameter of a statement, in PostgreSQL's binary form.
struct Parameter: Hashable, Sendable {
  /// The type's number in `pg_type`.
  let type: UInt32
  /// The value's bytes, or `nil` for null.
  let bytes: [UInt8]?

  /// Creates a parameter from a value's binary form.
  init(type: UInt32, bytes: [UInt8]?) {
    self.type = type
    self.bytes = bytes
  }

  /// A null of a type.
  static func null(_ type: UInt32) -> Parameter { Parameter(type: type, bytes: nil) }

  /// A truth value.
  static func boolean(_ value: Bool) -> Parameter {
    Parameter(type: TypeNumber.boolean, bytes: [value ? 1 : 0])
  }

  /// A `bigint`.
  static func integer(_ number: Int64) -> Parameter {
    Parameter(type: TypeNumber.integer, bytes: BinaryForm.bytes(of: number))
  }

  /// The number of a table or an index (`oid`).
  static func object(_ number: UInt32) -> Parameter {
    Parameter(
      type: TypeNumber.object,
      bytes: Array(BinaryForm.bytes(of: Int64(number)).suffix(4))
    )
  }

  /// A `double precision`.
  static func real(_ number: Double) -> Parameter {
    Parameter(
      type: TypeNumber.real,
      bytes: BinaryForm.bytes(of: Int64(bitPattern: number.bitPattern))
    )
  }

  /// A `text`, which must not contain NUL.
  static func text(_ text: String) -> Parameter {
    Parameter(type: TypeNumber.text, bytes: Array(text.utf8))
  }

  /// A `bytea`.
  static func blob(_ bytes: [UInt8]) -> Parameter {
    Parameter(type: TypeNumber.blob, bytes: bytes)
  }

  /// The number of a transaction, as `xid8`.
  static func transaction(_ number: UInt64) -> Parameter {
    Parameter(
      type: TypeNumber.transaction,
      bytes: BinaryForm.bytes(of: Int64(bitPattern: number))
    )
  }

  /// A `bigint[]`.
  static func integers(_ numbers: [Int64?]) -> Parameter {
    array(
      of: TypeNumber.integer,
      TypeNumber.integers,
      numbers.map { $0.map(BinaryForm.bytes(of:)) }
    )
  }

  /// A `double precision[]`.
  static func reals(_ numbers: [Double?]) -> Parameter {
    array(
      of: TypeNumber.real,
      TypeNumber.reals,
      numbers.map { $0.map { BinaryForm.bytes(of: Int64(bitPattern: $0.bitPattern)) } }
    )
  }

  /// A `text[]`; no text may contain NUL.
  static func texts(_ texts: [String?]) -> Parameter {
    array(of: TypeNumber.text, TypeNumber.texts, texts.map { $0.map { Array($0.utf8) } })
  }

  /// A `bytea[]`.
  static func blobs(_ blobs: [[UInt8]?]) -> Parameter {
    array(of: TypeNumber.blob, TypeNumber.blobs, blobs)
  }

  /// An `xid8[]`.
  static func transactions(_ numbers: [UInt64]) -> Parameter {
    array(
      of: TypeNumber.transaction,
      TypeNumber.transactions,
      numbers.map { BinaryForm.bytes(of: Int64(bitPattern: $0)) }
    )
  }

  /// An array of one dimension (`array_recv` in PostgreSQL's arrayfuncs.c).
  static func array(
    of element: UInt32,
    _ type: UInt32,
    _ elements: [[UInt8]?]
  ) -> Parameter {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
    BinaryForm.append(elements.isEmpty ? 0 : 1, to: &bytes)
    BinaryForm.append(elements.contains { $0 == nil } ? 1 : 0, to: &bytes)
    BinaryForm.append(Int32(bitPattern: element), to: &bytes)
    if !elements.isEmpty {
      BinaryForm.append(Int32(clamping: elements.count), to: &bytes)
      BinaryForm.append(1, to: &bytes)
    }
    for element in elements {
      guard let element else {
        BinaryForm.append(-1, to: &bytes)
        continue
      }
      BinaryForm.append(Int32(clamping: element.count), to: &bytes)
      bytes += element
    }
    return Parameter(type: type, bytes: bytes)
  }
}

/// The numbers of types in `pg_type`, which are the same in every server (`pg_type.dat`).
enum TypeNumber {
  static let boolean: UInt32 = 16
  static let blob: UInt32 = 17
  static let character: UInt32 = 18
  static let name: UInt32 = 19
  static let integer: UInt32 = 20
  static let integer16: UInt32 = 21
  static let integer32: UInt32 = 23
  static let text: UInt32 = 25
  static let object: UInt32 = 26
  static let json: UInt32 = 114
  static let real32: UInt32 = 700
  static let real: UInt32 = 701
  static let blobs: UInt32 = 1001
  static let texts: UInt32 = 1009
  static let integers: UInt32 = 1016
  static let reals: UInt32 = 1022
  static let paddedText: UInt32 = 1042
  static let limitedText: UInt32 = 1043
  static let date: UInt32 = 1082
  static let localTimestamp: UInt32 = 1114
  static let timestamp: UInt32 = 1184
  static let numeric: UInt32 = 1700
  static let uuid: UInt32 = 2950
  static let jsonBinary: UInt32 = 3802
  static let transaction: UInt32 = 5069

  /// The types whose binary form is a whole number.
  static let wholeNumbers: Set<UInt32> = [boolean, integer16, integer32, integer]
  /// The types whose binary form is their text, besides enumerations.
  static let textForms: Set<UInt32> = [text, limitedText, paddedText, name, json]

  /// The number of the type of arrays of a type, or `nil` for a type that is not built in.
  static func array(of type: UInt32) -> UInt32? {
    switch type {
    case boolean: 1000
    case blob: 1001
    case name: 1003
    case integer16: 1005
    case integer32: 1007
    case text: 1009
    case paddedText: 1014
    case limitedText: 1015
    case integer: 1016
    case real32: 1021
    case real: 1022
    case localTimestamp: 1115
    case date: 1182
    case timestamp: 1185
    case numeric: 1231
    case json: 199
    case transaction: 271
    case uuid: 2951
    case jsonBinary: 3807
    default: nil
    }
  }
  static let transactions: UInt32 = 271
  static let booleans: UInt32 = 1000
  static let dates: UInt32 = 1182
  static let localTimestamps: UInt32 = 1115
  static let timestamps: UInt32 = 1185
  static let numerics: UInt32 = 1231
  static let uuids: UInt32 = 2951
}

/// PostgreSQL's binary form of numbers: big-endian, two's complement.
enum BinaryForm {
  /// The eight bytes of a number.
  static func bytes(of number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// Appends the four bytes of a number.
  static func append(_ number: Int32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// The number in some bytes of any length up to eight.
  static func integer(_ bytes: some Collection<UInt8>) -> Int64 {
    guard let first = bytes.first else { return 0 }
    let start: Int64 = first >= 0x80 ? -1 : 0
    return bytes.reduce(start) { $0 << 8 | Int64($1) }
  }
}
#endif
