import Foundation

/// The JSON form of figures: one array of objects, each with the same nine members.
///
/// ```json
/// [{"goal":1,"name":"…","rows":1000,"value":2.5,"unit":"µs","reference":500,"ratio":0.005,"limit":0.01,"holds":true}]
/// ```
///
/// A limit is one of the ratio where there is a reference, else of the value. What there is not is `null`.
enum ReportRows {
  /// The array, one object a line.
  static func text(of measurements: [Measurement]) throws -> String {
    let lines = try measurements.map { each in
      [
        "{\"goal\":\(each.goal)", "\"name\":\(try quoted(each.fullName))",
        "\"rows\":\(each.rows)", "\"value\":\(ReportNumber.json(each.value))",
        "\"unit\":\(try quoted(each.unit))",
        "\"reference\":\(ReportNumber.json(each.reference))",
        "\"ratio\":\(ReportNumber.json(each.ratio))",
        "\"limit\":\(ReportNumber.json(each.limit))", "\"holds\":\(each.holds)}",
      ].joined(separator: ",")
    }
    return "[\(lines.joined(separator: ",\n"))]"
  }

  /// Reads figures that an earlier run has printed.
  /// - Throws: `BenchmarkError.noReport` for a file that holds something else.
  static func read(_ path: String) throws -> [Measurement] {
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      return try JSONDecoder().decode([Line].self, from: data).map(\.measurement)
    } catch {
      throw BenchmarkError.noReport(path: path, detail: BenchmarkError.words(for: error))
    }
  }

  private struct Line: Decodable {
    var goal: Int
    var name: String
    var rows: Int
    var value: Double?
    var unit: String
    var reference: Double?
    var limit: Double?

    var measurement: Measurement {
      let parts = name.split(separator: ", against ", maxSplits: 1).map(String.init)
      return Measurement(
        goal: goal,
        name: parts.first ?? name,
        rows: rows,
        value: value,
        unit: unit,
        reference: reference,
        against: parts.count > 1 ? parts[1] : "",
        limit: limit
      )
    }
  }

  private static func quoted(_ text: String) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return String(decoding: try encoder.encode(text), as: UTF8.self)
  }
}
