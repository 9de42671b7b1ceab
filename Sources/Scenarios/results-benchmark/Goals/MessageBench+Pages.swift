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
    let (idRows, objectRows) = (try ids.results, try objects.results)
    var (one, page, read) = (Samples(), Samples(), Samples())
    var (lookups, idPages, contents, offsets) = (Samples(), Samples(), Samples(), Samples())
    for round in 0..<60 * runs {
      let place = draws.draw(below: rows)
      let start = draws.draw(below: max(1, rows - 50))
      let end = min(rows, start + 50)
      // The references have just asked for keys on their connection, too.
      var found = idRows.rows[draws.draw(below: rows)].objectID
      one.add(time { found = idRows.rows[place].objectID })
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
    let singly = try readSingly(idRows.rows, objectRows.rows)
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
    _ idRows: ResultsRows<ObjectID>,
    _ objectRows: ResultsRows<Message>
  ) throws -> (ids: Samples, objects: Samples) {
    var (ids, objects) = (Samples(), Samples())
    for _ in 0..<60 * runs {
      let start = draws.draw(below: max(1, rows - 50))
      let end = min(rows, start + 50)
      var found: ObjectID?
      ids.add(time { for row in idRows[start..<end] { found = row.objectID ?? found } })
      objects.add(try time { for row in objectRows[start..<end] { _ = try row.object } })
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
