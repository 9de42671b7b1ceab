import ResultsDomain
import ResultsStoreKit

extension StoreConformance {
  static let undoCases: [Case] = [
    Case("an undone commit leaves the rows and keys that were there before", ["R121"]) { fixture in
      let store = try fixture.open()
      try store.write { transaction in
        for title in ["one", "two", "three"] {
          try transaction.insert(Sample.item(.text(title)), key: nil, into: Sample.item)
        }
        try transaction.insert([.integer(1)], key: .text("old"), into: Sample.tag)
        try transaction.insert(Sample.score("ann", 1, 10), key: nil, into: Sample.score)
      }
      let before = try Sample.entities.map { try fixture.allRows(store, $0) }
      let version = try fixture.version(store)
      try store.write(origin: CommitOrigin("edit")) { transaction in
        try transaction.update(Sample.itemID(1), to: Sample.item("uno"), of: Sample.item)
        try transaction.delete(Sample.itemID(2), of: Sample.item)
        try transaction.insert(Sample.item("four"), key: nil, into: Sample.item)
        try transaction.delete(Sample.tagID("old"), of: Sample.tag)
        try transaction.insert([.null], key: .text("new"), into: Sample.tag)
        // Another key is a row that goes and one that comes.
        let id = Sample.scoreID("ann", 1)
        try transaction.update(id, to: Sample.score("ann", 2, 11), of: Sample.score)
      }
      let after = try Sample.entities.map { try fixture.allRows(store, $0) }
      let changes = try fixture.allChanges(store, since: version)
      try fixture.expectEqual(changes.count, 7, "the number of changed rows")
      try store.write { try $0.undo(changes, among: Sample.entities) }
      for (index, entity) in Sample.entities.enumerated() {
        let rows = try fixture.allRows(store, entity)
        try fixture.expectRows(rows, before[index], "the rows of \(entity.name)")
      }
      try store.write { try $0.undo(changes.map(\.inverse), among: Sample.entities) }
      for (index, entity) in Sample.entities.enumerated() {
        let rows = try fixture.allRows(store, entity)
        try fixture.expectRows(rows, after[index], "the rows of \(entity.name) done again")
      }
    },

    Case("an undo refuses rows that others changed, and writes nothing", ["R121"]) { fixture in
      let store = try fixture.open()
      try store.write { transaction in
        for title in ["one", "two", "three"] {
          try transaction.insert(Sample.item(.text(title)), key: nil, into: Sample.item)
        }
      }
      let version = try fixture.version(store)
      try store.write { transaction in
        try transaction.update(Sample.itemID(1), to: Sample.item("uno"), of: Sample.item)
        try transaction.update(Sample.itemID(2), to: Sample.item("due"), of: Sample.item)
        try transaction.delete(Sample.itemID(3), of: Sample.item)
      }
      let changes = try fixture.allChanges(store, since: version)
      func expectRefusal(
        _ what: String,
        _ isExpected: (StoreError) -> Bool,
        after change: (any StoreTransaction) throws -> Void
      ) throws {
        struct RolledBack: Error {}
        do {
          try store.write { transaction in
            try change(transaction)
            let rows = try transaction.list(try .list(Sample.item, sortedBy: [.ascending("title")]))
            try fixture.expectError(what, isExpected) {
              try transaction.undo(changes, among: Sample.entities)
            }
            let now = try transaction.list(try .list(Sample.item, sortedBy: [.ascending("title")]))
            try fixture.expectRows(now, rows, "the rows after a refused undo")
            throw RolledBack()
          }
        } catch StoreError.aborted(by: is RolledBack) {}
      }
      try expectRefusal("a conflict that names the row") { error in
        guard case .conflict(Sample.itemID(2), let expected, let stored) = error else {
          return false
        }
        return expected["title"] == "due" && stored["title"] == "zwei"
      } after: { transaction in
        try transaction.update(Sample.itemID(2), to: Sample.item("zwei"), of: Sample.item)
      }
      try expectRefusal("a row that is gone") { error in
        if case .notFound(Sample.itemID(1)) = error { true } else { false }
      } after: { transaction in
        try transaction.delete(Sample.itemID(1), of: Sample.item)
      }
      try expectRefusal("a row that is there again") { error in
        if case .alreadyExists(Sample.itemID(3)) = error { true } else { false }
      } after: { transaction in
        try transaction.insert(Sample.item("drei"), key: .integer(3), into: Sample.item)
      }
    },

    Case("commits with names are retained with their changes, if any are", ["R281"]) { fixture in
      let store = try fixture.open()
      func retained() throws -> [RetainedCommits.Commit]? {
        try store.read { (snapshot) throws(StoreError) in try snapshot.retainedCommits() }?
          .commits.filter { $0.origin != .unnamed }
      }
      func records(from commit: RetainedCommits.Commit) throws -> [CommitRecord] {
        let history = try store.read { (snapshot) throws(StoreError) in
          try snapshot.history(from: commit, ofEach: Sample.entities)
        }
        guard case .commits(let records) = history else {
          throw fixture.failure("commits", "\(history)")
        }
        return records
      }
      // A store may keep no history for other processes.
      guard try retained() != nil else { return }
      for title in ["one", "two", "three"] {
        try store.write(origin: CommitOrigin(title)) { transaction in
          try transaction.insert(Sample.item(.text(title)), key: nil, into: Sample.item)
          try transaction.insert([.integer(1)], key: .text(title), into: Sample.tag)
        }
        try store.write { transaction in
          try transaction.insert([.integer(2)], key: .text("after \(title)"), into: Sample.tag)
        }
      }
      try store.write(origin: CommitOrigin("edit")) { transaction in
        try transaction.update(Sample.itemID(2), to: Sample.item("due"), of: Sample.item)
      }
      let commits = try retained() ?? []
      let names = ["one", "two", "three", "edit"]
      try fixture.expectEqual(commits.map(\.origin.name), names, "the names, oldest first")
      for (earlier, later) in zip(commits, commits.dropFirst()) {
        try fixture.expect(earlier.number < later.number, "numbers that grow")
      }
      for (index, commit) in commits.enumerated() {
        let found = try records(from: commit)
        let named = found.filter { $0.origin != .unnamed }.map(\.origin.name)
        try fixture.expectEqual(named, Array(names[index...]), "the commits from \(names[index])")
        try fixture.expectEqual(found.first?.origin, commit.origin, "the first commit")
      }
      let two = Sample.row(Sample.itemID(2), Sample.item("two"))
      let found = try records(from: commits[1])
      try fixture.expectChanges(
        found[0].changes.filter { $0.id == two.id },
        [CommittedChange(id: two.id, before: nil, after: two)],
        "the row after its commit, and not as it is now"
      )
      let due = Sample.row(two.id, Sample.item("due"))
      try fixture.expectChanges(
        found.last?.changes ?? [],
        [CommittedChange(id: two.id, before: two, after: due)],
        "the last commit"
      )
    },
  ]
}

extension ConformanceFixture {
  /// Returns the net changes of all sample entities since a version, which must be one commit of each.
  fileprivate func allChanges(
    _ store: any Store,
    since version: StoreVersion
  ) throws -> [CommittedChange] {
    let history = try store.read { (snapshot) throws(StoreError) in
      try snapshot.history(since: version, ofEach: Sample.entities)
    }
    guard case .commits(let records) = history, records.count == 1 else {
      throw failure("one commit", "\(history)")
    }
    return records[0].changes
  }
}
