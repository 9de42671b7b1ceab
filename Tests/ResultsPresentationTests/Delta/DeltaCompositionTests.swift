import ResultsDomain
import ResultsPresentation
import ResultsTesting
import Testing

@Suite("Two changes as one")
struct DeltaCompositionTests {
  private func then(
    _ contents: [String],
    _ changed: [String]
  ) throws -> ResultsDelta {
    var deltas = zip(zip(contents, contents.dropFirst()), changed)
      .map { drawnDelta($0.0, $0.1, changed: $1) }
    for index in deltas.indices { (deltas[index].from, deltas[index].to) = (index, index + 1) }
    var all = deltas[0]
    for delta in deltas.dropFirst() { all = try all.then(delta) }
    try all.verify(
      from: drawn(contents[0]),
      to: drawn(contents[contents.count - 1])
    )
    return all
  }

  /// Contents one after the other, and the one delta they make.
  struct Example: Sendable, CustomTestStringConvertible {
    var contents: [String]
    var changed: [String]
    var delta: String
    var testDescription: String { contents.joined(separator: " becomes ") }
  }

  static let examples = [
    Example(contents: ["A:a", "A:ab", "A:a"], changed: ["", ""], delta: ""),
    Example(contents: ["A:a", "A:a B:b", "A:a"], changed: ["", ""], delta: ""),
    Example(contents: ["A:a B:b", "B:b A:a", "A:a B:b"], changed: ["", ""], delta: ""),
    Example(
      contents: ["A:a B:b", "B:b", "B:b A:a"],
      changed: ["", ""],
      delta: "S0>1 ~a[0,0]=[1,0]"
    ),
    Example(contents: ["A:a B:b", "A:a", "A:a B:b"], changed: ["", ""], delta: "~b[1,0]=[1,0]"),
    Example(
      contents: ["A:abc", "A:bca", "A:abc"],
      changed: ["a", "a"],
      delta: "~a[0,0]=[0,0]"
    ),
    Example(
      contents: ["A:abc", "A:bac", "A:bca"],
      changed: ["a", "a"],
      delta: "a[0,0]>[0,2]"
    ),
    Example(
      contents: ["A:ab B:c", "A:a B:bc", "A:ab B:c"],
      changed: ["b", "b"],
      delta: "~b[0,1]=[0,1]"
    ),
    Example(contents: ["A:ab", "A:b", "A:xb"], changed: ["", ""], delta: "-a[0,0] +x[0,0]"),
    Example(
      contents: ["A:a B:b", "A:ab", "C:b A:a"],
      changed: ["b", "b"],
      delta: "-S1 +S0 b[1,0]>[0,0]"
    ),
    Example(
      contents: ["A:a", "A:xa", "A:yxa"],
      changed: ["", "a"],
      delta: "+y[0,0] +x[0,1] ~a[0,0]=[0,2]"
    ),
  ]

  @Test(arguments: examples)
  func `R28, C9: only the net effect remains`(example: Example) throws {
    #expect(picture(try then(example.contents, example.changed)) == example.delta)
  }

  private let id = ObjectID(entity: "Item", key: .text("a"))

  private func frame(
    _ generation: Int,
    _ rows: RowChanges,
    cause: DeltaCause = .own,
    origins: [CommitOrigin] = []
  ) -> ResultsDelta {
    ResultsDelta(
      from: generation,
      to: generation + 1,
      cause: cause,
      origins: origins,
      rows: rows,
      oldSectionCount: 1,
      newSectionCount: 1
    )
  }

  private func row(_ number: Int64) throws -> Row {
    let entity = try EntityDescription(
      name: "Item",
      identity: .text(),
      attributes: [AttributeDescription("number", .integer64)]
    )
    return Row(entity: entity, id: id, values: [.integer(number)])
  }

  private func update(
    _ changed: [Int]?,
    old: Row? = nil,
    new: Row? = nil
  ) -> RowChanges {
    let changed = changed.map { AttributeSet(indexes: $0) }
    return RowChanges(
      updates: [
        .init(
          id: id,
          from: OldPath(section: 0, row: 0),
          to: NewPath(section: 0, row: 0),
          old: old,
          new: new,
          changed: changed
        )
      ]
    )
  }

  @Test(
    arguments: [
      ([0], [1], [0, 1]), ([0], [0], nil), ([0], nil, nil), (nil, [1], nil), ([0], [], [0]),
    ] as [([Int]?, [Int]?, [Int]?)]
  )
  func `R40: changed attributes are named only where they are certain`(
    first: [Int]?,
    second: [Int]?,
    both: [Int]?
  ) throws {
    let delta = try frame(1, update(first)).then(frame(2, update(second)))
    let expected = both.map { AttributeSet(indexes: $0) }
    #expect(delta.rows.updates.map(\.changed) == [expected])
  }

  @Test func `C9, R40: a value that changes and changes back is no change`() throws {
    let first = frame(1, update([0], old: try row(1), new: try row(2)))
    let back = frame(2, update([0], old: try row(2), new: try row(1)))
    let on = frame(2, update([0], old: try row(2), new: try row(3)))
    #expect(try first.then(back).isEmpty)
    let both = try first.then(on)
    #expect(both.rows.updates.map(\.changed) == [AttributeSet(indexes: [0])])
    #expect(both.rows.updates.map(\.old) == [try row(1)])
    #expect(both.rows.updates.map(\.new) == [try row(3)])
  }

  @Test func `R39: values are taken from whichever change knows them`() throws {
    let paths = (OldPath(section: 0, row: 0), NewPath(section: 0, row: 0))
    let known = try row(1)
    let untouched = frame(1, update([]))
    let delete = RowChanges(deletes: [.init(id: id, from: paths.0, old: known)])
    #expect(try untouched.then(frame(2, delete)).rows.deletes.map(\.old) == [known])
    let read = frame(1, update([], old: known))
    let unread = RowChanges(deletes: [.init(id: id, from: paths.0)])
    #expect(try read.then(frame(2, unread)).rows.deletes.map(\.old) == [known])
    // The values just before the delete are not those before both changes.
    let touched = frame(1, update([0]))
    #expect(try touched.then(frame(2, delete)).rows.deletes.map(\.old) == [nil])
    let later = frame(2, update([0], old: known, new: try row(2)))
    #expect(try untouched.then(later).rows.updates.map(\.old) == [known])

    let insert = frame(1, RowChanges(inserts: [.init(id: id, to: paths.1, new: known)]))
    #expect(try insert.then(frame(2, update([]))).rows.inserts.map(\.new) == [known])
    #expect(try insert.then(frame(2, update(nil))).rows.inserts.map(\.new) == [nil])
  }

  @Test func `C9: a row deleted and inserted again is an update, or nothing if it is the same`()
    throws
  {
    let paths = (OldPath(section: 0, row: 0), NewPath(section: 0, row: 0))
    let delete = frame(1, RowChanges(deletes: [.init(id: id, from: paths.0, old: try row(1))]))
    for (number, changed) in [(1 as Int64, [AttributeSet?]()), (2, [AttributeSet(indexes: [0])])] {
      let insert = RowChanges(inserts: [.init(id: id, to: paths.1, new: try row(number))])
      let both = try delete.then(frame(2, insert))
      #expect(both.rows.updates.map(\.changed) == changed)
      #expect(both.rows.count == changed.count)
    }
  }

  @Test func `causes join by rank, and origins are named once, oldest first`() throws {
    let first = frame(1, update([0]), cause: .own, origins: [CommitOrigin("b"), CommitOrigin("が")])
    let second = frame(
      2,
      update([1]),
      cause: .external,
      origins: [CommitOrigin("か\u{3099}"), CommitOrigin("b")]
    )
    let both = try first.then(second)
    #expect(both.cause == .external)
    #expect(
      both.origins.map { Array($0.name.utf8) }
        == ["b", "が", "か\u{3099}"].map { Array($0.utf8) }
    )
  }

  @Test func `R36: updates are in the order of their new paths`() throws {
    let delta = try then(["A:abc", "A:abc", "A:abc"], ["ca", "b"])
    #expect(picture(delta) == "~a[0,0]=[0,0] ~b[0,1]=[0,1] ~c[0,2]=[0,2]")
  }

  @Test func `R30: a section that passes nothing is not moved`() {
    let header = drawn("A:").sections[0].header
    var delta = frame(1, RowChanges())
    delta.sections.moves = [.init(from: 0, to: 0, old: header, new: header)]
    #expect(throws: DeltaError.needlessSectionMove(header.id)) {
      try delta.verify(from: drawn("A:"), to: drawn("A:"))
    }
  }
}
