import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Testing

@Suite("What a delta is refused for")
struct DeltaErrorTests {
  private let old = drawn("A:abc B:d C:e")
  private let new = drawn("B:d A:cfa")

  private var delta: ResultsDelta { drawnDelta("A:abc B:d C:e", "B:d A:cfa", changed: "a") }

  private func refusal(_ edit: (inout ResultsDelta) -> Void) -> DeltaError? {
    var delta = delta
    edit(&delta)
    do throws(DeltaError) {
      try delta.verify(from: old, to: new)
      return nil
    } catch {
      return error
    }
  }

  @Test func `R26: the untouched delta is accepted`() {
    #expect(picture(delta) == "-S2 S1>0 -e[2,0] -b[0,1] a[0,0]>[1,2] +f[1,1]")
    #expect(refusal { _ in } == nil)
  }

  @Test func `R26: another row at a path is refused with its name and path`() {
    let other = ObjectID(entity: "Item", key: .text("z"))
    #expect(
      refusal { $0.rows.deletes[1].id = other }
        == .wrongRow(
          .before,
          at: RowPath(section: 0, row: 1),
          expected: other,
          found: old.sections[0].rows[1]
        )
    )
  }

  @Test func `R26: a path out of range is refused`() {
    #expect(
      refusal { $0.rows.deletes[1].from = OldPath(section: 0, row: 3) }
        == .noRow(.before, at: RowPath(section: 0, row: 3))
    )
    #expect(
      refusal { $0.rows.inserts[0].to = NewPath(section: 1, row: 3) }
        == .noRow(.after, at: RowPath(section: 1, row: 3))
    )
    #expect(
      refusal { $0.rows.inserts[0].to = NewPath(section: 7, row: .min) }
        == .noRow(.after, at: RowPath(section: 1, row: 2))
    )
    #expect(refusal { $0.sections.deletes[0].from = -1 } == .noSection(.before, at: -1))
    #expect(refusal { $0.sections.moves[0].to = .max } == .noSection(.after, at: .max))
  }

  @Test func `R26: two rows at one path are refused`() {
    #expect(
      refusal { $0.rows.inserts[0].to = NewPath(section: 1, row: 2) }
        == .duplicatePath(.after, at: RowPath(section: 1, row: 2))
    )
  }

  @Test func `C3: rows left over in a deleted section are refused`() {
    #expect(refusal { $0.rows.deletes.removeFirst() } == .leftoverRows(section: 2, count: 1))
  }

  @Test func `R31: a row named twice is refused`() {
    let update = RowChanges.Survivor(
      id: old.sections[0].rows[0],
      from: OldPath(section: 0, row: 0),
      to: NewPath(section: 1, row: 2),
      changed: nil
    )
    #expect(refusal { $0.rows.updates = [update] } == .duplicateRow(update.id))
  }

  @Test func `C2: another order of the entries is refused`() {
    #expect(refusal { $0.rows.deletes.reverse() } == .notCanonical(.rowDeletes))
  }

  @Test func `C7: an update without a change is refused`() {
    let id = old.sections[0].rows[2]
    let update = RowChanges.Survivor(
      id: id,
      from: OldPath(section: 0, row: 2),
      to: NewPath(section: 1, row: 0),
      changed: AttributeSet()
    )
    #expect(refusal { $0.rows.updates = [update] } == .emptyUpdate(id))
  }

  @Test func `C8: a move that passes nothing is refused`() {
    let id = old.sections[1].rows[0]
    let move = RowChanges.Survivor(
      id: id,
      from: OldPath(section: 1, row: 0),
      to: NewPath(section: 0, row: 0),
      changed: nil
    )
    #expect(refusal { $0.rows.moves.insert(move, at: 0) } == .needlessMove(id))
  }

  @Test func `R26: a wrong title or count of sections is refused`() {
    let header = SectionHeader(id: SectionID(.text("C")), title: "Γ")
    #expect(
      refusal { $0.sections.deletes[0].old = header }
        == .wrongSection(.before, at: 2, expected: header, found: old.sections[2].header)
    )
    #expect(
      refusal { $0.oldSectionCount = 2 } == .sectionCount(.before, expected: 2, found: 3)
    )
    #expect(refusal { $0.newSectionCount = 3 } == .sectionCount(.after, expected: 3, found: 2))
  }

  @Test func `R26: a missing insert shows as the first row that differs`() {
    let found = refusal { delta in
      delta.rows.inserts = []
      delta.rows.moves[0].to = NewPath(section: 1, row: 1)
    }
    #expect(
      found
        == .wrongRow(
          .after,
          at: RowPath(section: 1, row: 1),
          expected: new.sections[1].rows[1],
          found: old.sections[0].rows[0]
        )
    )
  }

  @Test func `R44: a gap between generations is out of sync`() {
    var next = delta
    next.from = 3
    #expect(throws: DeltaError.outOfSync(expected: 3, found: 2)) { try delta.then(next) }
  }

  @Test func `R28: contradicting deltas are refused, never trapped on`() {
    var next = delta
    next.from = 2
    next.oldSectionCount = 2
    #expect(throws: DeltaError.self) { try delta.then(next) }
  }

  @Test(arguments: 1...200)
  func `R20, R46: garbage is refused or applied, never trapped on`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    func number() -> Int {
      [-1, 0, 1, 2, 3, .max, .min, 1 << 40].randomElement(using: &random) ?? 0
    }
    var garbage = delta
    for index in garbage.rows.deletes.indices where Bool.random(using: &random) {
      garbage.rows.deletes[index].from = OldPath(section: number(), row: number())
    }
    if Bool.random(using: &random) {
      garbage.rows.moves[0].from = OldPath(section: number(), row: number())
      garbage.rows.moves[0].to = NewPath(section: number(), row: number())
    }
    if Bool.random(using: &random) {
      garbage.rows.inserts[0].to = NewPath(section: number(), row: number())
    }
    if Bool.random(using: &random) { garbage.sections.deletes[0].from = number() }
    if Bool.random(using: &random) { garbage.sections.moves[0].to = number() }
    if Bool.random(using: &random) { garbage.sections.moves[0].from = number() }
    _ = try? garbage.verify(from: old, to: new)
    _ = try? garbage.then(garbage.inverse)
    _ = try? garbage.inverse.verify(from: new, to: old)
    _ = garbage.sequentialSteps
    _ = garbage.tableViewBatch
    let cursor = OldPath(section: number(), row: number())
    _ = garbage.nearestSurvivor(of: cursor) { $0 < 2 ? 1 : 0 }
  }
}
