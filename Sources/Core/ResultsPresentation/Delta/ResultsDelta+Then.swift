import ResultsDomain

extension ResultsDelta {
  /// This change and the next one as one, made without any content (R28).
  ///
  /// Only net effects remain (C9): what came and left is not told, what left and came back is a move, an update or
  /// nothing, and what moved away and back stays. Which attributes changed is told where the rows or disjoint sets of
  /// attributes say it for certain; otherwise `changed` is `nil`. The result may be empty, and then is not to be
  /// delivered (R27).
  /// - Throws: `DeltaError.outOfSync` if the next change does not begin where this one ends, `DeltaError.otherLife` if it is another
  ///   list's (R44); another `DeltaError` if the two contradict each other.
  /// - Complexity: O(*c* log *c*) in the changes of both, whatever the length of the list.
  public func then(_ next: ResultsDelta) throws(DeltaError) -> ResultsDelta {
    guard unobserved == nil, next.unobserved == nil else { throw .partial }
    guard life == next.life else { throw .otherLife(expected: next.life, found: life) }
    guard to == next.from else { throw .outOfSync(expected: next.from, found: to) }
    guard newSectionCount == next.oldSectionCount else {
      throw .sectionCount(.before, expected: next.oldSectionCount, found: newSectionCount)
    }
    var assembler = DeltaAssembler(
      from: from,
      to: next.to,
      cause: cause.joined(with: next.cause),
      origins: origins
        + next.origins.filter { other in
          !origins.contains { $0.name.hasSameBytes(as: other.name) }
        },
      oldSectionCount: oldSectionCount,
      newSectionCount: next.newSectionCount
    )
    let (first, second) = (PathMapping(self), PathMapping(next))
    var sections = NetSections(first: first, second: second)
    try sections.add(self.sections)
    try sections.add(next: next.sections)
    try sections.collect(into: &assembler)

    var rows = NetRows(first: first, second: second, sections: PathMapping(assembler.delta))
    rows.add(self.rows)
    try rows.add(next: next.rows)
    try rows.collect(into: &assembler)
    var delta = assembler.delta
    delta.life = life
    delta.repair = repair ?? next.repair
    delta.hasOtherCauses = hasOtherCauses || next.hasOtherCauses || cause != next.cause
    return delta
  }
}
