import CSQLiteHooks
import ResultsDomain
import ResultsPresentation

extension MessageBench {
  /// Goal 9: an identity at any place, and a page at any depth, beside what SQLite takes for as many rows that it is told.
  func pages() async throws -> [Measurement] {
    try store.checkForExternalChanges()
    let ids = list(of: ObjectID.self)
    let objects = list(of: Message.self)
    try await ids.fetchExactly()
    try await objects.fetchExactly()
    let (idRows, objectRows) = (try ids.results(), try objects.results())
    var (one, page, read) = (Samples(), Samples(), Samples())
    var (lookups, idPages, contents, offsets) = (Samples(), Samples(), Samples(), Samples())
    for round in 0..<60 * runs {
      let place = draws.draw(below: rows)
      let start = draws.draw(below: max(1, rows - 50))
      let end = min(rows, start + 50)
      // The references have just asked for keys on their connection, too.
      var found = idRows.fetchedObjects[draws.draw(below: rows)].id
      one.add(time { found = idRows.fetchedObjects[place].id })
      var count = 0
      page.add(try time { count = try idRows.objectIDs(at: start..<end).count })
      read.add(try time { count += try objectRows.objects(at: start..<end).count })
      guard count == 2 * (end - start) else { throw BenchmarkError.wrongResult("a page") }
      // Other places, so that neither side finds pages that the other has just read.
      let other = anyID()
      guard found != nil, let key = try PlainRanks.key(of: anyID(), in: plain) else {
        throw BenchmarkError.wrongResult("an identity at a place")
      }
      lookups.add(
        try time { try plain.each("SELECT id FROM Message WHERE id = ?", [.integer(other)]) }
      )
      idPages.add(try keysetPage("id", from: key))
      let next = try PlainRanks.key(of: anyID(), in: plain) ?? key
      contents.add(try keysetPage("*", from: next))
      // It passes over all rows before, so a few are enough.
      if round < 5 { offsets.add(try offsetPage(at: start)) }
    }
    let singly = try readSingly(idRows.fetchedObjects, objectRows.fetchedObjects)
    ids.cancel()
    objects.cancel()
    return [
      figure(9, "identity at a random place", one.median)
        .beside(lookups.median, "an indexed key lookup in C", atLargest(3)),
      figure(9, "page of 50 identities at any depth", page.median)
        .beside(idPages.median, "a keyset page in C", atLargest(3)),
      figure(9, "page of 50 objects at any depth", read.median)
        .beside(contents.median, "a keyset page with its rows in C", atLargest(3)),
      figure(9, "50 identities at any depth, one by one", singly.ids.median)
        .beside(idPages.median, "a keyset page in C"),
      figure(9, "50 objects at any depth, one by one", singly.objects.median)
        .beside(contents.median, "a keyset page with its rows in C"),
      figure(9, "page of 50 identities at any depth, with an offset", page.median)
        .beside(offsets.median, "LIMIT 50 OFFSET n in C"),
    ]
  }

  /// Fifty rows from any place on, each asked for by itself.
  private func readSingly(
    _ idRows: FetchedObjects<ObjectID>,
    _ objectRows: FetchedObjects<Message>
  ) throws -> (ids: Samples, objects: Samples) {
    var (ids, objects) = (Samples(), Samples())
    for _ in 0..<60 * runs {
      let start = draws.draw(below: max(1, rows - 50))
      let end = min(rows, start + 50)
      var found: ObjectID?
      ids.add(time { for row in idRows[start..<end] { found = row.id ?? found } })
      objects.add(try time { for row in objectRows[start..<end] { _ = try row.get() } })
      guard found != nil else { throw BenchmarkError.wrongResult("an identity at a place") }
    }
    return (ids, objects)
  }

  /// Fifty rows from a key on, as a program reads a page that knows where the last one ended.
  private func keysetPage(_ columns: String, from key: PlainRanks.Key) throws -> Double {
    // An equality and one range, so that SQLite seeks without testing every row again; a second seek ends the page.
    try time {
      let sql = """
        SELECT \(columns) FROM Message WHERE folder = ? AND date >= ? ORDER BY date, id LIMIT ?
        """
      var count: Int64 = 0
      try plain.each(sql, [.integer(key.folder), .integer(key.date), .integer(50)]) { _ in
        count += 1
      }
      guard count < 50 else { return }
      let rest = """
        SELECT \(columns) FROM Message WHERE folder > ? ORDER BY folder, date, id LIMIT ?
        """
      try plain.each(rest, [.integer(key.folder), .integer(50 - count)])
    }
  }

  private func offsetPage(at place: Int) throws -> Double {
    try time {
      try plain.each(
        "SELECT id FROM Message ORDER BY folder, date, id LIMIT 50 OFFSET ?",
        [.integer(Int64(place))]
      )
    }
  }
}

// MARK: - Calls

extension MessageBench {
  /// Goal 15: the longest of all calls that return only when they are done, each the first one of a list.
  func longestCall() async throws -> [Measurement] {
    try store.checkForExternalChanges()
    var times: [String: Samples] = [:]
    for _ in 0..<runs {
      let controller = list(of: Message.self)
      try await controller.fetchExactly()
      try measureCalls(of: controller, &times)
    }
    let longest = times.max { $0.value.median < $1.value.median }
    guard let longest else { throw BenchmarkError.wrongResult("the calls of a list") }
    return [
      figure(15, "longest call: \(longest.key)", longest.value.median, atLargest(4000))
    ]
  }

  private func measureCalls(
    of controller: FetchedResultsController<Message>,
    _ times: inout [String: Samples]
  ) throws {
    let results = try controller.results()
    let place = draws.draw(below: rows)
    guard let path = results.snapshot.path(ofFlatPosition: place),
      let id = results.objectID(at: path)
    else { throw BenchmarkError.wrongResult("a place") }
    func call(_ name: String, _ body: () throws -> Void) rethrows {
      times[name, default: Samples()].add(try time(body))
    }
    call("path(of:)") { _ = results.path(of: id) }
    try call("results()") { _ = try controller.results() }
    call("objectID(at:)") { _ = results.objectID(at: path) }
    try call("object(at:)") { _ = try results.object(at: path) }
    call("sections") { _ = controller.sections.count }
    call("section(withID:)") { _ = results.section(withID: SectionID(.integer(7)))?.count }
    call("section(at:).title") { _ = results.section(at: path.section)?.title }
    call("path(ofFlatPosition:)") { _ = results.snapshot.path(ofFlatPosition: place) }
    call("fetchedObjects") { _ = results.fetchedObjects[place].id }
    try call("definition, pause()") {
      _ = controller.definition
      controller.pause()
      guard controller.isPaused else { throw BenchmarkError.wrongResult("a pause") }
    }
    call("cancel()") { controller.cancel() }
  }
}

// MARK: - Frozen results

extension MessageBench {
  /// Goal 12: what the list shows, kept while the list goes on: its time, its memory, and what it does to checkpoints.
  func freezing() async throws -> [Measurement] {
    try store.checkForExternalChanges()
    let controller = list(of: Message.self)
    try await controller.fetchExactly()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    var times = Samples()
    var kept: [(results: FetchedResults<Message>, place: Int, id: ObjectID?)] = []
    let before = ProcessFigures.memory
    for _ in 0..<40 * runs {
      var results: FetchedResults<Message>?
      times.add(try time { results = try controller.results() })
      let place = draws.draw(below: rows)
      if let results { kept.append((results, place, results.fetchedObjects[place].id)) }
      try change(anyID(), moving: true)
      guard case .change = await events.next() else {
        throw BenchmarkError.wrongResult("one change")
      }
    }
    let after = ProcessFigures.memory
    for (results, place, id) in kept where results.fetchedObjects[place].id != id {
      throw BenchmarkError.wrongResult("a frozen list")
    }
    try writer.run("PRAGMA busy_timeout = 0")
    var isBusy: Int64 = 0
    try writer.each("PRAGMA wal_checkpoint(TRUNCATE)") { isBusy = sqlite3_column_int64($0, 0) }
    try writer.run("PRAGMA busy_timeout = 5000")
    controller.cancel()
    let growth = (after?.own ?? 0) - (before?.own ?? 0)
    let name = "bytes a row and a frozen list, each of another generation"
    return [
      figure(12, "freezing what the list shows", times.median, 20),
      before == nil
        ? .missing(goal: 12, name, rows: rows, unit: "bytes", because: "no /proc/self/statm")
        // What one change touches is paid once a change; of the rows nothing may be copied.
        : figure(12, name, growth / Double(kept.count * rows), atLargest(0.01), "bytes"),
      figure(
        12,
        "checkpoints that frozen lists keep from ending",
        Double(isBusy),
        0,
        "checkpoints"
      ),
    ]
  }
}

// MARK: - Memory

extension MessageBench {
  /// Goal 4: what a list takes a row, in a process of its own.
  func memory(of list: MessageList) throws -> [Measurement] {
    let program = ChildProgram(ProcessFigures.program)
    let text = try program.output(["memory", file.path, list.rawValue])
    let numbers = text.split(whereSeparator: \.isWhitespace).map { Double($0) }
    guard let bytes = numbers.first ?? nil else { throw BenchmarkError.wrongResult("the memory") }
    let limit = list == .marks ? 0.9 : 0.6
    let words =
      switch list {
      case .subjects: "text keys"
      case .marks: "mostly equal sort keys"
      default: "keys"
      }
    let name = "growth of a process, \(words)"
    var all = [
      figure(4, "bytes a row, \(words)", bytes / Double(rows), atLargest(limit), "bytes")
    ]
    if numbers.count == 3, let resident = numbers[1], let own = numbers[2] {
      all += [
        figure(4, name, resident / 1e6, atLargest(16), "MB"),
        figure(4, "\(name), without pages of files", own / 1e6, nil, "MB"),
      ]
    } else {
      all.append(.missing(goal: 4, name, rows: rows, unit: "MB", because: "no /proc/self/statm"))
    }
    return all
  }
}
