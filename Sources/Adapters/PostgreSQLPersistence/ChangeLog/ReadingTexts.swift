#if PostgreSQL
import SQLStoreSupport

/// The locks of the tables that a reading may read, which it takes together, before its snapshot.
///
/// A session that waits for one table while it holds another can be part of a deadlock, and the server may end the other transaction. So
/// all are requested without waiting, and one that is not free is waited for outside the transaction.
struct ReadingLocks: Hashable, Sendable {
  /// The tables' names in quotes; at least one.
  let names: [String]

  /// The statement that locks the tables if all are free.
  var statement: Statement {
    Statement("LOCK TABLE \(names.joined(separator: ", ")) IN ACCESS SHARE MODE NOWAIT")
  }

  /// The statements that wait until each table has been free, outside of a transaction.
  /// - Parameter patience: How long they wait for each; `nil` for as long as the session does.
  /// - Returns: The statements.
  func waiting(_ patience: Duration?) -> [Statement] {
    let limit = patience.map {
      "SET LOCAL lock_timeout = \(max(1, Int($0 / .milliseconds(1))))"
    }
    let statements = names.flatMap { name -> [Statement] in
      let lock = Statement("LOCK TABLE \(name) IN ACCESS SHARE MODE")
      return [.begin(.readCommitted)] + (limit.map { [Statement($0)] } ?? []) + [lock, .commit]
    }
    return (statements + [Statement(TableLocks.pause)]).map(\.unprepared)
  }
}

/// The texts of the statements that every reading runs, which stay the same until a table or the server changes.
struct ReadingTexts: Sendable {
  /// The locks of the tables and of the log, so that none is changed while it is read.
  let locks: ReadingLocks
  private let facts: String
  private let fresh: String
  private let visible: String
  private let newness: String
  /// The texts for the present rows of what is fresh, by the index of the table.
  private let present: [(table: Int, text: String)]

  init(_ schema: LogSchema, _ tables: StoreTables, _ layout: CaptureLayout, isStandby: Bool) {
    locks = ReadingLocks(names: tables.all.map(\.quotedName) + ["\(schema.quoted).log"])
    facts = ReadingFacts.text(isStandby: isStandby, layout, of: tables, in: schema)
    fresh = FreshReader.fresh(in: schema)
    visible = FreshReader.visible(in: schema)
    newness = FreshReader.newness(in: schema)
    present = tables.all.compactMap { table in
      FreshReader.presentOfFresh(table, layout, in: schema).map { (table.index, $0) }
    }
  }

  /// The statement for what a reading finds beside the rows.
  var readingFacts: Statement { Statement(facts, planning: .either) }

  /// The statement for the rows of the log that are fresh for a mark.
  func fresh(since mark: Mark) -> Statement {
    Statement(fresh, mark.parameters, planning: .ordered)
  }

  /// The statement that answers whether anything is fresh for a mark.
  func newness(since mark: Mark) -> Statement {
    Statement(newness, mark.parameters, planning: .ordered)
  }

  /// The statement for the transactions that a standby's mark must remember.
  var visibleTransactions: Statement { Statement(visible, planning: .ordered) }

  /// The statements for the present rows of what is fresh for a mark, by the index of the table.
  func presentOfFresh(since mark: Mark) -> [(table: Int, statement: Statement)] {
    present.map { ($0.table, Statement($0.text, mark.parameters, planning: .ordered)) }
  }
}
#endif
