import ResultsDomain
import ResultsPresentation
import ResultsTesting
import Testing

@Suite("Conventions of a delta, in pictures")
struct DeltaConventionTests {
  /// One transition and the delta that it must give.
  struct Example: Sendable, CustomTestStringConvertible {
    var old: String
    var new: String
    var changed = ""
    var delta: String
    var row: String
    var testDescription: String { "\(row): \(old) becomes \(new)" }
  }

  static let examples = [
    Example(old: "A:", new: "A:", delta: "", row: "R27"),
    Example(
      old: "A:UXY",
      new: "A:XYU",
      changed: "XY",
      delta: "X[0,1]>[0,0] Y[0,2]>[0,1]",
      row: "C6, never U"
    ),
    Example(
      old: "A:UXY",
      new: "A:XYU",
      changed: "UXY",
      delta: "U[0,0]>[0,2] ~X[0,1]=[0,0] ~Y[0,2]=[0,1]",
      row: "C6, any may move"
    ),
    Example(
      old: "A:ab",
      new: "A:ba",
      changed: "ab",
      delta: "b[0,1]>[0,0] ~a[0,0]=[0,1]",
      row: "C6, ties"
    ),
    Example(old: "A:abc", new: "A:bc", delta: "-a[0,0]", row: "R33, shifts are implied"),
    Example(old: "A:abc", new: "A:abc", changed: "b", delta: "~b[0,1]=[0,1]", row: "C8"),
    Example(old: "A:ab", new: "A:b", changed: "b", delta: "-a[0,0] ~b[0,1]=[0,0]", row: "C7"),
    Example(old: "A:ab B:c", new: "A:a B:bc", changed: "b", delta: "b[0,1]>[1,0]", row: "C5"),
    Example(
      old: "A:x B:a",
      new: "B:xa",
      changed: "x",
      delta: "-S0 x[0,0]>[0,0]",
      row: "R32, C8: the same path in another section"
    ),
    Example(
      old: "A:mx",
      new: "A:nx",
      changed: "x",
      delta: "-m[0,0] +n[0,0] ~x[0,1]=[0,1]",
      row: "R32: nothing was passed"
    ),
    Example(
      old: "A:axb",
      new: "A:cxa",
      changed: "x",
      delta: "-b[0,2] x[0,1]>[0,1] +c[0,0]",
      row: "C8: the same path, but a was passed"
    ),
    Example(old: "A:a B:b", new: "A:a", delta: "-S1 -b[1,0]", row: "C3"),
    Example(old: "A:a", new: "A:a B:bc", delta: "+S1 +b[1,0] +c[1,1]", row: "C3"),
    Example(old: "A:ab B:c", new: "B:c A:ab", delta: "S1>0", row: "C4: rows move with it"),
    Example(old: "A:a B:b C:c", new: "C:c A:a B:b", delta: "S2>0", row: "R30"),
    Example(old: "A: B:b", new: "B:b A:", delta: "S1>0", row: "R30, empty"),
  ]

  @Test(arguments: examples)
  func `each transition gives its one delta`(example: Example) throws {
    let delta = drawnDelta(example.old, example.new, changed: example.changed)
    #expect(picture(delta) == example.delta)
    try delta.verify(from: drawn(example.old), to: drawn(example.new))
    #expect(delta.isEmpty == example.delta.isEmpty)
  }

  @Test func `R30: another title is an update of the section`() throws {
    let old = drawn("A:ab B:c")
    var new = old
    new.sections[1].header = SectionHeader(id: old.sections[1].header.id, title: "β")
    let delta = ReferenceDelta.computed(from: old, to: new) { _ in .none }
    #expect(picture(delta) == "~S1=1")
    try delta.verify(from: old, to: new)
    #expect(delta.tableViewBatch.retitledSections == [1])
  }

  /// Text is compared by bytes: か with a combining mark is not が.
  @Test func `titles that differ only in normalisation differ`() throws {
    let id = SectionID(.null)
    let old = ResultsContent(
      sections: [.init(header: SectionHeader(id: id, title: "\u{304C}"), rows: [])]
    )
    var new = old
    new.sections[0].header = SectionHeader(id: id, title: "\u{304B}\u{3099}")
    let delta = ReferenceDelta.computed(from: old, to: new) { _ in .none }
    #expect(picture(delta) == "~S0=0")
  }

  @Test func `C7: a moved row with other content is one entry that says so`() throws {
    let delta = drawnDelta("A:ab B:c", "A:a B:bc", changed: "b")
    #expect(delta.rows.count == 1)
    #expect(delta.rows.moves.first?.contentChanged == true)
    let batch = delta.tableViewBatch
    #expect(
      batch.movedRows == [.init(from: OldPath(section: 0, row: 1), to: NewPath(section: 1, row: 0))]
    )
    #expect(batch.reconfiguredRows == [NewPath(section: 1, row: 0)])
  }

  @Test func `R37: rows moving out of a deleted section are inserted in a batch`() {
    let batch = drawnDelta("A:x B:a", "B:xa", changed: "x").tableViewBatch
    #expect(batch.deletedSections == [0])
    #expect(batch.insertedRows == [NewPath(section: 0, row: 0)])
    #expect(batch.movedRows.isEmpty && batch.deletedRows.isEmpty)
  }

  @Test func `C4: a section move becomes delete and insert with its rows as moves`() throws {
    let old = drawn("A:ab B:c")
    let delta = drawnDelta("A:ab B:c", "B:c A:ab").withoutSectionMoves { old.sections[$0].rows }
    #expect(picture(delta) == "-S1 +S0 c[1,0]>[0,0]")
    #expect(throws: DeltaError.sectionReplaced(SectionID(.text("B")))) {
      try delta.verify(from: old, to: drawn("B:c A:ab"))
    }
  }

  @Test func `R35: steps count in the list just before them`() {
    let delta = drawnDelta("A:abc B:d", "C:x A:bca", changed: "a")
    #expect(
      delta.sequentialSteps == [
        .removeRow(at: RowPath(section: 1, row: 0)),
        .removeRow(at: RowPath(section: 0, row: 0)),
        .removeSection(at: 1),
        .insertSection(at: 0, SectionHeader(id: SectionID(.text("C")), title: "C")),
        .insertRow(at: RowPath(section: 0, row: 0), key("x"), row: nil),
        .insertRow(at: RowPath(section: 1, row: 2), key("a"), row: nil),
      ]
    )
  }

  private func key(_ text: String) -> ObjectID { ObjectID(entity: "Item", key: .text(text)) }

  /// A cursor on a deleted row and where it belongs.
  struct Cursor: Sendable, CustomTestStringConvertible {
    var old: String
    var new: String
    var cursor: OldPath
    var expected: NewPath?
    var testDescription: String { "\(old) becomes \(new), cursor at \(cursor.path)" }
  }

  static let cursors = [
    Cursor(
      old: "A:abc",
      new: "A:ac",
      cursor: OldPath(section: 0, row: 1),
      expected: NewPath(section: 0, row: 1)
    ),
    Cursor(
      old: "A:abc",
      new: "A:xyac",
      cursor: OldPath(section: 0, row: 1),
      expected: NewPath(section: 0, row: 3)
    ),
    Cursor(
      old: "A:abc",
      new: "A:xab",
      cursor: OldPath(section: 0, row: 2),
      expected: NewPath(section: 0, row: 2)
    ),
    Cursor(
      old: "A:a B:b",
      new: "A:x B:b",
      cursor: OldPath(section: 0, row: 0),
      expected: NewPath(section: 0, row: 0)
    ),
    Cursor(
      old: "A:a B:b C:c",
      new: "A:a C:c",
      cursor: OldPath(section: 1, row: 0),
      expected: NewPath(section: 1, row: 0)
    ),
    Cursor(
      old: "A:ab B:c",
      new: "A:ab",
      cursor: OldPath(section: 1, row: 0),
      expected: NewPath(section: 0, row: 1)
    ),
    Cursor(
      old: "A:a",
      new: "B:b",
      cursor: OldPath(section: 0, row: 0),
      expected: NewPath(section: 0, row: 0)
    ),
    Cursor(old: "A:a", new: "A:", cursor: OldPath(section: 0, row: 0), expected: nil),
  ]

  @Test(arguments: cursors)
  func `R42: a cursor goes to the nearest survivor`(example: Cursor) {
    let new = drawn(example.new)
    let delta = drawnDelta(example.old, example.new)
    let nearest = delta.nearestSurvivor(of: example.cursor) { new.sections[$0].rows.count }
    #expect(nearest == example.expected)
  }
}
