import OrderStatistics
import ResultsDomain

/// What two changes in a row did to each section that either of them names.
struct NetSections {
  let first: PathMapping
  let second: PathMapping
  private var entries: [SectionID: Entry] = [:]

  private struct Entry {
    /// Place and header before both changes.
    var old: (place: Int, header: SectionHeader)?
    /// Place between the two changes.
    var between: Int?
    /// Place and header after both changes; the place is filled in at the end if the second names it not.
    var new: (place: Int?, header: SectionHeader)?
    /// Whether it was ever taken out of the order.
    var wasMoved: Bool
    var isSettled = false
  }

  init(first: PathMapping, second: PathMapping) {
    self.first = first
    self.second = second
  }

  /// Takes in the first change.
  mutating func add(_ changes: SectionChanges) throws(DeltaError) {
    for delete in changes.deletes {
      entries[delete.old.id] = Entry(old: (delete.from, delete.old), wasMoved: true)
    }
    for (survivors, moves) in [(changes.moves, true), (changes.updates, false)] {
      for move in survivors {
        entries[move.new.id] = Entry(
          old: (move.from, move.old),
          between: move.to,
          new: (nil, move.new),
          wasMoved: moves
        )
      }
    }
    for insert in changes.inserts {
      let old = entries[insert.new.id]?.old
      entries[insert.new.id] = Entry(
        old: old,
        between: insert.to,
        new: (nil, insert.new),
        wasMoved: true
      )
    }
  }

  /// Takes in the second change.
  mutating func add(next changes: SectionChanges) throws(DeltaError) {
    for delete in changes.deletes {
      var entry = try entry(of: delete.old, at: delete.from)
      entry.new = nil
      entry.wasMoved = true
      entry.isSettled = true
      entries[delete.old.id] = entry
    }
    for (survivors, moves) in [(changes.moves, true), (changes.updates, false)] {
      for move in survivors {
        var entry = try entry(of: move.old, at: move.from)
        entry.new = (move.to, move.new)
        entry.wasMoved = entry.wasMoved || moves
        entry.isSettled = true
        entries[move.old.id] = entry
      }
    }
    for insert in changes.inserts {
      var entry = entries[insert.new.id] ?? Entry(wasMoved: true)
      guard entry.between == nil || entry.isSettled && entry.new == nil else {
        throw .sectionTwice(.after, at: insert.to)
      }
      entry.new = (insert.to, insert.new)
      entry.isSettled = true
      entries[insert.new.id] = entry
    }
  }

  /// The entry of a section that the second change names at a place between the two.
  private func entry(of header: SectionHeader, at place: Int) throws(DeltaError) -> Entry {
    if let entry = entries[header.id] {
      guard entry.between == place, !entry.isSettled else {
        throw .sectionTwice(.before, at: place)
      }
      return entry
    }
    guard let old = first.oldSection(for: place) else { throw .noSection(.before, at: place) }
    return Entry(old: (old, header), between: place, wasMoved: false)
  }

  /// Gives the net changes of the sections.
  func collect(into assembler: inout DeltaAssembler) throws(DeltaError) {
    var moved: [SectionChanges.Move] = []
    for entry in entries.values {
      var place = entry.new?.place
      if !entry.isSettled, let between = entry.between {
        guard let found = second.newSection(for: between) else {
          throw .noSection(.before, at: between)
        }
        place = found
      }
      switch (entry.old, entry.new, place) {
      case (let old?, let new?, let place?):
        let move = SectionChanges.Move(
          from: old.place,
          to: place,
          old: old.header,
          new: new.header
        )
        if entry.wasMoved {
          moved.append(move)
        } else if move.old != move.new {
          assembler.sections.updates.append(move)
        }
      case (let old?, _, _):
        assembler.sections.deletes.append(.init(from: old.place, old: old.header))
      case (nil, let new?, let place?):
        assembler.sections.inserts.append(.init(to: place, new: new.header))
      default: break
      }
    }
    let stays = Set(
      MoveMinimizer.stationarySurvivors(
        oldPositions: moved.map(\.from),
        newPositions: moved.map(\.to),
        affectedOldPositions: (moved.map(\.from) + assembler.sections.deletes.map(\.from))
          .sorted(),
        affectedNewPositions: (moved.map(\.to) + assembler.sections.inserts.map(\.to)).sorted()
      )
    )
    for (index, move) in moved.enumerated() {
      if !stays.contains(index) {
        assembler.sections.moves.append(move)
      } else if move.old != move.new {
        assembler.sections.updates.append(move)
      }
    }
  }
}
