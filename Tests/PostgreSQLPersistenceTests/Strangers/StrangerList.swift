#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Synchronization
import WireFormat

@testable import PostgreSQLPersistence

/// The rows of a table, read without a store: each value as text, in the order of the key.
struct NaiveRows: Equatable {
  let rows: [[String]]

  /// Reads a table; the columns of the key come first.
  ///
  /// A column may have got a type that cannot be read as before: where all its values are null, a list goes on.
  init(_ table: StrangerTable, on connection: Connection) throws {
    let columns = table.key + table.columns
    func read(_ fields: [String]) throws -> QueryResult {
      try connection.runOnce(
        "SELECT \(fields.joined(separator: ", ")) FROM \(table.name.quotedName)"
      )
    }
    let result: QueryResult
    do {
      result = try read(columns.map(\.reading))
    } catch {
      let fields = try columns.map { column in
        let name = "\(table.name.quotedName).\(column.name.quotedName)"
        let count = try read(["count(\(name))"]).integer(0, 0)
        return count == 0 ? "NULL" : column.reading
      }
      result = try read(fields)
    }
    var rows: [[String]] = []
    for row in 0..<result.count {
      var values: [String] = []
      for (index, column) in columns.enumerated() {
        values.append(
          result.isNull(row, index) ? "null" : NaiveRows.text(result.text(row, index), column.kind)
        )
      }
      rows.append(values)
    }
    self.rows = rows.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The rows of a list in the same form; the order of the list is checked by itself.
  init(_ list: [Row], of table: StrangerTable) {
    let columns = table.key + table.columns
    rows = list.map { row in
      let parts = row.id.key.parts
      let hasKey = row.values.count == columns.count
      let values = hasKey ? row.values : parts + row.values
      return zip(values, columns).map { NaiveRows.text($0, $1.kind) }
    }
    .sorted { $0.lexicographicallyPrecedes($1) }
  }

  private static func text(_ text: String?, _ kind: StrangerTable.Column.Class) -> String {
    let text = text ?? ""
    return kind == .real ? "r\(Double(text) ?? .nan)" : "v" + text
  }

  private static func text(_ value: Value, _ kind: StrangerTable.Column.Class) -> String {
    switch value {
    case .null: return "null"
    case .integer(let number): return "v\(number)"
    case .real(let number): return "r\(number)"
    case .text(let text): return "v" + text
    case .illFormedText(let text): return "v" + text.repaired
    case .blob(let bytes):
      return "v"
        + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  /// Whether a table has no rows; a table that is gone has none to show, but is not empty.
  static func isEmpty(_ table: StrangerTable, on connection: Connection) -> Bool {
    let text = "SELECT NOT EXISTS (SELECT 1 FROM \(table.name.quotedName))"
    return (try? connection.runOnce(text).boolean(0, 0)) ?? false
  }

  /// The first difference, for a message.
  func difference(from other: NaiveRows) -> String {
    let missing = other.rows.filter { !rows.contains($0) }
    let surplus = rows.filter { !other.rows.contains($0) }
    return
      "\(rows.count) rows, and not \(other.rows.count); missing \(missing.prefix(3)), surplus \(surplus.prefix(3))"
  }
}

/// A list over a table on a server in the test process, each of whose deltas is verified and replayed.
final class StrangerList: Sendable {
  private struct State {
    var content: ResultsContent?
    var replay = WireReplay()
    /// Whether the rows of the last snapshot could not be read, so that the replay lacks it.
    var lacksSnapshot = false
    /// The generation with which the replay began, which can be later than that of the event.
    var beginning = 0
    var defect: String?
    var hasEnded = false
  }

  let table: StrangerTable
  /// How the list is made, for messages.
  let form: String
  private let store: PostgreSQLStore
  private let controller: FetchedResultsController<Row>
  private let encoder: WireEncoder
  private let state = Mutex(State())

  init(_ table: StrangerTable, _ form: String, _ store: PostgreSQLStore, isIndexed: Bool)
    async throws
  {
    self.table = table
    self.form = form
    self.store = store
    let entity = try table.entity()
    encoder = WireEncoder(entity: entity)
    let request = FetchRequest<Row>(
      entity: entity,
      sortedBy: [FetchSortDescriptor(.objectKey, .ascending)]
    )
    controller = FetchedResultsController(
      ResultsDefinition(request),
      in: store,
      options: ResultsOptions(inMemoryKeyLimit: isIndexed ? -1 : .max)
    )
    do {
      try await controller.performFetch()
    } catch {
      try? store.close()
      throw error
    }
    let events = controller.changes
    Task { [weak self] in
      for await event in events { self?.take(event) }
      self?.state.withLock { $0.hasEnded = true }
    }
  }

  /// Ends the list and its store.
  func end() {
    controller.cancel()
    try? store.close()
  }

  private func take(_ event: ResultsEvent<Row>) {
    state.withLock { state in
      do {
        switch event {
        case .snapshot(let results), .reset(_, let results):
          state.content = try results.snapshot.content
          state.lacksSnapshot = true
          try begin(results, &state)
        case .change(let change):
          try change.delta.verify(
            from: change.before.snapshot.content,
            to: change.after.snapshot.content
          )
          state.content = try state.content?.applying(change.delta)
          guard !state.lacksSnapshot else {
            try? begin(change.after, &state)
            return
          }
          guard change.delta.to > state.beginning else { return }
          try state.replay.apply(line: encoder.delta(change.delta))
        case .failure: break
        }
      } catch {
        // A row can be gone when a snapshot is read; the replay begins with later rows then.
        if case .change(let change) = event {
          state.defect = "\(error): \(encoder.delta(change.delta).prefix(1500))"
        }
      }
    }
  }

  /// Begins the replay with the rows of some results.
  private func begin(_ results: ResultsList<Row>, _ state: inout State) throws {
    let sections = try results.sections.map { section in
      WireSection(header: section.header, rows: try section.map { try $0.object })
    }
    try state.replay.apply(line: encoder.snapshot(at: results.position, sections: sections))
    state.lacksSnapshot = false
    state.beginning = results.position.generation
  }

  /// What differs from a naive reading now, or `nil`.
  private func difference(from naive: NaiveRows) throws -> String? {
    guard let rows = try shown() else { return "there is no list" }
    let shown = NaiveRows(rows, of: table)
    guard shown == naive else { return shown.difference(from: naive) }
    let replayed = state.withLock { state in
      // No change may follow that would show rows again.
      if state.lacksSnapshot, let results = controller.state.results {
        try? begin(results, &state)
      }
      return state.replay.list?.sections.flatMap(\.rows).map(\.text) ?? []
    }
    let encoded = rows.map { encoder.row($0) }
    guard replayed == encoded else {
      let wrong = zip(replayed, encoded).first { $0 != $1 }
      return
        "the replayed deltas have \(replayed.count) rows, and not \(encoded.count), and \(wrong.map { "\($0.0), not \($0.1)" } ?? "more or fewer")"
    }
    return nil
  }

  /// All rows as a consumer reads them now; `nil` without a list.
  private func shown() throws -> [Row]? {
    try controller.state.results?.sections.flatMap { section in try section.map { try $0.object } }
  }

  /// Waits until the list is what a naive reading shows, or until it says why not.
  /// - Parameters:
  ///   - naive: The rows, or `nil` if they cannot be read.
  ///   - isEmpty: Whether the table has no rows, so that a column that is gone makes no difference.
  ///   - seconds: How long it waits.
  /// - Returns: What was found.
  /// - Throws: `CancellationError`.
  func settle(
    on naive: NaiveRows?,
    isEmpty: Bool,
    within seconds: Double
  ) async throws -> StrangerOutcome {
    let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
    var last = "the table cannot be read, and the list says nothing"
    while true {
      if let defect = state.withLock({ $0.defect }) { return .defect(defect) }
      if let naive {
        do {
          guard let difference = try difference(from: naive) else { return .equal }
          last = difference
        } catch ResultsError.store(.cannotOpen(let path, let failure)) {
          // A list over an index finds it out with the rows. The naive reading may convert what has got another type.
          return .judged("\(StoreError.cannotOpen(path: path, failure))")
        } catch {
          last = "a row cannot be read: \(error)"
        }
      } else {
        // A list over an index has read no row yet.
        do {
          if try shown()?.isEmpty == true, isEmpty { return .equal }
        } catch {
          return .judged("\(error)")
        }
      }
      if case .failed(let error, _) = controller.state {
        return .judged("\(error)")
      }
      guard ContinuousClock.now < deadline else { return .defect(last) }
      // Changes arrive by themselves; what the list shows is looked at now and then.
      try await Task.sleep(for: .milliseconds(15))
    }
  }
}

/// What a list says after a step.
enum StrangerOutcome {
  case equal
  case saidWhyNot(String)
  case defect(String)

  /// A reason, if it says something.
  static func judged(_ reason: String) -> StrangerOutcome {
    let vague = ["unexpected way", "Please report"].contains { reason.contains($0) }
    return vague || reason.isEmpty
      ? .defect("a reason that says nothing: \(reason)") : .saidWhyNot(reason)
  }
}
#endif
