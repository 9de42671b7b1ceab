#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLStoreSupport

@testable import PostgreSQLPersistence

/// Follows a log, and compares at every look what it reconstructs with the tables in the same snapshot, and every old row with the known
/// one.
final class TortureFollower {
  typealias Content = [ObjectID: [Value]]

  /// What a follower found.
  struct Report: Sendable {
    var looks = 0
    var records = 0
    var changes = 0
    var wrongRows = 0
    var wrongLists = 0
    var failures = 0
    var gaps: [GapReason: Int] = [:]
    /// Histories from versions that were seen long ago, and from bookmarks.
    var earlier = 0
    var bookmarks = 0
    var example: String?

    var isRight: Bool { wrongRows == 0 && wrongLists == 0 }
  }

  private let name: String
  private let url: String
  private let openLog: (Connection) throws -> ChangeLog?
  private var random: SeededGenerator
  private var log: ChangeLog?
  private var connection: Connection?
  private var version: StoreVersion?
  private var content: Content = [:]
  /// Contents of earlier versions, to which histories are applied too.
  private var kept: [(version: StoreVersion, bookmark: StoreBookmark?, content: Content)] = []
  private(set) var report = Report()

  /// - Parameters:
  ///   - name: The name for messages.
  ///   - url: The server.
  ///   - seed: The seed of its choices.
  ///   - openLog: Opens a log as another process would, or returns one that is shared.
  init(
    _ name: String,
    _ url: String,
    seed: UInt64,
    openLog: @escaping (Connection) throws -> ChangeLog?
  ) {
    (self.name, self.url, self.openLog) = (name, url, openLog)
    random = SeededGenerator(seed: seed)
  }

  /// Looks once; a server that does not answer, or ends the reading, is a failure but no error.
  /// - Returns: Whether it could look.
  @discardableResult
  func look() -> Bool {
    do {
      let connection = try self.connection ?? TestServer.connect(url)
      self.connection = connection
      try look(on: connection)
      return true
    } catch {
      report.failures += 1
      if connection?.isUsable == true {
        _ = try? connection?.run([.rollback])
      } else {
        connection = nil
        usleep(20_000)
      }
      lastError = "\(error)"
      return false
    }
  }

  private(set) var lastError = ""

  /// Waits a little, as long as its random numbers say.
  func pause() { usleep(UInt32.random(in: 0...10_000, using: &random)) }

  private func look(on connection: Connection) throws {
    guard let log = try self.log ?? openLog(connection) else { return }
    self.log = log
    let all = log.tables.all
    let pinned = try log.begin(on: connection)
    let history = try version.map { version in
      try log.history(since: version, ofEach: all, in: pinned, on: connection)
    }
    let table = try read(all, on: connection)
    let past = try earlier(than: table, pinned, log, on: connection)
    try connection.run([.commit])
    report.looks += 1
    apply(history, to: &content, toReach: table, "since the last look")
    if let (history, old) = past {
      var reached = old
      apply(history, to: &reached, toReach: table, "from earlier")
    }
    (version, content) = (pinned.version, table)
    if Int.random(in: 0..<20, using: &random) == 0 {
      kept.append((pinned.version, log.bookmark(in: pinned), table))
      if kept.count > 5 { kept.removeFirst() }
    }
  }

  /// A history from a version that was seen earlier, or from its bookmark.
  private func earlier(
    than table: Content,
    _ pinned: PinnedVersion,
    _ log: ChangeLog,
    on connection: Connection
  ) throws -> (StoreHistory, Content)? {
    guard Int.random(in: 0..<6, using: &random) == 0, let old = kept.randomElement(using: &random)
    else { return nil }
    var version = old.version
    if Bool.random(using: &random), let bookmark = old.bookmark {
      // A log that another process would open has not counted this version.
      guard let found = log.version(at: bookmark, in: pinned) else { return nil }
      report.bookmarks += 1
      version = found
    }
    report.earlier += 1
    let history = try log.history(
      since: version,
      ofEach: log.tables.all,
      in: pinned,
      on: connection
    )
    return (history, old.content)
  }

  private func read(_ tables: [EntityTable], on connection: Connection) throws -> Content {
    var content: Content = [:]
    for table in tables {
      let columns = (table.keyColumns + table.attributeColumns).map(\.sql)
      let names = columns.joined(separator: ", ")
      let result = try connection.run("SELECT \(names) FROM \(table.quotedName)")
      for row in 0..<result.count {
        guard let key = table.key(result, row, from: 0) else { continue }
        content[table.id(key)] = try table.values(result, row, from: table.keyColumns.count)
      }
    }
    return content
  }

  private func apply(
    _ history: StoreHistory?,
    to content: inout Content,
    toReach table: Content,
    _ occasion: String
  ) {
    switch history {
    case nil: return
    case .gap(let reason): report.gaps[reason, default: 0] += 1
    case .commits(let records):
      var last: UInt64 = 0
      report.records += records.count
      for record in records {
        if record.version.sequence <= last { note("\(name): versions do not ascend") }
        last = record.version.sequence
        for change in record.changes {
          report.changes += 1
          if content[change.id] != change.before?.values || change.before == change.after {
            report.wrongRows += 1
            note(
              """
              \(name) \(occasion): \(change.id) was \(content[change.id].map { "\($0)" } ?? "missing"), \
              not \(change.before.map { "\($0.values)" } ?? "missing")
              """
            )
          }
          content[change.id] = change.after?.values
        }
      }
      if content != table {
        report.wrongLists += 1
        let wrong = Set(content.keys).union(table.keys).first { content[$0] != table[$0] }
        note(
          """
          \(name) \(occasion): \(wrong.map { "\($0)" } ?? "") is \(wrong.flatMap { content[$0] } ?? []), \
          not \(wrong.flatMap { table[$0] } ?? [])
          """
        )
      }
    }
  }

  private func note(_ example: String) { report.example = report.example ?? example }
}

extension TortureFollower.Report: CustomStringConvertible {
  var description: String {
    let gaps = gaps.map { "\($1) \($0.rawValue)" }.sorted().joined(separator: ", ")
    return """
      \(looks) looks, \(records) commits, \(changes) changes, \(earlier) histories from earlier (\(bookmarks) of bookmarks), \
      gaps: \(gaps.isEmpty ? "none" : gaps), \(failures) failures, \(wrongRows) wrong rows, \(wrongLists) wrong lists
      """
  }
}
#endif
