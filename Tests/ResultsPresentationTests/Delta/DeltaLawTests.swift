import ResultsDomain
import ResultsPresentation
import ResultsTesting
import Testing

@Suite("Laws of a delta, under random changes")
struct DeltaLawTests {
  static let seeds = Array(1...20)
  static let steps = 250

  /// Runs a random history and shows its seed and step where a law fails.
  private func history(
    _ seed: Int,
    check: (_ models: [ListModel], _ deltas: [ResultsDelta], _ context: Comment) throws -> Void
  ) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var model = ListModel()
    model.isSectioned = seed % 5 != 0
    var models = [model]
    var deltas: [ResultsDelta] = []
    for step in 0..<DeltaLawTests.steps {
      model.step(rows: 3 + seed % 7, using: &random)
      models.append(model)
      deltas.append(models[models.count - 2].delta(to: model, generation: step))
      if models.count > 4 {
        models.removeFirst()
        deltas.removeFirst()
      }
      try check(models, deltas, "seed \(seed), step \(step)")
    }
  }

  @Test(arguments: seeds)
  func `R26: applying a delta gives the new content, and verify accepts it`(seed: Int) throws {
    try history(seed) { models, deltas, context in
      let (old, new) = (models[models.count - 2].content, models[models.count - 1].content)
      let delta = deltas[deltas.count - 1]
      #expect(throws: Never.self, context) { try delta.verify(from: old, to: new) }
    }
  }

  @Test(arguments: seeds)
  func `R29: the inverse restores the old list, and its inverse is the delta itself`(seed: Int)
    throws
  {
    try history(seed) { models, deltas, context in
      let (old, new) = (models[models.count - 2].content, models[models.count - 1].content)
      let delta = deltas[deltas.count - 1]
      #expect(throws: Never.self, context) { try delta.inverse.verify(from: new, to: old) }
      #expect(delta.inverse.inverse == delta, context)
    }
  }

  @Test(arguments: seeds)
  func `R28: deltas in a row compose to a lawful one, in either grouping`(seed: Int) throws {
    try history(seed) { models, deltas, context in
      guard deltas.count == 3 else { return }
      let (old, new) = (models[models.count - 4].content, models[models.count - 1].content)
      let left = try deltas[0].then(deltas[1]).then(deltas[2])
      let right = try deltas[0].then(deltas[1].then(deltas[2]))
      #expect(throws: Never.self, context) { try left.verify(from: old, to: new) }
      #expect(throws: Never.self, context) { try right.verify(from: old, to: new) }
      #expect((left.from, left.to) == (deltas[0].from, deltas[2].to), context)
      // Deltas that carry their rows know exactly what changed in the end (C9, R39, R40).
      let direct = models[models.count - 4].delta(to: models[models.count - 1])
      #expect(left.isEmpty == direct.isEmpty || direct.rows.isEmpty, context)
      let expected = Dictionary(
        uniqueKeysWithValues: (direct.rows.moves + direct.rows.updates).map { ($0.id, $0) }
      )
      for survivor in left.rows.moves + left.rows.updates {
        if let direct = expected[survivor.id] {
          #expect(survivor.changed == direct.changed, context)
          #expect(survivor.old == direct.old && survivor.new == direct.new, context)
        }
      }
      #expect(left.rows.deletes == direct.rows.deletes, context)
      #expect(left.rows.inserts == direct.rows.inserts, context)
    }
  }

  @Test(arguments: seeds)
  func `R29: a delta and its inverse compose to nothing`(seed: Int) throws {
    try history(seed) { _, deltas, context in
      let delta = deltas[deltas.count - 1]
      let (there, back) = try (delta.then(delta.inverse), delta.inverse.then(delta))
      #expect(there.isEmpty && back.isEmpty, context)
    }
  }

  @Test(arguments: seeds)
  func `R35: the sequential steps give the same content`(seed: Int) throws {
    try history(seed) { models, deltas, context in
      var content = models[models.count - 2].content
      for step in deltas[deltas.count - 1].sequentialSteps {
        #expect(throws: Never.self, context) { try content.apply(step) }
      }
      #expect(content == models[models.count - 1].content, context)
    }
  }

  @Test(arguments: seeds)
  func `R38: the lowered batch is one that a table view accepts`(seed: Int) throws {
    try history(seed) { models, deltas, context in
      let counts = models.suffix(2).map { $0.content.sections.map(\.rows.count) }
      var view = TableViewSimulator(rowCounts: counts[0])
      let batch = deltas[deltas.count - 1].tableViewBatch
      #expect(throws: Never.self, context) { try view.perform(batch, newRowCounts: counts[1]) }
    }
  }

  @Test(arguments: seeds)
  func `C4: without section moves the delta still gives the same content`(seed: Int) throws {
    try history(seed) { models, deltas, context in
      let old = models[models.count - 2].content
      let delta = deltas[deltas.count - 1].withoutSectionMoves { old.sections[$0].rows }
      #expect(delta.sections.moves.isEmpty, context)
      let applied = try old.applying(delta)
      #expect(applied == models[models.count - 1].content, context)
    }
  }

  @Test(arguments: seeds)
  func `R42: every path maps to where its row is, and back`(seed: Int) throws {
    try history(seed) { models, deltas, context in
      let (old, new) = (models[models.count - 2].content, models[models.count - 1].content)
      let delta = deltas[deltas.count - 1]
      let mapping = PathMapping(delta)
      let newPaths = paths(of: new)
      for (id, path) in paths(of: old) {
        let found = mapping.newPath(for: OldPath(path))
        #expect(found?.path == newPaths[id], context)
        if let found { #expect(mapping.oldPath(for: found)?.path == path, context) }
        let nearest = delta.nearestSurvivor(of: OldPath(path)) { new.sections[$0].rows.count }
        #expect((nearest == nil) == newPaths.isEmpty, context)
        if let nearest { #expect(new.id(at: nearest.path) != nil, context) }
        if let found { #expect(nearest == found, context) }
      }
      for section in old.sections.indices {
        let expected = new.sections.firstIndex {
          $0.header.id == old.sections[section].header.id
        }
        #expect(mapping.newSection(for: section) == expected, context)
        if let expected { #expect(mapping.oldSection(for: expected) == section, context) }
      }
    }
  }

  private func paths(of content: ResultsContent) -> [ObjectID: RowPath] {
    var paths: [ObjectID: RowPath] = [:]
    for (section, rows) in content.sections.map(\.rows).enumerated() {
      for (row, id) in rows.enumerated() { paths[id] = RowPath(section: section, row: row) }
    }
    return paths
  }
}
