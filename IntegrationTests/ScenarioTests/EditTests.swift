import Testing

/// R13: two processes that edit one object: nothing is lost unless somebody says that the last write wins.
@Suite struct EditTests {
  private func makeStore() throws -> ProgramRun {
    let run = try ProgramRun()
    try run.run("book-catalog", "add", "publisher=P", "title=A", "year=1999", "--store", "b.sqlite")
    return run
  }

  private func edit(_ run: ProgramRun, _ words: String...) throws -> ProgramResult {
    try run.run("book-catalog", ["edit", "1"] + words + ["--store", "b.sqlite"])
  }

  /// What `show` prints of an attribute.
  private func shown(_ run: ProgramRun, _ name: String) throws -> String {
    let result = try run.run("book-catalog", "show", "1", "--store", "b.sqlite")
    let line = try #require(result.lines.first { $0.hasPrefix("\(name) ") }, "\(result)")
    return String(line.dropFirst(name.count).trimmingPrefix { $0 == " " })
  }

  @Test func `an edit based on an older version is refused, and says what is stored`() throws {
    let run = try makeStore()
    let version = try shown(run, "version")
    #expect(version.count == 16)
    #expect(try edit(run, "title=B", "year=NULL").status == 0)

    let refused = try edit(run, "title=C", "--based-on", version)
    #expect(refused.status == 75, "\(refused)")
    #expect(refused.output == "")
    let newVersion = try shown(run, "version")
    let words = [
      "Book 1", version, newVersion, "Nothing was written", "show 1", "--overwrite",
      "title       B (edit: C)", "year        NULL\n", "publisher   P\n",
    ]
    for word in words { #expect(refused.errors.contains(word), "\(word): \(refused)") }
    #expect(try shown(run, "title") == "B")
    #expect(
      try edit(run, "title=C", "--based-on", newVersion).output == "changed title of Book 1\n"
    )
    #expect(try shown(run, "title") == "C")
  }

  @Test func `the last write wins if that is asked for`() throws {
    let run = try makeStore()
    let version = try shown(run, "version")
    #expect(try edit(run, "title=B").status == 0)
    #expect(try edit(run, "title=C", "--based-on", version, "--overwrite").status == 0)
    #expect(try shown(run, "title") == "C")
    #expect(try shown(run, "year") == "1999")
  }

  @Test func `a version comes back with its values`() throws {
    let run = try makeStore()
    let version = try shown(run, "version")
    #expect(try edit(run, "title=B").status == 0)
    #expect(try edit(run, "title=A").status == 0)
    #expect(try shown(run, "version") == version)
    #expect(try edit(run, "title=C", "--based-on", version).status == 0)
  }

  @Test func `an object that was removed is not found, and no version is none`() throws {
    let run = try makeStore()
    let version = try shown(run, "version")
    #expect(try edit(run, "title=B", "--based-on", "latest").status == 64)
    try run.run("book-catalog", "remove", "1", "--store", "b.sqlite")
    #expect(try edit(run, "title=B", "--based-on", version).status == 1)
  }

  @Test func `of many edits based on one version exactly one is made`() throws {
    let run = try makeStore()
    let version = try shown(run, "version")
    let editors = try (0..<8).map { number in
      try run.start(
        "book-catalog",
        "edit",
        "1",
        "title=T\(number)",
        "--based-on",
        version,
        "--store",
        "b.sqlite"
      )
    }
    let results = try editors.map { try $0.finish() }
    let winners = results.indices.filter { results[$0].status == 0 }
    #expect(winners.count == 1, "\(results)")
    #expect(results.count { $0.status == 75 } == 7, "\(results)")
    #expect(try shown(run, "title") == winners.first.map { "T\($0)" })
  }

  @Test func `edits of different attributes at once are both kept`() throws {
    let run = try makeStore()
    for round in 0..<8 {
      let one = try run.start("book-catalog", "edit", "1", "title=T\(round)", "--store", "b.sqlite")
      let other = try run.start(
        "book-catalog",
        "edit",
        "1",
        "year=\(2000 + round)",
        "--store",
        "b.sqlite"
      )
      let results = [try one.finish(), try other.finish()]
      #expect(results.allSatisfy { $0.status == 0 }, "\(results)")
      #expect(try shown(run, "title") == "T\(round)")
      #expect(try shown(run, "year") == "\(2000 + round)")
    }
  }
}
