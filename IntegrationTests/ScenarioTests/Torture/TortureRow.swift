import ResultsDomain
import ResultsPresentation
import StudentRoster
import WireFormat

/// A row of the tortured table, as a list or the table itself has it.
struct TortureRow: Hashable, Sendable {
  let id: Int
  let number: Int
  let name: String
  let age: Int

  /// A row, `id|studentId|studentName|studentAge`, as the SQLite shell prints it; `nil` for another line.
  init?(_ line: Substring) {
    let parts = line.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 4, let id = Int(parts[0]), let number = Int(parts[1]),
      let age = Int(parts[3])
    else { return nil }
    (self.id, self.number, self.name, self.age) = (id, number, String(parts[2]), age)
  }

  /// A row of the wire form; `nil` for another value.
  init?(_ json: JSONValue) {
    guard let id = json["id"]?.integer, let number = json["studentId"]?.integer,
      let name = json["studentName"]?.string, let age = json["studentAge"]?.integer
    else { return nil }
    (self.id, self.number, self.name, self.age) = (id, number, name, age)
  }
}

/// A list as sections of rows; lists of one definition are compared in this form.
struct TortureList: Hashable, Sendable {
  struct Section: Hashable, Sendable {
    let age: Int?
    let rows: [TortureRow]
  }

  var sections: [Section]

  init(_ sections: [Section]) { self.sections = sections }

  /// What a stream of lines has led to.
  init(_ replay: WireReplay) throws(Torn) {
    sections = []
    for section in replay.list?.sections ?? [] {
      var rows: [TortureRow] = []
      rows.reserveCapacity(section.rows.count)
      for json in section.rows {
        guard let row = TortureRow(json) else { throw Torn(what: "a row is \(json.text)") }
        rows.append(row)
      }
      sections.append(Section(age: section.id.integer, rows: rows))
    }
  }

  /// Where two lists differ first, for a message.
  func difference(from other: TortureList) -> String {
    for (place, (mine, theirs)) in zip(sections, other.sections).enumerated() where mine != theirs {
      guard mine.age == theirs.age else {
        return "section \(place): \(mine.age ?? -1), not \(theirs.age ?? -1)"
      }
      for (row, pair) in zip(mine.rows, theirs.rows).enumerated() where pair.0 != pair.1 {
        return "row \(place).\(row): \(pair.0), not \(pair.1)"
      }
      return "section \(place): \(mine.rows.count) rows, not \(theirs.rows.count)"
    }
    return "\(sections.count) sections, not \(other.sections.count)"
  }
}

/// A state that no commit made.
struct Torn: Error, CustomStringConvertible {
  let what: String
  var description: String { what }
}
