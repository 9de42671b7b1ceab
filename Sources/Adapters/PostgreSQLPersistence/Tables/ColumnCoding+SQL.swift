#if PostgreSQL
import ResultsDomain
import SQLStoreSupport

// What a column's own type can say in SQL.

extension ColumnCoding {
  /// The way in which values of a storage class travel that a statement computes.
  static func computed(_ storage: StorageClass) -> ColumnCoding {
    switch storage {
    case .integer:
      ColumnCoding(kind: .integer(bytes: 8), type: TypeNumber.integer, storage: storage)
    case .real: ColumnCoding(kind: .real(bytes: 8), type: TypeNumber.real, storage: storage)
    case .text, .any: ColumnCoding(kind: .text, type: TypeNumber.text, storage: .text)
    case .blob: ColumnCoding(kind: .blob, type: TypeNumber.blob, storage: storage)
    }
  }

  /// Whether the column is a text that can have a collation.
  var isText: Bool {
    kind == .text && (type == TypeNumber.text || type == TypeNumber.limitedText)
  }

  /// Whether the column's type sorts like its values.
  var sortsInOwnType: Bool {
    switch kind {
    case .text: isText
    case .jsonBinary: false
    case .integer, .boolean, .real, .blob, .uuid, .timestamp, .date, .numeric: true
    }
  }

  /// Whether values of the column are compared with constants of its own type.
  var comparesInOwnType: Bool {
    switch kind {
    case .real(let bytes): bytes == 8
    default: sortsInOwnType
    }
  }

  /// Whether some value of the column can be equal to a value.
  func canHold(_ value: Value) -> Bool { parameter(value) != nil }

  /// The parameter by which the column is compared with a value that is not null; `nil` if no value of the column can be equal to it.
  func comparand(_ value: Value) -> Parameter? {
    if case .integer = kind, case .integer(let number) = value { return .integer(number) }
    return parameter(value)
  }

  /// An array of those values that the column can hold, and their number.
  func array(_ values: [Value]) -> (parameter: Parameter, count: Int) {
    let type: UInt32
    switch kind {
    case .boolean: type = TypeNumber.booleans
    case .uuid: type = TypeNumber.uuids
    case .date: type = TypeNumber.dates
    case .numeric: type = TypeNumber.numerics
    case .timestamp:
      type = self.type == TypeNumber.timestamp ? TypeNumber.timestamps : TypeNumber.localTimestamps
    case .text where !isText: type = TypeNumber.texts
    case .integer, .real, .text, .jsonBinary, .blob: return ColumnCoding.array(values, of: storage)
    }
    if type == TypeNumber.texts { return ColumnCoding.array(values, of: .text) }
    let elements = values.compactMap { parameter($0)?.bytes }
    return (.array(of: self.type, type, elements), elements.count)
  }

  /// An array of those values that are of a storage class, and their number.
  static func array(
    _ values: [Value],
    of storage: StorageClass
  ) -> (parameter: Parameter, count: Int) {
    switch storage {
    case .integer:
      let numbers = values.compactMap(\.integer)
      return (.integers(numbers), numbers.count)
    case .real:
      let numbers = values.compactMap(\.double)
      return (.reals(numbers), numbers.count)
    case .text, .any:
      let texts = values.compactMap(\.text).filter { !$0.hasZero }
      return (.texts(texts), texts.count)
    case .blob:
      let blobs = values.compactMap { if case .blob(let bytes) = $0 { bytes } else { nil } }
      return (.blobs(blobs), blobs.count)
    }
  }
}
#endif
