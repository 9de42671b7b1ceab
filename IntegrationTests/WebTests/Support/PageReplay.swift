#if Web
import ResultsStoreKit
import WireFormat

/// The window that a page shows, from the lines of its stream: the twin of `replay.js`.
///
/// A line that does not fit changes nothing; a page would ask for its window again.
struct PageReplay {
  /// A row as a page shows it.
  struct Row: Hashable {
    var id: String
    var cells: [String]
  }

  private(set) var position = ""
  private(set) var count = 0
  private(set) var matching = 0
  private(set) var isSectioned = true
  /// The number of rows of each section.
  private(set) var counts: [Int] = []
  /// The titles of the sections that are known, by their indexes.
  private(set) var titles: [Int: String] = [:]
  /// The first position of the window.
  private(set) var start = 0
  /// The rows of the window, as far as the list reaches.
  private(set) var rows: [Row?] = []

  /// Whether the window shows what a list has there, and the sections are those of that list.
  func shows(_ list: ListedRows) -> Bool {
    let window = list.rows.dropFirst(start).prefix(max(rows.count, 1))
    return count == list.rows.count && rows.map(\.?.id) == window.map(\.id)
      && rows.map(\.?.cells) == window.map(\.cells)
      && (!isSectioned || counts == list.sections.map(\.count))
      && titles.allSatisfy { index, title in
        !isSectioned || list.sections.indices.contains(index) && list.sections[index].title == title
      }
  }

  /// Applies a line.
  /// - Returns: Whether it fits.
  mutating func apply(_ line: JSONValue) -> Bool {
    var next = self
    let fits =
      switch line["t"]?.string {
      case "page": next.applyPage(line)
      case "delta": next.applyDelta(line)
      default: false
      }
    if fits { self = next }
    return fits
  }

  private mutating func applyPage(_ line: JSONValue) -> Bool {
    guard let position = line["position"]?.string, let count = line["rows"]?.integer,
      let start = line["from"]?.integer, let page = line["page"]?.array, start >= 0,
      start + page.count <= count
    else { return false }
    if let counts = line["counts"]?.integers {
      (self.counts, titles) = (counts, [:])
    } else if position != self.position {
      return false
    }
    (self.position, self.count, self.start) = (position, count, start)
    matching = line["matching"]?.integer ?? count
    isSectioned = line["sectioned"] == .boolean(true)
    rows = page.map(Row.init)
    addRunning(line)
    addTitles(line)
    return true
  }

  private mutating func addRunning(_ line: JSONValue) {
    guard let cell = line["running"]?["cell"]?.integer,
      let texts = line["running"]?["texts"]?.array
    else { return }
    for index in rows.indices where rows[index] != nil {
      rows[index]?.cells[cell] = texts.indices.contains(index) ? texts[index].string ?? "" : ""
    }
  }

  private mutating func addTitles(_ line: JSONValue) {
    for header in line["headers"]?.array ?? [] {
      guard let header = header.array, header.count == 2, let index = header[0].integer else {
        continue
      }
      titles[index] = header[1]["title"]?.string
    }
  }

  private mutating func applyDelta(_ line: JSONValue) -> Bool {
    guard line["from"]?.string == position, let next = line["to"]?.string,
      let after = line["rows"]?.integer, let old = line["window"]?["from"]?.integers,
      old.count == 2,
      let new = line["window"]?["to"]?.integers, new.count == 2, old[0] == start || rows.isEmpty,
      min(old[1], count) == start + rows.count || rows.isEmpty, applySections(line)
    else { return false }
    let window = new[0]..<max(new[0], min(new[1], after))
    guard applyRows(line, window) else { return false }
    addRunning(line)
    (position, count, start) = (next, after, new[0])
    matching = line["matching"]?.integer ?? count
    addTitles(line)
    return !isSectioned || counts.reduce(0, +) == count
  }

  private mutating func applySections(_ line: JSONValue) -> Bool {
    let changes = line["sections"]?.array ?? []
    let deleted = Set(
      changes.compactMap { $0["op"]?.string == "delete" ? $0["from"]?.integer : nil }
    )
    let inserted = changes.compactMap { $0["op"]?.string == "insert" ? $0["to"]?.integer : nil }
    guard deleted.allSatisfy(counts.indices.contains) else { return false }
    var origins: [Int?] = counts.indices.filter { !deleted.contains($0) }
    for index in inserted {
      guard index <= origins.count else { return false }
      origins.insert(nil, at: index)
    }
    let before = (counts: counts, titles: titles)
    counts = origins.map { $0.map { before.counts[$0] } ?? 0 }
    titles = [:]
    for (index, origin) in origins.enumerated() {
      titles[index] = origin.flatMap { before.titles[$0] }
    }
    for pair in line["counts"]?.array ?? [] {
      guard let pair = pair.integers, pair.count == 2, counts.indices.contains(pair[0]) else {
        return false
      }
      counts[pair[0]] = pair[1]
    }
    return true
  }

  private mutating func applyRows(_ line: JSONValue, _ window: Range<Int>) -> Bool {
    var removed: Set<Int> = []
    for pair in line["remove"]?.array ?? [] {
      guard let pair = pair.array, pair.count == 2, let index = pair[0].integer.map({ $0 - start }),
        rows.indices.contains(index), rows[index].map({ $0.id == pair[1].string }) ?? true
      else { return false }
      removed.insert(index)
    }
    var stayed = rows.indices.filter { !removed.contains($0) }.map { rows[$0] }[...]
    var result = [Row??](repeating: nil, count: window.count)
    for arrival in line["arrive"]?.array ?? [] {
      guard let arrival = arrival.array, arrival.count == 3,
        let index = arrival[0].integer.map({ $0 - window.lowerBound }),
        result.indices.contains(index), result[index] == nil
      else { return false }
      result[index] = .some(Row(arrival[2]))
    }
    for index in result.indices where result[index] == nil {
      guard let row = stayed.popFirst() else { return false }
      result[index] = .some(row)
    }
    var shown = result.map { $0 ?? nil }
    for pair in line["update"]?.array ?? [] {
      guard let pair = pair.array, pair.count == 2,
        let index = pair[0].integer.map({ $0 - window.lowerBound }), shown.indices.contains(index)
      else { return false }
      shown[index] = Row(pair[1])
    }
    rows = shown
    return true
  }
}

extension PageReplay.Row {
  /// A row of a line, or `nil` for one that the server could not read.
  fileprivate init?(_ json: JSONValue) {
    guard let id = json["id"]?.string, let cells = json["cells"]?.array?.compactMap(\.string) else {
      return nil
    }
    self.init(id: id, cells: cells)
  }
}

extension JSONValue {
  /// The numbers, if this is an array of integers.
  var integers: [Int]? {
    guard let values = array?.map(\.integer), !values.contains(nil) else { return nil }
    return values.compactMap(\.self)
  }
}

/// What `list --format json` prints of books, in the form in which a page shows it.
struct ListedRows {
  /// A section: its title, and the number of its rows.
  struct Section: Hashable {
    var title: String
    var count: Int
  }

  let sections: [Section]
  let rows: [PageReplay.Row]

  /// Reads the line that the verb printed, with the attributes of the columns.
  init(_ line: String, columns: [String] = ["title", "author.name", "year"]) throws {
    let json = try JSONValue(parsing: line.trimmingSuffix { $0.isNewline })
    var (sections, rows): ([Section], [PageReplay.Row]) = ([], [])
    for section in json["sections"]?.array ?? [] {
      let listed = section["rows"]?.array ?? []
      sections.append(Section(title: section["title"]?.string ?? "", count: listed.count))
      rows += listed.map { row in
        PageReplay.Row(
          id: row["id"]?.integer.map(String.init) ?? row["id"]?.string ?? "",
          cells: columns.map { row[$0]?.string ?? row[$0]?.integer.map(String.init) ?? "" }
        )
      }
    }
    (self.sections, self.rows) = (sections, rows)
  }
}

extension String {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
    var text = self[...]
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return String(text)
  }
}
#endif
