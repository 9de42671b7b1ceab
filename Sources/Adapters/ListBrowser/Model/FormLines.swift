/// The text of a form for an editor: one line `name: value` for each field.
///
/// Lines that begin with `#` are remarks. A line that begins with two spaces continues the value above it. A field without a line
/// stays as it is.
enum FormLines {
  /// Returns the text for an editor.
  static func text(of entries: [FormEntry], _ fields: [FormField], title: String) -> String {
    var lines = ["# \(title)", "# One line for each value; no text is no value."]
    for entry in entries {
      let name = fields[entry.field].name
      guard !entry.isVarious else {
        lines.append("# \(name): the rows have several values")
        continue
      }
      // By scalars: a mark at the beginning of a value would be one character with the space before it.
      let parts = entry.text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        .map { String($0) }
      lines.append("\(name):" + (entry.text.isEmpty ? "" : " \(parts[0])"))
      lines += parts.dropFirst().map { "  \($0)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Puts the values of a text into the fields.
  /// - Returns: What cannot be read, line by line; the values of other lines are taken all the same.
  static func read(
    _ text: String,
    into entries: inout [FormEntry],
    _ fields: [FormField]
  ) -> [String] {
    var problems: [String] = []
    // Of many only the number is of interest.
    func report(_ problem: @autoclosure () -> String) {
      problems.append(problems.count < 100 ? problem() : "")
    }
    let known = entries.map { fields[$0.field].name }.joined(separator: ", ")
    var values: [Int: String] = [:]
    var present: Int?
    // Editors may remove the spaces of an empty line within a value.
    var emptyLines = 0
    for (number, line) in lines(of: text).enumerated() {
      if let present, line.starts(with: "  ".unicodeScalars) {
        let breaks = String(repeating: "\n", count: emptyLines + 1)
        values[present, default: ""] += breaks + String(line.dropFirst(2))
        emptyLines = 0
        continue
      }
      if line.allSatisfy({ $0 == " " }) {
        emptyLines += 1
        continue
      }
      emptyLines = 0
      if line.first == "#" { continue }
      present = nil
      guard let colon = line.firstIndex(of: ":") else {
        report("Line \(number + 1) is not “name: value”: “\(excerpt(line))”.")
        continue
      }
      let name = excerpt(line[..<colon])
      guard let index = entries.firstIndex(where: { isName(name, of: $0, fields) }) else {
        report("Line \(number + 1): there is no field “\(name)”. The fields are \(known).")
        continue
      }
      guard values[index] == nil else {
        report("Line \(number + 1) gives \(name) again.")
        continue
      }
      let value = line[line.index(after: colon)...]
      values[index] = String(value.first == " " ? value.dropFirst() : value)
      present = index
    }
    for (index, value) in values where !value.utf8.elementsEqual(entries[index].text.utf8) {
      entries[index].replace(with: value)
    }
    // A value given for rows that have several is a wish even if it is empty.
    for (index, value) in values where entries[index].isVarious {
      entries[index].replace(with: value)
    }
    return problems
  }

  /// The beginning of a line, as messages quote it; no field has a longer name.
  private static func excerpt(_ line: Substring.UnicodeScalarView) -> String {
    line.prefix(81).count > 80 ? String(line.prefix(80)) + "…" : String(line)
  }

  /// Returns the first of many problems, and the number of the others.
  static func summary(_ problems: [String]) -> String {
    let others = problems.count - 5
    return problems.prefix(5).joined(separator: " ")
      + (others > 0 ? " And \(BrowserView.grouped(others)) more." : "")
  }

  private static func isName(_ name: String, of entry: FormEntry, _ fields: [FormField]) -> Bool {
    fields[entry.field].name.utf8.elementsEqual(name.utf8)
  }

  private static func lines(of text: String) -> [Substring.UnicodeScalarView] {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    // Some editors end every line with a return as well.
    guard lines.allSatisfy({ $0.last == "\r" }) else { return lines }
    return lines.map { $0.dropLast() }
  }
}
