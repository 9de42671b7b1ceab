import ResultsDomain

/// How an index, or a table's own order, answers for a list: proved statements, and what their parameters are.
///
/// The predicate's arguments come first in every statement, then the columns that are equal, then the range.
final class OrderedPlan: Sendable {
  let layout: KeyLayout
  /// The columns of the keys, and what each adds to the order.
  let columns: [KeyColumn]
  let roles: [OrderedRole]
  /// The columns in which keys differ.
  let variable: [OrderedColumn]
  /// What the predicate binds.
  let arguments: [Value]
  private let texts: OrderedTexts
  /// How many rows the predicate holds for.
  let total: String
  /// All keys in order.
  let scan: String
  /// Those keys for which the sampling function says so, if it is proved to be asked once for each.
  let sample: String?
  /// All keys, for each of which the ranking function is asked, under the same condition.
  let ranking: String?
  /// How many keys there are in each piece of a shape.
  let counts: [String]
  /// The keys of each piece of a shape, without as many as the last parameter says.
  let pages: [String]
  /// Whether all rows are in the list, so that their number is known without reading them.
  let holdsAll: Bool

  /// A plan whose statements have been proved.
  init(_ texts: OrderedTexts, sampling: Bool) {
    self.texts = texts
    layout = texts.definition.layout
    columns = layout.order + layout.identity
    roles = texts.roles
    variable = texts.variable
    arguments = texts.arguments
    total = texts.total
    scan = texts.scan
    sample = sampling ? texts.sample : nil
    ranking = sampling ? texts.ranking : nil
    counts = texts.shapes.map(texts.count)
    pages = texts.shapes.map(texts.page)
    holdsAll = texts.predicate.isEmpty
  }

  /// The statement that counts the keys of each group.
  func groups(byFirst count: Int) -> String? { texts.groups(byFirst: count) }
}
