package import ResultsDomain
package import ResultsPresentation
import ResultsStoreKit

/// Prints a list and its changes in words, one line each: for the stories of programs.
///
/// It checks every change before it prints it: the delta, applied to the list before, must give the list after.
package struct ResultsNarrator<Object: FetchedObject> {
  private let controller: FetchedResultsController<Object>
  private var events: ResultsChanges<Object>.AsyncIterator
  private var generation: Int
  private let text: (Object) -> String
  private let print: (String) throws -> Void

  /// A narrator of a controller that has fetched.
  ///
  /// - Parameters:
  ///   - controller: The list.
  ///   - text: Returns the text of an object.
  ///   - print: Takes each line.
  package init(
    _ controller: FetchedResultsController<Object>,
    text: @escaping (Object) -> String,
    print: @escaping (String) throws -> Void
  ) async {
    self.controller = controller
    self.text = text
    self.print = print
    events = controller.changes.makeAsyncIterator()
    // The stream begins with a snapshot; the changes to print come after it.
    if case .snapshot(let results) = await events.next() {
      generation = results.generation
    } else {
      generation = 0
    }
  }

  /// Prints the current list.
  /// - Throws: `ResultsError`, or what the closure throws.
  package func printList() throws {
    let results = try controller.results
    if results.count == 0 { try print("     (no rows, \(results.sections.count) sections)") }
    for section in results.sections where section.count > 0 {
      if results.isSectioned {
        try print("     \(name(section.header))  (\(section.count))\(words(section.aggregates))")
      }
      for row in section { try print("       \(row.path) \(text(try row.object))") }
    }
    try print("")
  }

  /// Prints the changes since the last call, by every writer.
  /// - Throws: `StoreError`, `DeltaError` if a delta does not produce the next list, or what the closure throws.
  package mutating func printChanges() async throws {
    try await controller.refresh()
    let latest = try controller.results.generation
    guard latest > generation else {
      try print("     (no change)\n")
      return
    }
    while generation < latest, let event = await events.next() {
      switch event {
      case .snapshot(let results): generation = max(generation, results.generation)
      case .change(let change):
        generation = change.after.generation
        try change.delta.verify(
          from: change.before.snapshot.content,
          to: change.after.snapshot.content
        )
        try printChange(change)
      case .reset(let reason, let results):
        generation = results.generation
        try print("     ! the list was reset: \(reason)")
      case .failure(let failure): try print("     ! \(failure)")
      }
    }
    try print("")
  }

  private func printChange(_ change: ResultsChange<Object>) throws {
    let delta = change.delta
    for section in delta.sections.deletes {
      try print("     - section \(section.from) \(name(section.old)) deleted")
    }
    for section in delta.sections.moves {
      let aggregates = words(section.new.aggregates)
      try print(
        "     → section \(name(section.new)) moved from \(section.from) to \(section.to)\(aggregates)"
      )
    }
    for section in delta.sections.inserts {
      let aggregates = words(section.new.aggregates)
      try print("     + section \(section.to) \(name(section.new)) inserted\(aggregates)")
    }
    for section in delta.sections.updates {
      let (old, new) = (name(section.old), name(section.new))
      let title = old.utf8.elementsEqual(new.utf8) ? "changed" : "is now \(new)"
      try print("     ~ section \(section.to) \(old) \(title)\(words(section.new.aggregates))")
    }
    for row in delta.rows.deletes { try print("     - \(row.from.path) \(words(row.old, row.id))") }
    for row in delta.rows.moves {
      let content = row.contentChanged ? ", content changed" : ""
      try print("     → \(row.from.path) to \(row.to.path) \(words(row.new, row.id))\(content)")
    }
    for row in delta.rows.inserts { try print("     + \(row.to.path) \(words(row.new, row.id))") }
    for row in delta.rows.updates {
      let names = row.changed?.names(in: change.after.snapshot.entity).joined(separator: ", ")
      try print("     ~ \(row.to.path) \(words(row.new, row.id)), changed: \(names ?? "unknown")")
    }
  }

  private func name(_ header: SectionHeader) -> String {
    header.title.isEmpty ? "(none)" : header.title
  }

  private func words(_ aggregates: SectionAggregates) -> String {
    aggregates.isEmpty ? "" : "  \(aggregates)"
  }

  private func words(_ row: Row?, _ id: ObjectID) -> String {
    guard let row, let object = try? Object(row: row) else { return id.description }
    return text(object)
  }
}
