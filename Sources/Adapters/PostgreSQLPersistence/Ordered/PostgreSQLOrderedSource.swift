#if PostgreSQL
import ResultsDomain
import ResultsStoreKit

/// A list that an index answers for, in one version of the database.
///
/// Whatever is asked together is answered in one flight, apart from the proof of statements that are needed for the first time.
final class PostgreSQLOrderedSource: OrderedSource {
  let plan: OrderedPlan
  let reader: TableReader
  private var lower = OrderedBound()
  private var upper = OrderedBound()
  private var range: RangeDecomposition
  private var isEnded = false
  /// All keys, for the rare bound that a column's type cannot hold.
  private var everything: SortedKeys?

  /// The connections for parts of a long pass.
  let pool: ConnectionPool?
  /// The rows of the last page, for the snapshot.
  private let paged: PagedRows?
  /// Whether the index was found in the version that is read; it stays as long as its table is locked, or nothing is committed.
  private var hasFoundIndex: Bool

  init(
    _ plan: OrderedPlan,
    _ reader: TableReader,
    pool: ConnectionPool? = nil,
    _ paged: PagedRows? = nil
  ) {
    self.plan = plan
    self.reader = reader
    self.pool = pool
    self.paged = paged
    hasFoundIndex = reader.connection.expectedMark.map(plan.hasFoundIndex) ?? false
    range = RangeDecomposition(plan.columns)
  }

  /// Ends the use; later calls fail.
  func end() {
    isEnded = true
    everything = nil
  }

  /// A count of 512 keys takes about as long as the round trip to another machine; 250 keys are passed while one is sought.
  var costs: OrderedSourceCosts {
    OrderedSourceCosts(stride: 512, scannedPerSought: 250, runWorth: 4)
  }

  var statements: OrderedStatements { plan.statements }

  // MARK: - Counting

  func count(from first: KeyBound?, to last: KeyBound?) throws(StoreError) -> Int {
    try counts(of: [KeyRange(from: first, to: last)])[0]
  }

  /// The number of ranges of which each has a statement of its own, rather than each form of subranges.
  private static let singleLimit = 8

  /// Counts in one flight: a few ranges by a statement for each, many by a statement over arrays for each form of subranges.
  func counts(of ranges: [KeyRange]) throws(StoreError) -> [Int] {
    if ranges.count <= PostgreSQLOrderedSource.singleLimit { return try fewCounts(of: ranges) }
    var found = Array(repeating: 0, count: ranges.count)
    var forms: [SubrangeForm] = []
    var parts: [SubrangeForm: [(range: Int, parameters: [Parameter])]] = [:]
    for (number, range) in ranges.enumerated() {
      guard let subranges = subranges(of: range) else {
        found[number] = try allKeys().count(from: range.lower, to: range.upper)
        continue
      }
      for subrange in subranges {
        if parts[subrange.form] == nil { forms.append(subrange.form) }
        parts[subrange.form, default: []].append((number, subrange.parameters))
      }
    }
    guard !forms.isEmpty else { return found }
    let texts = forms.map { form in
      form == SubrangeForm() ? statements.total : plan.text(counting: form)
    }
    let results = try run(
      zip(forms, texts).map { form, text in
        let rows = parts[form] ?? []
        let arrays = form.parameterTerms.enumerated().map { slot, term in
          statements.terms[term].array(rows.map { $0.parameters[slot] })
        }
        return Statement(text, statements.parameters + arrays)
      }
    )
    for (form, result) in zip(forms, results) {
      let rows = parts[form] ?? []
      if form.parameterTerms.isEmpty {
        // One number for all of them.
        let count = result.integer(0, form == SubrangeForm() ? 0 : 1) ?? 0
        for row in rows { found[row.range] += Int(count) }
        continue
      }
      guard result.count == rows.count else { throw unexpected("a count has no result") }
      for row in 0..<result.count {
        guard let number = result.integer(row, 0), let count = result.integer(row, 1),
          rows.indices.contains(Int(number) - 1)
        else { throw unexpected("a count has no result") }
        found[rows[Int(number) - 1].range] += Int(count)
      }
    }
    return found
  }

  private func fewCounts(of ranges: [KeyRange]) throws(StoreError) -> [Int] {
    var found = Array(repeating: 0, count: ranges.count)
    var counted: [(range: Int, statement: Statement)] = []
    for (number, range) in ranges.enumerated() {
      guard let subranges = subranges(of: range) else {
        found[number] = try allKeys().count(from: range.lower, to: range.upper)
        continue
      }
      guard !subranges.isEmpty else { continue }
      let forms = subranges.map(\.form)
      counted.append(
        (
          number,
          Statement(
            forms == [SubrangeForm()] ? statements.total : plan.text(summing: forms),
            statements.parameters + subranges.flatMap(\.parameters)
          )
        )
      )
    }
    guard !counted.isEmpty else { return found }
    for (count, result) in zip(counted, try run(counted.map(\.statement))) {
      guard result.count == 1, let number = result.integer(0, 0) else {
        throw unexpected("a count has no result")
      }
      found[count.range] = Int(number)
    }
    return found
  }

  // MARK: - Keys

  func keys(
    from first: KeyBound?,
    to last: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    guard limit > 0 else { return EntryBatch() }
    let range = KeyRange(from: first, to: last)
    guard let pages = pages(of: range, skipping: max(0, skipped), limit: limit) else {
      return try allKeys().keys(from: first, to: last, skipping: skipped, limit: limit)
    }
    return try batches(pages.map(\.statement)).first ?? EntryBatch()
  }

  /// Reads the rows too, if they are not too many, and keeps them for the snapshot.
  func page(
    from first: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    let range = KeyRange(from: first, to: nil)
    guard let paged, (1...PagedRows.limit).contains(limit),
      let page = pages(of: range, skipping: max(0, skipped), limit: limit)?.first,
      let text = plan.text(forRowsIn: page.forms)
    else { return try keys(from: first, to: nil, skipping: skipped, limit: limit) }
    let result = try run(
      [Statement(text, page.statement.parameters)],
      proving: [page.statement.text]
    )[0]
    let batch = try keys(of: result)
    var rows: [ObjectKey: Row] = [:]
    rows.reserveCapacity(result.count)
    for index in 0..<result.count {
      let row = try reader.row(index, of: result, in: plan.table, from: statements.terms.count)
      rows[row.id.key] = row
    }
    paged.keep(rows, of: plan.table)
    return batch
  }

  /// The statement that reads the keys of a range; none if there can be no key.
  /// - Returns: `nil` if a column's type cannot hold a bound.
  private func pages(of range: KeyRange, skipping skipped: Int, limit: Int) -> [Page]? {
    if let first = range.lower, !first.isAfter, range.upper == nil, let text = plan.pageFromKey,
      let start = key(of: first)
    {
      let window: [Parameter] = [.integer(Int64(skipped)), .integer(Int64(limit))]
      return [Page(statement: Statement(text, statements.parameters + start + window))]
    }
    guard let subranges = subranges(of: range) else { return nil }
    guard !subranges.isEmpty else { return [] }
    let statement = page(subranges, skipping: skipped, limit: limit)
    return [Page(statement: statement, forms: subranges.map(\.form))]
  }

  /// The columns of a bound before one key that the list can have, as parameters.
  private func key(of bound: KeyBound) -> [Parameter]? {
    let parts = parts(of: bound.columns, isBehind: false)
    guard !parts.isAfter, !parts.parts.contains(where: \.isNull) else { return nil }
    return parts.parameters(plan, bound.columns, 0..<statements.terms.count)
  }

  /// A statement that reads keys, and the forms of its subranges, unless one comparison finds the first key.
  private struct Page {
    let statement: Statement
    var forms: [SubrangeForm]?
  }

  func keys(inEach ranges: [KeyRange]) throws(StoreError) -> [EntryBatch] {
    var found = Array(repeating: EntryBatch(), count: ranges.count)
    var pages: [(range: Int, statement: Statement)] = []
    for (number, range) in ranges.enumerated() {
      guard let subranges = subranges(of: range) else {
        found[number] = try allKeys()
          .keys(from: range.lower, to: range.upper, skipping: 0, limit: .max)
        continue
      }
      guard !subranges.isEmpty else { continue }
      pages.append((number, page(subranges, skipping: 0, limit: .max)))
    }
    guard !pages.isEmpty else { return found }
    for (page, batch) in zip(pages, try batches(pages.map(\.statement))) {
      found[page.range] = batch
    }
    return found
  }

  private func page(_ subranges: [Subrange], skipping skipped: Int, limit: Int) -> Statement {
    Statement(
      plan.text(paging: subranges.map(\.form)),
      statements.parameters + subranges.flatMap(\.parameters)
        + [.integer(Int64(skipped)), .integer(Int64(limit))]
    )
  }

  /// Runs statements that return keys in order.
  private func batches(_ pages: [Statement]) throws(StoreError) -> [EntryBatch] {
    guard !pages.isEmpty else { return [] }
    var batches: [EntryBatch] = []
    for result in try run(pages) { batches.append(try keys(of: result)) }
    return batches
  }

  func firstKeys(
    ofGroupsByFirstColumns columns: Int,
    from first: KeyBound?,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    guard limit > 0 else { return EntryBatch() }
    let terms = termCount(ofFirst: columns)
    guard limit > 1, terms > 0,
      let subranges = subranges(of: KeyRange(from: first, to: nil)), !subranges.isEmpty,
      let text = statements.firstKeys(ofGroupsBy: terms, subranges.map(\.form))
    else { return try keys(from: first, to: nil, skipping: 0, limit: 1) }
    let parameters = statements.parameters + subranges.flatMap(\.parameters)
    return try batches([Statement(text, parameters + [.integer(Int64(limit))])])[0]
  }

  /// The number of terms in which keys with equal first columns agree.
  private func termCount(ofFirst columns: Int) -> Int {
    plan.columns.roles.prefix(max(0, columns)).reduce(0) { found, role in
      if case .varies(let index) = role { max(found, index + 1) } else { found }
    }
  }
}

// MARK: - Groups and ranks

extension PostgreSQLOrderedSource {
  func groups(
    byFirstColumns columns: Int,
    _ body: (_ prefix: [UInt8], _ count: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let columns = max(0, min(columns, plan.columns.all.count))
    let terms = termCount(ofFirst: columns)
    guard terms > 0 else {
      let count = try count(from: nil, to: nil)
      guard count > 0 else { return }
      var writer = KeyWriter()
      // The predicate fixes the values of all its columns.
      _ = plan.columns.append(first: columns, to: &writer) { _, _ in false }
      _ = try body(writer.bytes, count)
      return
    }
    let statement = Statement(statements.groups(by: terms), statements.parameters)
    try forEachResult(of: statement) { (result) throws(StoreError) in
      for row in 0..<result.count {
        var writer = KeyWriter()
        guard append(row, of: result, columns: columns, to: &writer) else {
          throw try unreadable(row, of: result)
        }
        guard try body(writer.bytes, Int(result.integer(row, terms) ?? 0)) else { return false }
      }
      return true
    }
  }

  /// Reads the results of a statement over the index, in batches.
  func forEachResult(
    of statement: Statement,
    _ body: (QueryResult) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try check()
    var statement = statement
    statement.planning = .ordered
    try RowCursor(reader: reader, statement: statement).read(body)
  }

  /// The number of keys that are counted in one flight.
  private static let rankedTogether = 1000

  /// Counts from each key to the next on the server, or reads all keys where that costs less.
  func ranks(of sought: EntryBatch) throws(StoreError) -> [Int] {
    guard sought.count > 0 else { return [] }
    if sought.count > PostgreSQLOrderedSource.rankedTogether,
      let estimate = try estimatedCount(), estimate / 32 < sought.count
    {
      return try ranksByMerging(sought)
    }
    var ranks: [Int] = []
    ranks.reserveCapacity(sought.count)
    var rank = 0
    var before: KeyBound?
    for start in Swift.stride(
      from: 0,
      to: sought.count,
      by: PostgreSQLOrderedSource.rankedTogether
    ) {
      var ranges: [KeyRange] = []
      for index in start..<min(start + PostgreSQLOrderedSource.rankedTogether, sought.count) {
        let bound = KeyBound.before(sought.key(at: index))
        ranges.append(KeyRange(from: before, to: bound))
        before = bound
      }
      for count in try counts(of: ranges) {
        rank += count
        ranks.append(rank)
      }
    }
    return ranks
  }

  /// The server's estimate, from its statistics: of the table, or of the rows that match.
  func estimatedCount() throws(StoreError) -> Int? {
    try check()
    guard statements.predicate.isEmpty else {
      let explanation = try OrderedProof(reader: reader)
        .explanations(of: [statements.scan], statements)[0]
      return explanation.map { Int(max(0, min($0.top.rows, 1e15))) }
    }
    return try estimatedRows()
  }

  /// The server's estimate of the rows of the table, or `nil` if it was never analyzed.
  func estimatedRows() throws(StoreError) -> Int? {
    let result = try reader.run([
      Statement(
        "SELECT reltuples::int8 FROM pg_catalog.pg_class WHERE oid = $1",
        [.object(plan.table.shape.number)]
      )
    ])[0]
    guard result.count == 1, let count = result.integer(0, 0), count >= 0 else { return nil }
    return Int(count)
  }
}

// MARK: - Subranges

extension PostgreSQLOrderedSource {
  /// A subrange of keys: its form and the values in it.
  private struct Subrange {
    let form: SubrangeForm
    let parameters: [Parameter]
  }

  /// The subranges between two bounds, in order.
  /// - Returns: `nil` if a column's type cannot hold a bound.
  private func subranges(of keys: KeyRange) -> [Subrange]? {
    let first = keys.lower ?? .before([])
    let last = keys.upper ?? .after([])
    return first.columns.withUnsafeBytes { lowerBytes in
      last.columns.withUnsafeBytes { upperBytes in
        lower.set(lowerBytes, isBehind: first.isAfter, in: plan.columns)
        upper.set(upperBytes, isBehind: last.isAfter, in: plan.columns)
        range.decompose(lower, lowerBytes, upper, upperBytes)
        var found: [Subrange] = []
        for subrange in range.subranges {
          guard let next = self.subrange(subrange, lowerBytes, upperBytes) else { return nil }
          found.append(next)
        }
        return found
      }
    }
  }

  private func subrange(
    _ subrange: KeySubrange,
    _ lowerBytes: UnsafeRawBufferPointer,
    _ upperBytes: UnsafeRawBufferPointer
  ) -> Subrange? {
    var form = SubrangeForm()
    var parameters: [Parameter] = []
    func append(_ index: Int, _ side: KeySubrange.Side) -> Bool {
      let part = side == .lower ? lower.parts[index] : upper.parts[index]
      let bytes = side == .lower ? lowerBytes : upperBytes
      let column = UnsafeRawBufferPointer(rebasing: bytes[part.start..<part.end])
      guard let parameter = statements.terms[index].parameter(column) else { return false }
      parameters.append(parameter)
      return true
    }
    for index in 0..<subrange.equal {
      let isNull = (subrange.side == .lower ? lower.parts[index] : upper.parts[index]).isNull
      form.nulls.append(isNull)
      guard isNull || append(index, subrange.side) else { return nil }
    }
    guard !subrange.endsInNull else {
      form.nulls.append(true)
      return Subrange(form: form, parameters: parameters)
    }
    for (edge, path) in [(subrange.lower, \SubrangeForm.lower), (subrange.upper, \.upper)] {
      switch edge {
      case .open: break
      case .smallest: form[keyPath: path] = .notNull
      case .part(let side, let isIncluded):
        form[keyPath: path] = isIncluded ? .inclusive : .exclusive
        guard append(subrange.equal, side) else { return nil }
      }
    }
    return Subrange(form: form, parameters: parameters)
  }

  func parts(of key: [UInt8], isBehind: Bool) -> OrderedBound {
    var bound = OrderedBound()
    key.withUnsafeBytes { bound.set($0, isBehind: isBehind, in: plan.columns) }
    return bound
  }

  /// All keys, in memory.
  private func allKeys() throws(StoreError) -> SortedKeys {
    if let everything { return everything }
    var keys: [[UInt8]] = []
    _ = try scan(every: 1) { (batch) throws(StoreError) in
      for index in 0..<batch.count { keys.append(batch.key(at: index)) }
      return true
    }
    let all = SortedKeys(keys: keys, layout: plan.columns.layout)
    everything = all
    return all
  }
}

extension OrderedBound {
  /// The parameters of some columns of a whole key; `nil` if a column's type cannot hold one.
  func parameters(
    _ plan: OrderedPlan,
    _ key: [UInt8],
    _ columns: Range<Int>
  ) -> [Parameter]? {
    guard parts.count >= columns.upperBound else { return nil }
    return key.withUnsafeBytes { bytes in
      var parameters: [Parameter] = []
      for index in columns {
        let part = parts[index]
        let column = UnsafeRawBufferPointer(rebasing: bytes[part.start..<part.end])
        guard let parameter = plan.statements.terms[index].parameter(column) else { return nil }
        parameters.append(parameter)
      }
      return parameters
    }
  }
}

// MARK: - Flights

extension PostgreSQLOrderedSource {
  func check() throws(StoreError) {
    if isEnded { throw unexpected("an index was read after its snapshot had ended") }
  }

  /// Runs statements over the index in one flight, with questions about what is not known yet: the plans of texts, by default those of
  /// the statements, and whether the index still exists.
  func run(
    _ statements: [Statement],
    proving texts: [String]? = nil
  ) throws(StoreError) -> [QueryResult] {
    try check()
    let texts = texts ?? statements.map(\.text)
    let unproved = plan.unproved(texts.filter { $0 != self.statements.total })
    let questions = OrderedProof.questions(about: unproved, self.statements)
    let ordered = statements.map { statement in
      var statement = statement
      statement.planning = .ordered
      return statement
    }
    let results = try reader.run(questions + ordered + (hasFoundIndex ? [] : [plan.existence]))
    if !unproved.isEmpty {
      let found = OrderedProof.explanations(in: results[..<questions.count])
      plan.record(unproved, isProved: found.allSatisfy { $0?.onlyIndex == plan.index.name })
    }
    if !hasFoundIndex {
      hasFoundIndex = results[results.count - 1].integer(0, 0) == 1
      if !hasFoundIndex {
        plan.refuse()
      } else if let mark = reader.connection.expectedMark {
        plan.recordIndex(at: mark)
      }
    }
    return Array(results[questions.count..<questions.count + statements.count])
  }

  func unexpected(_ detail: String) -> StoreError {
    .unexpected(path: reader.path, detail: "\(plan.definition.entity.name): \(detail)")
  }

  /// The keys in a result.
  func keys(of result: QueryResult) throws(StoreError) -> EntryBatch {
    var batch = EntryBatch()
    batch.reserveCapacity(
      keys: result.count,
      bytes: result.count * plan.columns.all.count * 9
    )
    var before: [UInt8] = []
    for row in 0..<result.count {
      let key = try key(row, of: result)
      batch.append { $0.bytes += key }
      guard row == 0 || before.lexicographicallyPrecedes(key) else {
        throw unexpected("keys are out of order")
      }
      before = key
    }
    return batch
  }

  /// The key in a row of a result.
  private func key(_ row: Int, of result: QueryResult) throws(StoreError) -> [UInt8] {
    var writer = KeyWriter()
    guard append(row, of: result, columns: plan.columns.all.count, to: &writer) else {
      throw try unreadable(row, of: result)
    }
    return writer.bytes
  }

  /// Appends the first columns of the key in a row of a result.
  /// - Returns: Whether all values have a place in the domain.
  private func append(
    _ row: Int,
    of result: QueryResult,
    columns: Int,
    to writer: inout KeyWriter
  ) -> Bool {
    plan.columns.append(first: columns, to: &writer) { writer, column in
      writer.append(result, row, column.term, statements.terms[column.term].coding, column.key)
    }
  }

  /// The error for a stored value that the domain has not.
  private func unreadable(
    _ row: Int,
    of result: QueryResult
  ) throws(StoreError) -> StoreError {
    let failed = statements.terms.indices.first { index in
      index < result.columnCount && !result.isNull(row, index)
        && result.value(row, index, statements.terms[index].coding) == nil
    }
    if let failed {
      let term = statements.terms[failed]
      try reader.check(failed, of: result, term.coding, term.words, in: plan.table)
    }
    let what = failed.map { statements.terms[$0].words } ?? "a key"
    return unexpected("\(what) holds a value that has no counterpart")
  }
}

extension OrderedColumns {
  /// Appends the first columns of a key, whose closure appends the value of a term in the encoding of a column.
  /// - Returns: Whether all values could be appended.
  fileprivate func append(
    first count: Int,
    to writer: inout KeyWriter,
    _ append: (inout KeyWriter, (term: Int, key: KeyColumn)) -> Bool
  ) -> Bool {
    for index in 0..<min(count, all.count) {
      switch roles[index] {
      case .fixed(let bytes): writer.bytes += bytes
      case .varies(let term), .repeats(let term):
        guard append(&writer, (term, all[index])) else { return false }
      }
    }
    return true
  }
}

/// Keys in memory, which derive every answer from their positions.
private final class SortedKeys: RankedSource {
  let layout: KeyLayout
  private let keys: [[UInt8]]

  init(keys: [[UInt8]], layout: KeyLayout) {
    self.keys = keys
    self.layout = layout
  }

  func keyCount() -> Int { keys.count }

  func rank(of bytes: [UInt8]) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = low + (high - low) / 2
      if keys[middle].lexicographicallyPrecedes(bytes) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func appendKeys(in positions: Range<Int>, every stride: Int, to batch: inout EntryBatch) {
    for position in Swift.stride(from: positions.lowerBound, to: positions.upperBound, by: stride) {
      batch.append { $0.bytes += keys[position] }
    }
  }
}
#endif
