import Foundation
import GRDB
import ResultsDomain

/// The column on which decoding a record failed.
struct RecordDecodingFailure {
  /// The name of the column, or of the property if no column has it.
  let column: String
  /// Whether the row has no such column, rather than a value that does not fit.
  let isMissing: Bool

  /// Finds the column in an error of GRDB, whose description names it; the error itself does not publish it.
  ///
  /// It is `nil` if the error names none, as an error in the JSON of a column does not.
  /// - Parameters:
  ///   - error: The error that decoding threw.
  ///   - names: The names of the row's columns, in the order of the row.
  init?(_ error: any Error, columns names: some Sequence<String>) {
    guard let error = error as? RowDecodingError else { return nil }
    let description = error.description
    let kinds = ["column not found: \"", "key not found: "]
    if let kind = kinds.first(where: { description.hasPrefix($0) }) {
      // A key stands before its text: `publishedAt ("publishedAt")`.
      let name = description.dropFirst(kind.count).split(separator: "\"").first ?? ""
      column = String(name.prefix { $0 != " " && $0 != "(" })
      isMissing = true
      return
    }
    let found = names.enumerated().first { index, name in
      description.contains("column: \(String(reflecting: name)), column index: \(index),")
    }
    guard let found else { return nil }
    column = found.element
    isMissing = false
  }
}

/// Finds the column with JSON that a record cannot decode, by decoding the row again without some of its values.
///
/// It decodes with GRDB's decoder, which throws where the application's `init(row:)` might trap.
struct RecordDecodingSearch<Record: Decodable & FetchableRecord> {
  /// The row's values by column.
  let values: [String: (any DatabaseValueConvertible)?]

  private enum Outcome: Hashable {
    case decoded
    case failed(column: String)
    case failedElsewhere
  }

  /// The column, or `nil` if it cannot be found.
  /// - Complexity: As many decodings as the row has columns, twice.
  func column() -> String? {
    guard outcome(without: []) == .failedElsewhere else { return nil }
    // Without its value, a column that is decoded before the failure fails itself, unless it is optional.
    var suspects = Set(values.keys.filter { outcome(without: [$0]) != .failedElsewhere })
    var last: String?
    while !suspects.isEmpty {
      guard case .failed(let column) = outcome(without: suspects), suspects.contains(column) else {
        return suspects.count == 1 ? suspects.first : nil
      }
      suspects.remove(column)
      last = column
    }
    return last
  }

  private func outcome(without columns: Set<String>) -> Outcome {
    var values = values
    for column in columns { values[column] = .some(nil) }
    let row = GRDB.Row(values)
    do {
      _ = try FetchableRecordDecoder().decode(Record.self, from: row)
      return .decoded
    } catch {
      if let failure = RecordDecodingFailure(error, columns: row.columnNames) {
        return .failed(column: failure.column)
      }
      guard case DecodingError.valueNotFound(_, let context) = error,
        let name = context.codingPath.first?.stringValue.looseName,
        let column = columns.first(where: { $0.looseName == name })
      else { return .failedElsewhere }
      return .failed(column: column)
    }
  }
}

extension String {
  /// The name in small letters without underscores, in which properties and columns of naming strategies agree.
  var looseName: String { filter { $0 != "_" }.lowercased() }
}

extension Value {
  /// The value as GRDB holds it.
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .blob(let bytes): Data(bytes).databaseValue
    case .illFormedText(let text): text.repaired.databaseValue
    }
  }
}
