import ResultsDomain
import Synchronization

extension StoreConformance {
  static let historyCases: [Case] = [
    Case("the history tells each change with the row before and after", ["R26", "R27"]) { bench in
      let store = try bench.open()
      let old = Sample.row(Sample.itemID(1), Sample.item("old", note: ""))
      let new = Sample.row(Sample.itemID(1), Sample.item("new"))
      var version = try bench.version(store)
      try store.commit(origin: CommitOrigin("importer")) { transaction in
        try transaction.insert(old.values, key: nil, into: Sample.item)
      }
      let commits = try bench.commits(store, since: version, of: Sample.item)
      try bench.expectEqual(commits.map(\.origin.name), ["importer"], "the origin")
      try bench.expectEqual(commits.map(\.version), [try bench.version(store)], "the version")
      try bench.expectChanges(
        commits.flatMap(\.changes),
        [CommittedChange(id: old.id, before: nil, after: old)],
        "an insert"
      )
      version = try bench.version(store)
      try store.write { transaction in
        try transaction.update(old.id, to: new.values, of: Sample.item, ifUnchangedFrom: nil)
      }
      try bench.expectChanges(
        try bench.changes(store, since: version, of: Sample.item),
        [CommittedChange(id: old.id, before: old, after: new)],
        "an update"
      )
      version = try bench.version(store)
      try store.write { _ = try $0.delete(old.id, of: Sample.item) }
      try bench.expectChanges(
        try bench.changes(store, since: version, of: Sample.item),
        [CommittedChange(id: old.id, before: new, after: nil)],
        "a delete"
      )
    },

    Case("steps of one transaction that cancel out are not in the history", ["R27"]) { bench in
      let store = try bench.open()
      let row = Sample.row(Sample.itemID(1), Sample.item("row", note: "", number: 3))
      try store.write { try $0.insert(row.values, key: nil, into: Sample.item) }
      func update(_ transaction: any StoreTransaction, _ values: [Value]) throws {
        try transaction.update(row.id, to: values, of: Sample.item, ifUnchangedFrom: nil)
      }
      let silences: [(String, (any StoreTransaction) throws -> Void)] = [
        ("nothing at all", { _ in }),
        ("the same values", { try update($0, row.values) }),
        (
          "a change and back",
          {
            try update($0, Sample.item("x"))
            try update($0, row.values)
          }
        ),
        (
          "an insert and a delete",
          { transaction in
            let id = try transaction.insert(Sample.item("x"), key: nil, into: Sample.item)
            try transaction.delete(id, of: Sample.item)
          }
        ),
        (
          "a delete and the same insert",
          { transaction in
            try transaction.delete(row.id, of: Sample.item)
            try transaction.insert(row.values, key: row.id.key, into: Sample.item)
          }
        ),
        (
          "a change, a delete and the first insert",
          { transaction in
            try update(transaction, Sample.item("x"))
            try transaction.delete(row.id, of: Sample.item)
            try transaction.insert(row.values, key: row.id.key, into: Sample.item)
          }
        ),
      ]
      let version = try bench.version(store)
      for (name, steps) in silences {
        try store.commit(origin: .unnamed, steps)
        let changes = try bench.changes(store, since: version, of: Sample.item)
        try bench.expectChanges(changes, [], name)
        try bench.expectEqual(try bench.version(store), version, "the version after \(name)")
      }
      try bench.expectRows(try bench.allRows(store, Sample.item), [row], "the row after all")
    },

    Case("a delete and an insert of one key are one change", ["R27"]) { bench in
      let store = try bench.open()
      let old = Sample.row(Sample.itemID(1), Sample.item("old", note: "kept?"))
      let new = Sample.row(Sample.itemID(1), Sample.item("new"))
      try store.write { try $0.insert(old.values, key: nil, into: Sample.item) }
      let version = try bench.version(store)
      try store.write { transaction in
        try transaction.delete(old.id, of: Sample.item)
        try transaction.insert(Sample.item("between"), key: old.id.key, into: Sample.item)
        try transaction.update(old.id, to: new.values, of: Sample.item, ifUnchangedFrom: nil)
      }
      try bench.expectChanges(
        try bench.changes(store, since: version, of: Sample.item),
        [CommittedChange(id: old.id, before: old, after: new)],
        "the net change"
      )
    },

    Case("the history of an entity tells of no other", ["R26"]) { bench in
      let store = try bench.open()
      let version = try bench.version(store)
      try store.write { transaction in
        try transaction.insert([.null], key: .text("both"), into: Sample.tag)
        try transaction.insert(Sample.item("both"), key: nil, into: Sample.item)
      }
      try store.write { try $0.insert([.null], key: .text("tag"), into: Sample.tag) }
      let items = try bench.changes(store, since: version, of: Sample.item)
      try bench.expectEqual(items.map(\.id), [Sample.itemID(1)], "the items")
      let tags = try bench.commits(store, since: version, of: Sample.tag)
        .map { $0.changes.map(\.id) }
      let expected = [[Sample.tagID("both")], [Sample.tagID("tag")]]
      try bench.expectEqual(tags.filter { !$0.isEmpty }, expected, "the tags")
      try bench.expectChanges(
        try bench.changes(store, since: version, of: Sample.score),
        [],
        "the scores"
      )
    },

    Case("commits come oldest first, and only those after the version asked", ["R28"]) { bench in
      let store = try bench.open()
      var versions = [try bench.version(store)]
      for number in 1...6 {
        let values = Sample.item(.text("t\(number)"))
        let made = try store.commit(origin: CommitOrigin("\(number)")) { transaction in
          try transaction.insert(values, key: nil, into: Sample.item)
        }
        versions.append(made.version)
      }
      for (index, version) in versions.enumerated() {
        let commits = try bench.commits(store, since: version, of: Sample.item)
        let later = versions[(index + 1)...]
        try bench.expectEqual(commits.map(\.version), Array(later), "the versions since \(index)")
        let names = (index..<6).map { String($0 + 1) }
        try bench.expectEqual(commits.map(\.origin.name), names, "the origins since \(index)")
      }
    },

    Case("a version of another life of the store is a gap", ["R87"]) { bench in
      let store = try bench.open()
      try store.write { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
      let version = try bench.version(store)
      let foreign = StoreVersion(epoch: version.epoch &+ 1, sequence: version.sequence)
      let history = try store.read { (snapshot) throws(StoreError) in
        try snapshot.history(since: foreign, of: Sample.item)
      }
      guard case .gap(.otherEpoch) = history else {
        throw bench.failure("the gap otherEpoch", "\(history)")
      }
      let other = try bench.open()
      try bench.expect(
        try bench.version(other).epoch != version.epoch,
        "another epoch for another store"
      )
      try bench.expect(
        other.identity.uniqueName != store.identity.uniqueName,
        "another unique name for another store"
      )
    },

    Case("a history that was trimmed says so", ["R87"], needs: .boundedHistory) { bench in
      let store = bench.keep(
        try bench.given(bench.provider.openWithHistory)(Sample.entities, 4)
      )
      var versions = [try bench.version(store)]
      for _ in 1...10 {
        versions.append(
          try store.commit(origin: .unnamed) { transaction in
            try transaction.insert(Sample.item("x"), key: nil, into: Sample.item)
          }.version
        )
      }
      let oldest = versions[0]
      let history = try store.read { (snapshot) throws(StoreError) in
        try snapshot.history(since: oldest, of: Sample.item)
      }
      guard case .gap(.trimmed) = history else {
        throw bench.failure("the gap trimmed", "\(history)")
      }
      let last = try bench.commits(store, since: versions[8], of: Sample.item)
      try bench.expectEqual(last.map(\.version), Array(versions[9...]), "the last commits")
    },
  ]
}

// MARK: - Commit notifications

extension StoreConformance {
  static let hintCases: [Case] = [
    Case("a commit is hinted at to everyone who listens", ["R48"]) { bench in
      let store = try bench.open()
      let listeners = [store.commitNotifications(), store.commitNotifications()]
      for round in 1...3 {
        let before = try bench.version(store)
        try bench.write(store) { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
        for (number, hints) in listeners.enumerated() {
          // A hint may be late or early, so the version is what is waited for.
          let isHeard = await bench.inTime {
            for await _ in hints where (try? bench.version(store)) != before { return true }
            return false
          }
          try bench.expect(isHeard == true, "a hint for listener \(number), commit \(round)")
        }
      }
    },

    Case("hints end when the store is closed", ["R87"]) { bench in
      let store = try bench.open()
      let before = store.commitNotifications()
      try store.close()
      let after = store.commitNotifications()
      for (name, hints) in [("before", before), ("after", after)] {
        let isEnded = await bench.inTime {
          for await _ in hints {}
          return true
        }
        try bench.expect(isEnded == true, "hints asked for \(name) the end to end", saw: "no end")
      }
    },

    Case("a commit is handed over to be followed, or hinted at", ["R48"]) { bench in
      let store = try bench.open()
      let followed = Mutex<[StoreVersion]>([])
      let hints = store.commitNotifications { snapshot in
        // Reading the store goes on in the same version.
        guard (try? bench.version(store)) == snapshot.version else { return false }
        return followed.withLock {
          $0.append(snapshot.version)
          return $0.count.isMultiple(of: 2)
        }
      }
      for round in 1...6 {
        let calls = followed.withLock { $0.count }
        try bench.write(store) { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
        let version = try bench.version(store)
        let seen = followed.withLock { $0 }
        if seen.count > calls {
          try bench.expect(seen.last == version, "the closure sees commit \(round)")
          guard !seen.count.isMultiple(of: 2) else { continue }
        }
        let isHeard = await bench.inTime {
          for await _ in hints { return true }
          return false
        }
        try bench.expect(isHeard == true, "a hint for commit \(round), which was not followed")
      }
    },

    Case("a transaction that is undone is handed to nobody", ["R48"]) { bench in
      let store = try bench.open()
      let calls = Mutex(0)
      let hints = store.commitNotifications { _ in
        calls.withLock { $0 += 1 }
        return true
      }
      do {
        try bench.write(store) { transaction in
          try transaction.insert(Sample.item("x"), key: nil, into: Sample.item)
          throw CancellationError()
        }
      } catch {}
      try bench.expect(calls.withLock { $0 } == 0, "no call for what was undone")
      withExtendedLifetime(hints) {}
    },

    Case("a listener that went away disturbs nobody", ["R48"]) { bench in
      let store = try bench.open()
      for _ in 0..<20 { _ = store.commitNotifications() }
      let listener = Task {
        for await _ in store.commitNotifications() {}
      }
      listener.cancel()
      let hints = store.commitNotifications()
      try bench.write(store) { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
      let isHeard = await bench.inTime {
        for await _ in hints { return true }
        return false
      }
      try bench.expect(isHeard == true, "a hint")
    },
  ]
}

// MARK: - Life cycle

extension StoreConformance {
  static let lifeCases: [Case] = [
    Case("a store knows its entities and begins empty", ["R87"]) { bench in
      let store = try bench.open()
      try bench.expectEqual(store.entities, Sample.entities, "the entities")
      try bench.expect(!store.identity.uniqueName.isEmpty, "a unique name")
      try bench.expectEqual(store.capabilities.isReadOnly, false, "whether it is read-only")
      for entity in Sample.entities {
        let definition = try OrderDefinition.list(entity)
        let (keys, count) = try store.read { (snapshot) throws(StoreError) in
          (try snapshot.keys(of: definition), try snapshot.count(of: entity, where: .all))
        }
        try bench.expectEqual(keys.count, 0, "the number of keys")
        try bench.expectEqual(count, 0, "the count")
      }
      let version = try bench.version(store)
      try store.checkForExternalChanges()
      try bench.expectEqual(try bench.version(store), version, "the version, without other writers")
    },

    Case("a closed store says so", ["R87"]) { bench in
      let store = try bench.open()
      try store.write { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
      try store.close()
      try bench.expectError("reading to fail", \.isClosed) { try bench.version(store) }
      try bench.expectError("writing to fail", \.isClosed) {
        try store.write { try $0.insert(Sample.item("y"), key: nil, into: Sample.item) }
      }
      try bench.expectError("looking to fail", \.isClosed) { try store.checkForExternalChanges() }
      try store.close()
    },

    Case("a store opened for reading refuses to write", ["R87"], needs: .readOnlyOpening) {
      bench in
      let store = try bench.open()
      try store.write { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
      let reader = bench.keep(try bench.given(bench.provider.openForReading)(store))
      try bench.expectEqual(reader.capabilities.isReadOnly, true, "whether it is read-only")
      let rows = try bench.allRows(store, Sample.item)
      try bench.expectRows(try bench.allRows(reader, Sample.item), rows, "the rows")
      try bench.expectError("writing to fail", \.isReadOnly) {
        try reader.write { try $0.insert(Sample.item("y"), key: nil, into: Sample.item) }
      }
      try bench.expectRows(try bench.allRows(reader, Sample.item), rows, "the rows after it")
    },

    Case("what was committed is there when the store is opened again", ["R87"], needs: .reopening) {
      bench in
      var workload = RandomStoreWorkload(seed: 5)
      let entities = [
        try workload.entity(named: "One", identity: .integer()),
        try workload.entity(named: "Two", identity: .text()),
        try workload.entity(named: "Three", identity: .compound(["left", "right"])),
      ]
      let store = try bench.open(entities)
      var contents: [[Row]] = []
      for entity in entities {
        _ = try bench.fill(store, entity, &workload, count: 30)
        contents.append(try bench.allRows(store, entity))
      }
      let (identity, version) = (store.identity, try bench.version(store))
      let again = bench.keep(try bench.given(bench.provider.reopen)(store))
      try bench.expectEqual(again.identity, identity, "the identity")
      for (entity, rows) in zip(entities, contents) {
        try bench.expectRows(try bench.allRows(again, entity), rows, "the rows of \(entity.name)")
        let history = try again.read { (snapshot) throws(StoreError) in
          try snapshot.history(since: version, of: entity)
        }
        if case .commits(let commits) = history {
          try bench.expect(commits.allSatisfy(\.changes.isEmpty), "no change by opening again")
        }
      }
    },
  ]
}
