import ResultsDomain

/// Everything a reader gives: records as texts, and errors in between.
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

/// The values of every record, or the first error.
func values(_ reader: some RecordReader) throws(RecordError) -> [[Value]] {
  var reader = reader
  var rows: [[Value]] = []
  while let record = try reader.next() { rows.append(record.fields.map(\.value)) }
  return rows
}

/// A generator of the same numbers for the same seed (splitmix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
