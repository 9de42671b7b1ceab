import FetchedResults
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit

/// Measures reading from a list at any position, the longest blocking call, and memory: goals 4, 9 and 15.
struct PageBenchmark {
  private static let lookupName = "an indexed key lookup in C"
  private static let pageName = "a keyset page in C"
  private static let rowsName = "a keyset page with its rows in C"

  let table: MessageTable

  init(_ table: MessageTable) { self.table = table }

  /// Goal 9: an identity at a random position, and a page at any depth.
  func pages() async throws -> [Measurement] {
    try table.store.checkForExternalChanges()
    let ids = table.list(of: ObjectID.self)
    let objects = table.list(of: Message.self)
    try await ids.performFetch()
    try await objects.performFetch()
    let (idRows, objectRows) = (try ids.results, try objects.results)
    var (lookups, idPages, contents, offsets) = (Pairs(), Pairs(), Pairs(), Pairs())
    for round in 0..<60 * table.runs {
      let position = table.numbers.draw(below: table.rows)
      let range = table.anyPage()
      // The references have just run queries on their connection, so this list runs one on its connection, too.
      var found = idRows.rows[table.numbers.draw(below: table.rows)].objectID
      let one = time { found = idRows.rows[position].objectID }
      var count = 0
      let page = try time { count = try idRows.objectIDs(at: range).count }
      let read = try time { count += try objectRows.objects(at: range).count }
      guard count == 2 * range.count else { throw BenchmarkError.wrongResult("a page") }
      guard found != nil else { throw BenchmarkError.wrongResult("an identity at a position") }
      // Random positions of their own, so that neither side finds pages that the other has just read.
      lookups.add(one, try lookup(table.anyID()))
      idPages.add(page, try keysetPage("id"))
      contents.add(read, try keysetPage("*"))
      // An offset passes over all rows before it, so a few pairs are enough.
      if round < 5 { offsets.add(page, try offsetPage(at: range.lowerBound)) }
    }
    let single = try readOneByOne(idRows.rows, objectRows.rows)
    ids.cancel()
    objects.cancel()
    let page = "page of 50 identities at any depth"
    return [
      table.figure(
        9,
        "identity at a random position",
        lookups,
        against: Self.lookupName,
        limit: table.atLargest(3),
        target: 2.5
      ),
      table.figure(
        9,
        page,
        idPages,
        against: Self.pageName,
        limit: table.atLargest(3),
        target: 2.5
      ),
      table.figure(
        9,
        "page of 50 objects at any depth",
        contents,
        against: Self.rowsName,
        limit: table.atLargest(3)
      ),
      table.figure(9, "50 identities at any depth, one by one", single.ids, against: Self.pageName),
      table.figure(
        9,
        "50 objects at any depth, one by one",
        single.objects,
        against: Self.rowsName
      ),
      table.figure(9, "\(page), with an offset", offsets, against: "LIMIT 50 OFFSET n in C"),
    ]
  }

  /// Reads fifty rows at a random position one by one.
  private func readOneByOne(
    _ idRows: ResultsRows<ObjectID>,
    _ objectRows: ResultsRows<Message>
  ) throws -> (ids: Pairs, objects: Pairs) {
    var (ids, objects) = (Pairs(), Pairs())
    for _ in 0..<60 * table.runs {
      let range = table.anyPage()
      var found: ObjectID?
      let idTime = time { for row in idRows[range] { found = row.objectID ?? found } }
      let objectTime = try time { for row in objectRows[range] { _ = try row.object } }
      guard found != nil else { throw BenchmarkError.wrongResult("an identity at a position") }
      ids.add(idTime, try keysetPage("id"))
      objects.add(objectTime, try keysetPage("*"))
    }
    return (ids, objects)
  }
}

// MARK: - The same work in C

extension PageBenchmark {
  private func lookup(_ id: Int64) throws -> Double {
    try time { try table.plain.each("SELECT id FROM Message WHERE id = ?", [.integer(id)]) }
  }

  /// Measures reading fifty rows from a random key on, as a program reads the next page of a list.
  private func keysetPage(_ columns: String) throws -> Double {
    guard let key = try PlainRanks.key(of: table.anyID(), in: table.plain) else {
      throw BenchmarkError.wrongResult("a plain lookup")
    }
    // An equality and one range, so that SQLite seeks without testing every row; a second seek completes the page.
    return try time {
      let sql = """
        SELECT \(columns) FROM Message WHERE folder = ? AND date >= ? ORDER BY date, id LIMIT ?
        """
      var count: Int64 = 0
      try table.plain.each(sql, [.integer(key.folder), .integer(key.date), .integer(50)]) { _ in
        count += 1
      }
      guard count < 50 else { return }
      let rest = """
        SELECT \(columns) FROM Message WHERE folder > ? ORDER BY folder, date, id LIMIT ?
        """
      try table.plain.each(rest, [.integer(key.folder), .integer(50 - count)])
    }
  }

  private func offsetPage(at position: Int) throws -> Double {
    try time {
      try table.plain.each(
        "SELECT id FROM Message ORDER BY folder, date, id LIMIT 50 OFFSET ?",
        [.integer(Int64(position))]
      )
    }
  }

  /// Measures finding the first row of every section by a seek each.
  private func seekSections() throws -> Double {
    try time {
      var (folder, count) = (Int64(-1), 0)
      while count <= Message.folders {
        var next: Int64?
        try table.plain.each(
          "SELECT folder FROM Message WHERE folder > ? ORDER BY folder LIMIT 1",
          [.integer(folder)]
        ) { next = PlainDatabase.integer(of: $0) }
        guard let found = next else { return }
        (folder, count) = (found, count + 1)
      }
    }
  }
}

// MARK: - Calls and memory

extension PageBenchmark {
  /// Goal 15: the longest of all blocking calls, each the first one of a list.
  func longestCall() async throws -> [Measurement] {
    try table.store.checkForExternalChanges()
    var calls: [String: Pairs] = [:]
    for _ in 0..<table.runs {
      let controller = table.list(of: Message.self)
      try await controller.performFetch()
      let times = try measureCalls(of: controller)
      let seeks = try seekSections()
      for (name, duration) in times { calls[name, default: Pairs()].add(duration, seeks) }
    }
    let longest = calls.max { $0.value.ours.median < $1.value.ours.median }
    guard let longest else { throw BenchmarkError.wrongResult("the calls of a list") }
    return [
      table.figure(
        15,
        "longest call: \(longest.key)",
        longest.value,
        against: "a seek for each section in C",
        limit: table.atLargest(1)
      )
    ]
  }

  private func measureCalls(
    of controller: FetchedResultsController<Message>
  ) throws -> [(name: String, duration: Double)] {
    let results = try controller.results
    let position = table.numbers.draw(below: table.rows)
    guard let path = results.snapshot.path(ofFlatPosition: position),
      let id = results.objectID(at: path)
    else { throw BenchmarkError.wrongResult("a position") }
    var times: [(name: String, duration: Double)] = []
    func call(_ name: String, _ body: () throws -> Void) rethrows {
      times.append((name, try time(body)))
    }
    call("path(of:)") { _ = results.path(of: id) }
    try call("results()") { _ = try controller.results }
    call("objectID(at:)") { _ = results.objectID(at: path) }
    try call("object(at:)") { _ = try results.object(at: path) }
    call("sections") { _ = controller.sections.count }
    call("section(withID:)") { _ = results.section(withID: SectionID(.integer(7)))?.count }
    call("section(at:).title") { _ = results.section(at: path.section)?.title }
    call("path(ofFlatPosition:)") { _ = results.snapshot.path(ofFlatPosition: position) }
    call("rows") { _ = results.rows[position].objectID }
    try call("definition, pause()") {
      _ = controller.definition
      controller.pause()
      guard controller.isPaused else { throw BenchmarkError.wrongResult("a pause") }
    }
    call("cancel()") { controller.cancel() }
    return times
  }

  /// Goal 4: the memory of a list per row, in a process of its own.
  func memory(of list: MessageList) throws -> [Measurement] {
    let program = ChildProgram(ProcessFigures.program)
    let text = try program.output(["memory", table.file.path, list.rawValue])
    let numbers = text.split(whereSeparator: \.isWhitespace).map { Double($0) }
    guard let bytes = numbers.first ?? nil else { throw BenchmarkError.wrongResult("the memory") }
    let limit = list == .marks ? 0.9 : 0.6
    let kind =
      switch list {
      case .subjects: "text keys"
      case .marks: "mostly equal sort keys"
      default: "keys"
      }
    let name = "growth of a process, \(kind)"
    var all = [
      table.figure(
        4,
        "bytes a row, \(kind)",
        bytes / Double(table.rows),
        table.atLargest(limit),
        "bytes"
      )
    ]
    if numbers.count == 3, let resident = numbers[1], let privateBytes = numbers[2] {
      all += [
        table.figure(4, name, resident / 1e6, table.atLargest(16), "MB"),
        table.figure(4, "\(name), without pages of files", privateBytes / 1e6, nil, "MB"),
      ]
    } else {
      all.append(
        .missing(goal: 4, name, rows: table.rows, unit: "MB", because: "no /proc/self/statm")
      )
    }
    return all
  }
}
