import ResultsDomain

/// Returns the records and errors of a reader as texts, in order.
func everything(_ reader: some RecordReader) -> [String] {
  var reader = reader
  var lines: [String] = []
  while true {
    do throws(RecordError) {
      guard let record = try reader.next() else { return lines }
      let fields = record.fields.map { "\($0.name)@\($0.column)=\($0.value)" }
      lines.append("\(record.line): \(fields.joined(separator: " "))")
    } catch {
      lines.append("\(error.isRecoverable ? "?" : "!") \(error)")
    }
  }
}

/// Returns the values of all records.
func values(_ reader: some RecordReader) throws(RecordError) -> [[Value]] {
  var reader = reader
  var rows: [[Value]] = []
  while let record = try reader.next() { rows.append(record.fields.map(\.value)) }
  return rows
}
