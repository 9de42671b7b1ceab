import OrderStatistics
import ResultsDomain

extension FullDelta {
  /// Matches the rows of the two windows by identity.
  func match() throws(StoreError) -> KeyedDifference {
    guard old.entity == next.entity else {
      // Objects of different entities are never the same, though their keys may be.
      let (gone, count) = (Int64(old.window.count), Int64(next.window.count))
      return try match(Array(0..<gone), Array(gone..<gone + count))
    }
    if case .integer = next.entity.identity {
      return try match(old.integerKeys(), next.integerKeys())
    }
    let (oldKeys, newKeys) = (try old.identityKeys(), try next.identityKeys())
    do {
      return try KeyedDifference(from: oldKeys, to: newKeys)
    } catch {
      throw failure(error)
    }
  }

  private func match(_ oldKeys: [Int64], _ newKeys: [Int64]) throws(StoreError) -> KeyedDifference {
    do {
      return try KeyedDifference(from: oldKeys, to: newKeys)
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: DuplicateIdentityError) -> StoreError {
    let snapshot = error.side == .old ? old : next
    guard let id = snapshot.objectID(atFlatPosition: error.firstPosition) else {
      return .unexpected(path: next.entity.name, detail: "an identity stands twice in one list")
    }
    return .request(
      .duplicateIdentity(id, first: error.firstPosition, second: error.secondPosition)
    )
  }
}

extension ResultsSnapshot {
  /// The integer keys of the rows in the window.
  func integerKeys() throws(StoreError) -> [Int64] {
    var numbers: [Int64] = []
    numbers.reserveCapacity(window.count)
    let column = KeyColumn(.integer)
    try keys.forEachKey(in: window) { _, key in
      let identity = UnsafeRawBufferPointer(rebasing: key[layout.identityStart(in: key)...])
      numbers.append(KeyReader.value(of: column, in: identity).integer ?? 0)
    }
    return numbers
  }

  /// The identity bytes of the rows in the window.
  func identityKeys() throws(StoreError) -> KeyBatch {
    var batch = KeyBatch()
    try keys.forEachKey(in: window) { _, key in
      batch.append(UnsafeRawBufferPointer(rebasing: key[layout.identityStart(in: key)...]))
    }
    return batch
  }

  /// The section of every row in the window.
  func sectionsOfRows() -> [Int] {
    var sections: [Int] = []
    sections.reserveCapacity(window.count)
    for section in 0..<sectionCount {
      sections.append(contentsOf: repeatElement(section, count: counts[section]))
    }
    return sections
  }
}

/// Which sections of two generations are the same, and what happened to the others.
struct SectionMatch {
  /// Where each section of the old generation is in the new one, or -1 if it is gone.
  var newSection: [Int]
  var changes = SectionChanges()

  /// Matches sections by id.
  /// - Complexity: O(*s* log *n*) in the sections.
  init(from old: ResultsSnapshot, to next: ResultsSnapshot) {
    let oldHeaders = (0..<old.sectionCount).compactMap(old.header(ofSection:))
    let newHeaders = (0..<next.sectionCount).compactMap(next.header(ofSection:))
    var places: [SectionID: Int] = [:]
    for (place, header) in newHeaders.enumerated() { places[header.id] = place }
    newSection = oldHeaders.map { places[$0.id] ?? -1 }
    let survivors = newSection.indices.filter { newSection[$0] >= 0 }
    let kept = longestIncreasingSubsequence(of: survivors.map { newSection[$0] })
    var stays = Array(repeating: false, count: oldHeaders.count)
    for place in kept { stays[survivors[place]] = true }
    var known = Set<Int>()
    for (from, to) in newSection.enumerated() {
      guard to >= 0 else {
        changes.deletes.append(SectionChanges.Delete(from: from, old: oldHeaders[from]))
        continue
      }
      known.insert(to)
      let move = SectionChanges.Move(
        from: from,
        to: to,
        old: oldHeaders[from],
        new: newHeaders[to]
      )
      if !stays[from] {
        changes.moves.append(move)
      } else if move.old != move.new {
        changes.updates.append(move)
      }
    }
    for to in newHeaders.indices where !known.contains(to) {
      changes.inserts.append(SectionChanges.Insert(to: to, new: newHeaders[to]))
    }
    changes.deletes.reverse()
    changes.moves.sort { $0.to < $1.to }
    changes.updates.sort { $0.to < $1.to }
  }
}
