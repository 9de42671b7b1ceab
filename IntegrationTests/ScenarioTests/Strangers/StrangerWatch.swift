import Foundation
import WireFormat

/// A list that says why it is not shown, or a defect.
enum StrangerOutcome {
  /// The list is the one that the shell reads.
  case equal
  /// The list says why it cannot be shown.
  case saidWhyNot(String)
  /// The list is wrong, or the program broke a promise.
  case defect(String)
}

/// A running `live-list watch` over a table of a stranger's database.
struct StrangerWatch {
  let table: String
  let sort: String?
  let section: String?
  let limit: Int?
  private let watch: RunningProgram
  private let arguments: [String]
  private var replay = WireReplay()
  /// The columns that the list began with.
  private var columns: [String] = []
  /// The primary key that the table began with; it may have lost it since.
  private let key: [String]
  private var hasStarted = false
  private var lines: [String] = []
  /// The memory and the descriptors soon after the start.
  private var beginning: Usage?

  struct Usage {
    var kilobytes: Int
    var descriptors: Int
  }

  init(
    _ table: StrangerTable,
    sort: String?,
    section: String?,
    limit: Int?,
    addsLog: Bool,
    _ run: ProgramRun,
    folder: String
  ) throws {
    self.table = table.name
    self.sort = sort
    self.section = section
    self.limit = limit
    // A column without a name, which SQLite permits, is not shown.
    columns = table.columns.map(\.name).filter { !$0.isEmpty }
    key = table.columns.filter { $0.keyPosition > 0 }
      .sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
    arguments =
      ["watch", "--format", "jsonl"] + (sort.map { ["--sort", $0] } ?? [])
      + (section.map { ["--section-by", $0] } ?? []) + (limit.map { ["--limit", "\($0)"] } ?? [])
      + (addsLog ? ["--log"] : []) + ["--", "d.db", table.name]
    watch = try RunningProgram(
      "live-list",
      arguments,
      environment: run.environment,
      folder: folder
    )
  }

  /// The command, for a script that repeats a failure.
  var command: String { "live-list \(arguments.map(\.quotedText).joined(separator: " ")) &" }

  /// Waits until the list is the one that the shell reads, or until it says why not.
  /// - Parameters:
  ///   - naive: The table as it is; `nil` if it cannot be read.
  ///   - failure: Why it cannot be read, if the shell said so.
  ///   - seconds: The longest time to wait.
  /// - Returns: How the list compares.
  mutating func settle(
    on naive: NaiveTable?,
    or failure: String?,
    within seconds: Double = 30
  ) -> StrangerOutcome {
    // A log is added to all tables that foreign keys connect: a thousand triggers for many tables.
    let seconds = hasStarted ? seconds : 4 * seconds
    let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
    var difference = "nothing was shown"
    while true {
      while let line = watch.lineIfAny(within: 0) {
        lines.append(line.count > 4000 ? "\(line.prefix(4000))…" : line)
        if lines.count > 12 { lines.removeFirst() }
        do { try replay.apply(line: line) } catch {
          return .defect("a line does not fit (\(error)): \(line.prefix(500))")
        }
      }
      if replay.list != nil {
        hasStarted = true
        if let naive {
          guard let wrong = self.difference(from: naive) else { return .equal }
          difference = wrong
        } else {
          difference = "the shell cannot read the table: \(failure ?? "there is none of that name")"
        }
      }
      if watch.hasEndedOutput { return end() }
      if let failure = replay.failure {
        // The list may follow at once.
        if ContinuousClock.now.advanced(by: .seconds(seconds - 1)) > deadline {
          return judged(failure)
        }
      }
      guard ContinuousClock.now < deadline else { break }
      if let line = watch.lineIfAny(within: 0.05) {
        lines.append(line.count > 4000 ? "\(line.prefix(4000))…" : line)
        do { try replay.apply(line: line) } catch {
          return .defect("a line does not fit (\(error)): \(line.prefix(500))")
        }
      }
    }
    if let failure = replay.failure { return judged(failure) }
    return .defect("\(difference); the last lines:\n\(lines.suffix(3).joined(separator: "\n"))")
  }

  private mutating func end() -> StrangerOutcome {
    do {
      let result = try watch.finish(within: 10)
      guard [65, 66, 69, 75].contains(result.status) || result.status == 64 && !hasStarted else {
        return .defect("the watch ended with status \(result.status): \(result.errors)")
      }
      return judged(result.errors)
    } catch {
      return .defect("\(error)")
    }
  }

  private func judged(_ reason: String) -> StrangerOutcome {
    let vague = ["unexpected", "Please report", "Fatal", "trap"]
    guard !vague.contains(where: reason.contains), !reason.isEmpty else {
      return .defect("a reason that says nothing: \(reason)")
    }
    return .saidWhyNot(reason)
  }

  // MARK: - Comparing

  private func difference(from naive: NaiveTable) -> String? {
    guard let list = replay.list else { return "there is no list" }
    guard let orders = naive.expected(columns, key: key, sortedBy: sort ?? section) else {
      return "a column of the list has gone"
    }
    let rows = list.sections.flatMap(\.rows)
    let single = key.count == 1 ? key.first : nil
    guard Set(rows.compactMap { $0["id"] }).count == rows.count else {
      return "two rows have one identity"
    }
    var first: String?
    for order in orders {
      guard let wrong = difference(of: rows, from: order, key: single) else { return nil }
      first = first ?? wrong
    }
    return first
  }

  private func difference(
    of rows: [JSONValue],
    from order: NaiveTable.Expected,
    key: String?
  ) -> String? {
    var expected = order.rows
    guard rows.count == min(limit ?? .max, expected.count) else {
      return "\(rows.count) rows, and not \(min(limit ?? .max, expected.count))"
    }
    for (number, row) in rows.enumerated() {
      guard order.isOrdered else {
        guard let match = expected.firstIndex(where: { mismatch(row, $0, key) == nil }) else {
          return "row \(number), \(row.text.prefix(500)), is none of the shell's"
        }
        expected.remove(at: match)
        continue
      }
      if let column = mismatch(row, expected[number], key) {
        return
          "row \(number) is \(row.text.prefix(500)); in the column \(column) of \(columns) the shell reads \("\(expected[number])".prefix(500))"
      }
    }
    return nil
  }

  /// The name of the member for a column: `id` is the key's.
  private func written(_ name: String) -> String {
    guard name.utf8.elementsEqual("id".utf8) else { return name }
    var free = name + "_"
    while columns.contains(where: { $0.utf8.elementsEqual(free.utf8) }) { free += "_" }
    return free
  }

  /// The first column whose value is another one.
  private func mismatch(_ row: JSONValue, _ values: [NaiveValue], _ key: String?) -> String? {
    for (name, value) in zip(columns, values) {
      // A row's `id` is its key, whatever its columns are called; a key of one column that is no integer is a list of one.
      let id = row["id"]
      if name != key {
        guard let shown = row[written(name)], value.equals(shown) else { return name }
      } else {
        // Where the key has nulls or a collation, the row's number identifies the row, and the key is a column like the others.
        let own = name == "id" ? row[written(name)] : row[name]
        guard let shown = own ?? id else { return name }
        guard
          value.equals(shown)
            || shown.array?.count == 1 && shown.array?.allSatisfy(value.equals) == true
        else { return name }
      }
    }
    return nil
  }

  // MARK: - Growth

  /// What grew beyond its bound, or `nil`.
  mutating func growth() -> String? {
    guard !watch.hasEndedOutput, let usage = usage() else { return nil }
    guard let beginning else {
      self.beginning = usage
      return nil
    }
    if usage.kilobytes > max(beginning.kilobytes, 40_000) + 60_000 {
      return "the memory of the watch grew from \(beginning.kilobytes) to \(usage.kilobytes) KB"
    }
    if usage.descriptors > beginning.descriptors + 6 {
      return
        "the descriptors of the watch grew from \(beginning.descriptors) to \(usage.descriptors)"
    }
    return nil
  }

  private func usage() -> Usage? {
    let folder = "/proc/\(watch.identifier)"
    guard let status = try? String(contentsOfFile: "\(folder)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS") }),
      let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
      let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd")
    else { return nil }
    return Usage(kilobytes: kilobytes, descriptors: descriptors.count)
  }
}
