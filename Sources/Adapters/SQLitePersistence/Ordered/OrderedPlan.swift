import GRDB
import ResultsDomain
import Synchronization

/// How an index, or a table's own order, answers for a list: its statements, and what their parameters are.
///
/// The predicate's arguments come first in every statement, then the columns that are equal, then the range.
///
/// One statement or two are proved before the plan is believed (`OrderedProof`), and every other one, by SQLite's plan of it, when it is
/// needed first: a list that shows its first page needs few of them. No answer depends on the proof, as every statement says its order and its
/// conditions; only the time does that it takes. So a statement that fails it is run without the index this time, and the plan serves no
/// longer: the list is then fetched anew, and holds its keys.
final class OrderedPlan: Sendable {
  private struct State {
    /// The texts of what was needed so far.
    var texts: [String?]
    /// Whether the sampling function is asked once for each key; `nil` until it is looked.
    var samples: Bool?
    var isRefused = false
  }

  let layout: KeyLayout
  /// The columns of the keys, and what each adds to the order.
  let columns: [KeyColumn]
  let roles: [OrderedRole]
  /// The columns in which keys differ.
  let variable: [OrderedColumn]
  /// What the predicate binds.
  let arguments: [Value]
  let texts: OrderedTexts
  private let proof: StatementProof
  private let state: Mutex<State>
  /// How many rows the predicate holds for.
  let total: String
  /// How many shapes pieces have.
  let shapeCount: Int
  /// Whether all rows are in the list, so that their number is known without reading them.
  let holdsAll: Bool

  /// A plan of which nothing has been proved.
  init(_ texts: OrderedTexts, _ proof: StatementProof) {
    self.texts = texts
    self.proof = proof
    layout = texts.definition.layout
    columns = layout.order + layout.identity
    roles = texts.roles
    variable = texts.variable
    arguments = texts.arguments
    total = texts.total
    shapeCount = texts.shapeCount
    holdsAll = texts.predicate.isEmpty
    let uses = OrderedUse.count(shapes: shapeCount)
    state = Mutex(State(texts: Array(repeating: nil, count: uses)))
  }

  /// The statement that counts the keys of each group.
  func groups(byFirst count: Int) -> String? { texts.groups(byFirst: count) }

  /// Whether all that was proved so far was as it should be.
  var serves: Bool { !state.withLock { $0.isRefused } }

  /// The text of a statement, proved if the index serves.
  func text(of use: OrderedUse, on database: Database) throws -> String {
    let place = use.place(shapes: shapeCount)
    let known = state.withLock { $0.texts[place] }
    if let known { return known }
    let isProved = try proof.holds(for: use, of: texts, on: database)
    let text = (isProved ? texts : texts.withoutIndex).text(of: use)
    state.withLock { state in
      state.texts[place] = text
      if !isProved { state.isRefused = true }
    }
    return text
  }

  /// The text of the statement whose keys the sampling function picks, or `nil` unless it is proved to be asked once for each.
  func sample(on database: Database) throws -> String? {
    try asksOnceEach(on: database) ? texts.text(of: .sample) : nil
  }

  /// The text of the statement that asks the ranking function for all keys, under the same condition.
  func ranking(on database: Database) throws -> String? {
    try asksOnceEach(on: database) ? texts.ranking : nil
  }

  private func asksOnceEach(on database: Database) throws -> Bool {
    let known = state.withLock { $0.samples }
    let samples = try known ?? proof.isSampled(texts, on: database)
    state.withLock { $0.samples = samples }
    return samples
  }
}
