#if PostgreSQL
/// Measures the goals of a store over PostgreSQL, size by size.
struct ServerRun {
  /// The numbers of the goals, of `docs/performance.md`, “A store over PostgreSQL”.
  static let numbers = Set(1...11)

  let cases: Set<Int>
  /// The largest number of rows.
  let rows: Int
  let runs: Int
  let folder: BenchmarkFolder
  /// Whether databases stay for later runs.
  let keeps: Bool

  private func has(_ goals: Int...) -> Bool { goals.contains { cases.contains($0) } }

  /// Measures all requested goals; small tables come first, for the growth of a change.
  func measure(on server: ServerAddress, into report: inout Report) async throws {
    var changes: [Measurement] = []
    for size in Set([10_000, 1_000_000, rows]).filter({ $0 <= rows }).sorted() {
      let table = try ServerTable(
        rows: size,
        runs: runs,
        isLargest: size == rows,
        on: server,
        keeps: keeps,
        in: folder
      )
      if has(3, 4) {
        let found = try await ServerChanges(table).oneChange()
          .filter { cases.contains($0.goal) }
        report.add(found)
        changes += found.filter { $0.goal == 3 && $0.reference != nil }
      }
      if size == rows || size == 1_000_000 { try await measure(table, into: &report) }
      try table.close()
    }
    guard let first = changes.first, let last = changes.last, first.rows < last.rows,
      let reference = first.value
    else { return }
    var growth = last
    growth.pairedRatio = nil
    report.add([growth.compared(to: reference, "\(first.rows) rows", limit: 2)])
  }

  private func measure(_ table: ServerTable, into report: inout Report) async throws {
    let (opening, changes) = (ServerOpening(table), ServerChanges(table))
    let writers = ServerWriters(table)
    if has(1) { report.add(try await opening.withoutCache()) }
    if has(2) { report.add(try await opening.fromCache()) }
    if has(5) { report.add(try await opening.pages()) }
    if has(6) { report.add(try await changes.manyChanges()) }
    if has(9) { report.add(try await changes.loneCommits()) }
    if has(10) { report.add(try await opening.memory()) }
    if has(11) { report.add(try await changes.manyLists()) }
    guard table.isLargest else { return }
    if has(7) { report.add(try writers.capture()) }
    if has(8) { report.add(try await writers.notifications()) }
  }
}
#endif
