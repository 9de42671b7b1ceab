#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// How an index answers for a list: the statements, and what is proved of them.
///
/// The statement that reads all keys is proved before the plan is used (`OrderedProof`), and each other one when it is first needed, by
/// the server's own plan. A statement that fails is run nevertheless, since its result is right, and the plan is no longer used: the list
/// is then fetched again, and holds its keys in memory.
///
/// `state` is guarded by a lock that is held for moments only; statements are proved without it.
final class OrderedPlan: Sendable {
  /// What a statement asks of subranges of some forms.
  private enum Question: Hashable, Sendable {
    /// The counts of any number of subranges of one form.
    case counts(SubrangeForm)
    /// The count of all together.
    case sum([SubrangeForm])
    /// Their keys.
    case page([SubrangeForm])
  }

  private struct State {
    var proved: Set<String> = []
    /// The texts that have been made.
    var texts: [Question: String] = [:]
    /// The texts that read rows too, by the forms of the subranges, as far as there can be any.
    var rowTexts: [[SubrangeForm]?: String?] = [:]
    var isRefused = false
    /// The last mark in which the index was found.
    var foundAt: Mark?
  }

  let definition: OrderDefinition
  let table: EntityTable
  let columns: OrderedColumns
  let statements: OrderedStatements
  /// The index's name and its number in `pg_class`.
  let index: (name: String, number: UInt32)
  /// The text that reads keys from a given one on, where one comparison finds it.
  let pageFromKey: String?
  private let state: Mutex<State>

  init(
    _ definition: OrderDefinition,
    in table: EntityTable,
    _ roles: [OrderedColumns.Role],
    _ statements: OrderedStatements,
    index: (name: String, number: UInt32)
  ) {
    self.definition = definition
    self.table = table
    self.statements = statements
    self.index = index
    pageFromKey = statements.pageFromKey()
    columns = OrderedColumns(
      definition.layout,
      roles: roles,
      variable: statements.terms.map { OrderedColumns.Column($0.key, isNullable: $0.isNullable) }
    )
    state = Mutex(State(proved: [statements.scan]))
  }

  /// Whether no proof has failed so far.
  var serves: Bool { !state.withLock { $0.isRefused } }

  /// Ends the use of the index.
  func refuse() { state.withLock { $0.isRefused = true } }

  /// The text that counts subranges of some forms together.
  func text(summing forms: [SubrangeForm]) -> String {
    text(.sum(forms)) { statements.count(forms) }
  }

  /// The text that counts any number of subranges of a form.
  func text(counting form: SubrangeForm) -> String {
    text(.counts(form)) { statements.counts(form) }
  }

  /// The text that reads keys in subranges of some forms.
  func text(paging forms: [SubrangeForm]) -> String {
    text(.page(forms)) { statements.page(forms) }
  }

  /// The text that reads keys in subranges of some forms with their rows, or from a key that one comparison finds.
  func text(forRowsIn forms: [SubrangeForm]?) -> String? {
    state.withLock { state in
      if let known = state.rowTexts[forms] { return known }
      let text = statements.rows(in: forms, of: OrderedStatements.named(table))
      state.rowTexts[forms] = .some(text)
      return text
    }
  }

  private func text(_ question: Question, _ make: () -> String) -> String {
    state.withLock { state in
      if let known = state.texts[question] { return known }
      let text = make()
      state.texts[question] = text
      return text
    }
  }

  /// The statement that counts the index, if it still exists and is the table's.
  var existence: Statement {
    Statement(
      """
      SELECT count(*) FROM pg_catalog.pg_index \
      WHERE indexrelid = $1 AND indisvalid AND indrelid = pg_catalog.to_regclass($2)
      """,
      [.object(index.number), .text(table.quotedName)],
      planning: .either
    )
  }

  /// Whether the index was found in a mark, since which nothing was committed.
  func hasFoundIndex(at mark: Mark) -> Bool { state.withLock { $0.foundAt == mark } }

  /// Records that the index was found in a mark.
  func recordIndex(at mark: Mark) { state.withLock { $0.foundAt = mark } }

  /// Those of some texts that are not proved yet.
  func unproved(_ texts: [String]) -> [String] {
    state.withLock { state in
      var seen: Set<String> = []
      return texts.filter { !state.proved.contains($0) && seen.insert($0).inserted }
    }
  }

  /// Records that texts were examined.
  func record(_ texts: [String], isProved: Bool) {
    state.withLock { state in
      state.proved.formUnion(texts)
      if !isProved { state.isRefused = true }
    }
  }
}

/// The plans of lists for which an index is proved to serve.
///
/// That none serves is not remembered: it is asked only when a list is fetched, and an index may have been created meanwhile.
/// `state` is guarded by a lock that is held for moments only; plans are made without it.
final class OrderedPlanCache: Sendable {
  /// The greatest number of lists that are remembered.
  private static let limit = 1024

  /// The plans, roughly in the order of their last use.
  private let state = Mutex<[OrderedPlan]>([])

  /// The plan of a list.
  /// - Parameters:
  ///   - definition: The rows of the list and their order.
  ///   - table: The table of its rows.
  ///   - reader: Reads through a connection with an open transaction.
  /// - Returns: The plan, or `nil` if no index serves.
  /// - Throws: The store's error.
  func plan(
    of definition: OrderDefinition,
    in table: EntityTable,
    _ reader: TableReader
  ) throws(StoreError) -> OrderedPlan? {
    let known = state.withLock { plans -> OrderedPlan? in
      guard
        let index = plans.firstIndex(where: {
          $0.table === table && $0.definition == definition
        })
      else { return nil }
      if index > 0 { plans.swapAt(index, index - 1) }
      return plans[max(0, index - 1)]
    }
    if let known, known.serves { return known }
    let plan = try OrderedProof(reader: reader).plan(of: definition, in: table)
    state.withLock { plans in
      plans.removeAll { $0.definition == definition }
      guard let plan else { return }
      plans.insert(plan, at: 0)
      if plans.count > OrderedPlanCache.limit { plans.removeLast() }
    }
    return plan
  }
}
#endif
