import GRDB
import ResultsDomain

/// The forms in which records write dates and UUIDs, by the strategies of the record types.
struct RecordForms {
  private let types: [String: any EncodableRecord.Type]

  init(_ records: [any ListedRecord.Type]) {
    var types: [String: any EncodableRecord.Type] = [:]
    for record in records {
      guard let type = record as? any EncodableRecord.Type else { continue }
      types[record.databaseTableName.lowercased()] = type
    }
    self.types = types
  }

  /// The form of a column, or `nil` if its values decide.
  ///
  /// A column declared `DATE` may hold days or instants, so its values decide.
  func form(table: String, column: String, declaredType: String) -> StoredForm? {
    let declared = declaredType.uppercased()
    let type = types[table.lowercased()]
    if declared.contains("DATETIME") || declared.contains("TIMESTAMP") {
      return (type?.databaseDateEncodingStrategy(for: column) ?? .deferredToDate).form
    }
    let name = column.lowercased()
    guard ["id", "uuid", "guid"].contains(where: name.hasSuffix) else { return nil }
    switch (type?.databaseUUIDEncodingStrategy(for: column) ?? .deferredToUUID, declared) {
    case (.deferredToUUID, "BLOB"): return .uuidBlob
    case (.uppercaseString, "TEXT"): return .uuidText(isUppercase: true)
    case (.lowercaseString, "TEXT"): return .uuidText(isUppercase: false)
    default: return nil
    }
  }
}

extension DatabaseDateEncodingStrategy {
  /// The form of the values that the strategy writes, or `nil` for a format of the application's own.
  fileprivate var form: StoredForm? {
    switch self {
    case .deferredToDate: .dateText(digits: 3)
    case .timeIntervalSinceReferenceDate: .referenceSeconds
    case .timeIntervalSince1970, .secondsSince1970: .epochSeconds
    case .millisecondsSince1970: .epochMilliseconds
    case .iso8601: .iso8601(digits: 0)
    case .formatted, .custom: nil
    }
  }
}
