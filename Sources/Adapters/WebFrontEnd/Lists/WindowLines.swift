#if Web
import ListBrowser
import ResultsDomain
import ResultsPresentation
import WireFormat

/// Writes lists and their changes as the lines that a page's stream carries: rows as display texts, positions counted over all sections.
struct WindowLines: Sendable {
  let setup: BrowserSetup

  init(_ setup: BrowserSetup) { self.setup = setup }

  /// The number of sections up to which their lengths are sent.
  static let mostSections = 200_000

  /// Returns the line of a window that is shown whole.
  /// - Parameters:
  ///   - list: The list.
  ///   - window: The window, within the list.
  ///   - rows: The window's rows; `nil` for one that cannot be read.
  ///   - running: The texts of the running column in the window, or `nil` without one.
  ///   - hasCounts: Whether the page knows the lengths of the list's sections already.
  ///   - reason: Why a change is not sent in its place, or `nil`.
  ///   - position: The position of the row that the page asked for, or `nil`.
  /// - Returns: The line, without a line feed.
  /// - Complexity: O(*s* + *w*) for *s* sections and a window of *w* rows.
  func page(
    of list: ResultsList<Row>,
    _ window: Range<Int>,
    _ rows: [Row?],
    running: [String]? = nil,
    hasCounts: Bool,
    reason: String? = nil,
    at position: Int? = nil
  ) -> String {
    let snapshot = list.snapshot
    let counts =
      hasCounts
      ? nil
      : JSONValue.array(
        (0..<snapshot.sectionCount).map { .integer(snapshot.rowCount(inSection: $0) ?? 0) }
      )
    return JSONValue.members([
      "t": .string("page"), "position": .string("\(list.position)"), "rows": .integer(list.count),
      "matching": .integer(list.matchingCount), "sectioned": .boolean(list.isSectioned),
      "counts": counts, "headers": headers(of: list, window), "from": .integer(window.lowerBound),
      "page": .array(rows.map { row in row.map(self.row) ?? .null }),
      "running": running.flatMap(self.running),
      "at": position.map { .integer($0) }, "reason": reason.map { .string($0) },
    ])
    .text
  }

  /// Returns the line of the first rows of a list that is still being counted.
  /// - Parameters:
  ///   - rows: The rows.
  ///   - count: The approximate number of all rows, if it is known.
  /// - Returns: The line, without a line feed.
  func first(_ rows: [Row], about count: Int?) -> String {
    JSONValue.members([
      "about": count.map { .integer($0) } ?? .null, "page": .array(rows.map(row)),
    ])
    .text
  }

  /// Returns the line of a change of a window.
  /// - Parameters:
  ///   - change: The change of the list.
  ///   - window: What it does to the window.
  ///   - rows: The rows at the window's `positionsToRead`, in that order; `nil` for one that cannot be read.
  ///   - running: The texts of the running column in the window after the change, or `nil` without one.
  /// - Returns: The line, without a line feed.
  /// - Complexity: O(*c* log *s* + *w*) for *c* changes, *s* sections and a window of *w* rows.
  func delta(
    _ change: ResultsChange<Row>,
    _ window: WindowChange,
    _ rows: [Row?],
    running: [String]? = nil
  ) -> String {
    let (delta, after) = (change.delta, change.after)
    let read = Dictionary(zip(window.positionsToRead, rows)) { first, _ in first }
    func row(_ position: Int) -> JSONValue { (read[position] ?? nil).map(self.row) ?? .null }
    let hasHeaders =
      !delta.sections.isEmpty || !delta.groups.isEmpty || !window.arrived.isEmpty
    return JSONValue.members([
      "t": .string("delta"), "from": .string("\(change.before.position)"),
      "to": .string("\(after.position)"), "cause": .string(delta.cause.rawValue),
      "rows": .integer(after.count), "matching": .integer(after.matchingCount),
      "sections": sections(delta.sections),
      "counts": counts(change),
      "headers": hasHeaders ? headers(of: after, window.newRows) : .array([]),
      "window": .members([
        "from": range(window.oldRows), "to": range(window.newRows),
      ]),
      "above": counts(window.above), "below": counts(window.below),
      "remove": .array(
        window.removed.map {
          .array([.integer($0.position), .string(RowName.text(of: $0.id.key))])
        }
      ),
      "arrive": .array(
        window.arrived.map {
          .array([.integer($0.position), .string($0.kind.rawValue), row($0.position)])
        }
      ),
      "update": .array(window.updated.map { .array([.integer($0), row($0)]) }),
      "running": running.flatMap(self.running),
    ])
    .text
  }

  // MARK: - Parts

  /// The column of running values and its texts in the window: a change of one row changes those of many, which are then no updates.
  private func running(_ texts: [String]) -> JSONValue? {
    setup.running.map { column in
      .members([
        "cell": .integer(column.index), "texts": .array(texts.map { .string($0) }),
      ])
    }
  }

  private func row(_ row: Row) -> JSONValue {
    .members([
      "id": .string(RowName.text(of: row.id.key)),
      "cells": .array(setup.columns.map { .string(WindowLines.bounded($0.text(row))) }),
      "dim": setup.isDimmed(row) ? .boolean(true) : nil,
    ])
  }

  /// The beginning of a text that is longer than any page shows in a line.
  static func bounded(_ text: String, atMost most: Int = 2048) -> String {
    guard text.utf8.count > most else { return text }
    return String(text.unicodeScalars.prefix(most / 4)) + "…"
  }

  /// The headers of the sections that a window touches, with their indexes.
  private func headers(of list: ResultsList<Row>, _ window: Range<Int>) -> JSONValue {
    let snapshot = list.snapshot
    guard list.isSectioned else { return .array([]) }
    var first = snapshot.path(ofFlatPosition: window.lowerBound)?.section ?? 0
    var last = snapshot.path(ofFlatPosition: window.upperBound - 1)?.section ?? first - 1
    // Sections without rows are beside those with rows; a window at an end of the list shows them too.
    let most = WindowLines.mostEmptySections
    while first > 0, snapshot.rowCount(inSection: first - 1) == 0, last - first < most {
      first -= 1
    }
    while snapshot.rowCount(inSection: last + 1) == 0, last - first < most { last += 1 }
    guard first <= last else { return .array([]) }
    return .array(
      (first...last).compactMap { index in
        snapshot.header(ofSection: index).map { header in
          .array([.integer(index), self.header(header, group(beginningAt: index, snapshot))])
        }
      }
    )
  }

  /// The header of the group whose first section one is, or `nil` for any other section (R11).
  private func group(beginningAt section: Int, _ snapshot: ResultsSnapshot) -> JSONValue? {
    guard let group = snapshot.group(ofSection: section),
      snapshot.sections(ofGroup: group)?.lowerBound == section,
      let header = snapshot.header(ofGroup: group)
    else { return nil }
    return .members([
      "title": .string(WindowLines.bounded(header.title)), "rows": .integer(header.rowCount),
      "aggregates": .string(header.aggregates.isEmpty ? "" : setup.aggregates(header.aggregates)),
    ])
  }

  /// The most sections without rows whose headers are sent beside a window.
  private static let mostEmptySections = 200

  private func header(_ header: SectionHeader, _ group: JSONValue?) -> JSONValue {
    .members([
      "id": .string(WindowLines.name(of: header.id)),
      "title": .string(WindowLines.bounded(header.title)),
      "aggregates": .string(header.aggregates.isEmpty ? "" : setup.aggregates(header.aggregates)),
      "total": header.matchingCount.map { .integer($0) },
      "group": group,
    ])
  }

  /// The identity of a section as the page knows it.
  private static func name(of id: SectionID) -> String {
    guard case .text(let text) = Value.list([id.value, .integer(Int64(id.occurrence))]) else {
      return ""
    }
    return text
  }

  private func sections(_ changes: SectionChanges) -> JSONValue {
    .array(
      changes.deletes.map { .members(["op": .string("delete"), "from": .integer($0.from)]) }
        + changes.inserts.map { .members(["op": .string("insert"), "to": .integer($0.to)]) }
        + changes.updates.map { .members(["op": .string("update"), "to": .integer($0.to)]) }
    )
  }

  /// The lengths of the sections that are new or whose length may have changed, by their indexes after.
  private func counts(_ change: ResultsChange<Row>) -> JSONValue {
    let (rows, sections) = (change.delta.rows, change.delta.sections)
    let shift = SectionShift(sections)
    var indexes = Set(sections.inserts.map(\.to))
    indexes.formUnion(rows.inserts.map(\.to.section))
    indexes.formUnion(rows.moves.map(\.to.section))
    for path in rows.deletes.map(\.from) + rows.moves.map(\.from) {
      if let index = shift.newIndex(of: path.section) { indexes.insert(index) }
    }
    let after = change.after.snapshot
    return .array(
      indexes.sorted().compactMap { index in
        after.rowCount(inSection: index).map { .array([.integer(index), .integer($0)]) }
      }
    )
  }

  private func counts(_ counts: UnobservedChanges.Counts) -> JSONValue {
    .members([
      "delete": .integer(counts.removed), "insert": .integer(counts.inserted),
      "change": .integer(counts.changed),
    ])
  }

  private func range(_ range: Range<Int>) -> JSONValue {
    .array([.integer(range.lowerBound), .integer(range.upperBound)])
  }
}

/// Where sections are after a change that moves none.
private struct SectionShift {
  private let deleted: [Int]
  private let inserted: [Int]

  init(_ changes: SectionChanges) {
    deleted = changes.deletes.map(\.from).sorted()
    inserted = changes.inserts.map(\.to)
  }

  /// Returns the index after, or `nil` if the section is deleted.
  func newIndex(of old: Int) -> Int? {
    let removed = deleted.prefix { $0 < old }.count
    guard !deleted.contains(old) else { return nil }
    var index = old - removed
    for position in inserted {
      guard position <= index else { break }
      index += 1
    }
    return index
  }
}
#endif
