#if PostgreSQL
import ResultsDomain
import ResultsStoreKit

/// Which columns hold which attributes.
enum ColumnTypes {
  /// Why a column does not hold an attribute's values.
  struct Refusal: Error {
    /// A part of a sentence.
    let detail: String
  }

  /// The type of a column that a store creates, with its collation and its check.
  static func declaration(of attribute: AttributeDescription) -> String {
    guard attribute.form == nil else { return declaration(of: attribute.storage, attribute.name) }
    return switch attribute.type {
    case .integer16: "smallint"
    case .integer32: "integer"
    case .boolean: "boolean"
    default: declaration(of: attribute.storage, attribute.name)
    }
  }

  private static func declaration(of storage: StorageClass, _ name: String) -> String {
    switch storage {
    case .integer: "bigint"
    // Not-a-number would be no value; null stands for it.
    case .real: "double precision CHECK (\(Connection.quoted(name)) <> 'NaN')"
    case .text: #"text COLLATE pg_catalog."C""#
    case .blob, .any: "bytea"
    }
  }

  /// How the values of an attribute travel to and from a column.
  /// - Throws: Why the column does not hold them.
  static func coding(
    of attribute: AttributeDescription,
    in column: TableShape.Column
  ) throws(Refusal) -> ColumnCoding {
    guard !attribute.holdsAnyValue else {
      throw Refusal(
        detail:
          "\(attribute.name) holds values of any class, and a column of PostgreSQL has one type"
      )
    }
    guard !column.readsAsText else {
      guard attribute.storage == .text, attribute.form == nil else {
        throw Refusal(detail: "\(column.name) is \(column.typeText), which is read as text")
      }
      return ColumnCoding(kind: .text, type: TypeNumber.text, storage: .text)
    }
    let kind = try kind(of: column)
    guard fits(kind, column, attribute.storage, attribute.form == nil ? attribute.type : nil)
    else {
      throw Refusal(
        detail: "\(column.name) is \(column.typeText), which does not hold \(attribute.type)"
          + " exactly; \(needed(attribute))"
      )
    }
    var coding = ColumnCoding(kind: kind, type: column.type, storage: attribute.storage)
    // A number that is none becomes null, which a required attribute cannot be.
    coding.isLenient =
      column.isLenient && (coding.canBeLater || coding.canBeNoNumber && attribute.isOptional)
    return coding
  }

  /// How the parts of a key travel that are no attributes.
  /// - Throws: Why the column does not hold them.
  static func coding(
    ofKey storage: StorageClass,
    in column: TableShape.Column
  ) throws(Refusal) -> ColumnCoding {
    let kind = try kind(of: column)
    guard fits(kind, column, storage, nil) else {
      throw Refusal(detail: "\(column.name) is \(column.typeText), which is no \(storage) key")
    }
    return ColumnCoding(kind: kind, type: column.type, storage: storage)
  }

  /// Whether a column can be a part of a key: its order is that of the values, and finds exactly equal bytes equal.
  static func checkKey(_ column: TableShape.Column, _ coding: ColumnCoding) throws(Refusal) {
    if column.isNondeterministic {
      throw Refusal(
        detail: "the key \(column.name) has a collation that finds different texts equal;"
          + " give it COLLATE \"C\""
      )
    }
    if column.readsAsText {
      throw Refusal(
        detail: "the key \(column.name) is \(column.typeText), which is read as text"
      )
    }
    switch coding.kind {
    case .jsonBinary:
      throw Refusal(
        detail: "the key \(column.name) is \(column.typeText), whose text is not unique"
      )
    case .text where column.isEnumeration || column.type == TypeNumber.json:
      throw Refusal(
        detail: "the key \(column.name) is \(column.typeText), which does not sort as a text"
      )
    default: return
    }
  }

  /// The type of an attribute that holds the values of a column of another application; texts where no other type has all of them.
  static func attribute(for column: TableShape.Column) -> AttributeType {
    guard !readsAsText(column), let kind = try? kind(of: column) else { return .text }
    // What a store has recorded of a table of its own.
    if let type = column.record.flatMap({ AttributeType(description: $0) }),
      fits(kind, column, type.storage, type)
    {
      return type
    }
    return switch kind {
    case .integer(bytes: 2): .integer16
    case .integer(bytes: 4): .integer32
    case .integer: .integer64
    case .boolean: .boolean
    case .real: .real
    case .text, .jsonBinary, .uuid: .text
    case .blob: .blob
    case .timestamp, .date: .date
    case .numeric(let scale): .decimal(scale: scale)
    }
  }

  /// Whether a column of another application is read as text: no attribute has all values of its type.
  static func readsAsText(_ column: TableShape.Column) -> Bool {
    guard let kind = try? kind(of: column) else { return true }
    guard case .numeric(let scale) = kind else { return false }
    // Eighteen digits fit into the units of a decimal, whatever they are.
    let precision = ((column.modifier - 4) >> 16) & 0xFFFF
    return precision > 18 || !(0...18).contains(scale)
  }

  /// Whether a column of another application may hold not-a-number, which is read as null.
  static func canBeNoNumber(_ column: TableShape.Column) -> Bool {
    guard column.isLenient, !column.readsAsText, let kind = try? kind(of: column) else {
      return false
    }
    return ColumnCoding(kind: kind, type: column.type, storage: .real).canBeNoNumber
  }

  private static func kind(of column: TableShape.Column) throws(Refusal) -> ColumnCoding.Kind {
    if column.isEnumeration { return .text }
    switch column.type {
    case TypeNumber.integer16: return .integer(bytes: 2)
    case TypeNumber.integer32: return .integer(bytes: 4)
    case TypeNumber.integer: return .integer(bytes: 8)
    case TypeNumber.boolean: return .boolean
    case TypeNumber.real32: return .real(bytes: 4)
    case TypeNumber.real: return .real(bytes: 8)
    case TypeNumber.text, TypeNumber.limitedText, TypeNumber.name, TypeNumber.json: return .text
    case TypeNumber.jsonBinary: return .jsonBinary
    case TypeNumber.blob: return .blob
    case TypeNumber.uuid: return .uuid
    case TypeNumber.timestamp, TypeNumber.localTimestamp: return .timestamp
    case TypeNumber.date: return .date
    case TypeNumber.numeric:
      guard column.modifier >= 4 else {
        throw Refusal(
          detail: "\(column.name) is numeric without a scale, which holds numbers with any number"
            + " of decimal places; declare it as numeric(p, s)"
        )
      }
      let scale = (((column.modifier - 4) & 0x7FF) ^ 1024) - 1024
      return .numeric(scale: scale)
    case TypeNumber.paddedText:
      throw Refusal(
        detail:
          "\(column.name) is \(column.typeText), which ignores spaces at the end; declare it as"
          + " text or varchar"
      )
    default:
      throw Refusal(
        detail: "\(column.name) is \(column.typeText), and no attribute has values of that type"
      )
    }
  }

  /// Whether a column of a kind holds values of a storage class, and of a type unless they have a form of their own.
  private static func fits(
    _ kind: ColumnCoding.Kind,
    _ column: TableShape.Column,
    _ storage: StorageClass,
    _ type: AttributeType?
  ) -> Bool {
    switch (kind, storage) {
    // Microseconds need eight bytes.
    case (.integer(let bytes), .integer): type != .date || bytes == 8
    case (.boolean, .integer): type == .boolean
    case (.timestamp, .integer), (.date, .integer): type == .date
    case (.numeric(let scale), .integer):
      switch type {
      case .decimal(let other): scale == other
      case .integer16, .integer32, .integer64: scale == 0
      default: false
      }
    case (.real, .real), (.text, .text), (.jsonBinary, .text), (.uuid, .text), (.blob, .blob): true
    default: false
    }
  }

  private static func needed(_ attribute: AttributeDescription) -> String {
    switch (attribute.storage, attribute.type) {
    case (.integer, .date) where attribute.form == nil:
      "it needs bigint (microseconds since 1970), timestamptz, timestamp or date"
    case (.integer, .decimal(let scale)) where attribute.form == nil:
      "it needs numeric(p, \(scale)), or bigint in units of 10^-\(scale)"
    case (.integer, .boolean) where attribute.form == nil: "it needs boolean, or an integer type"
    case (.integer, _): "it needs smallint, integer or bigint"
    case (.real, _): "it needs double precision or real"
    case (.text, _): "it needs text, varchar, uuid, json, jsonb or an enumeration"
    case (.blob, _), (.any, _): "it needs bytea"
    }
  }
}
#endif
