import ResultsDomain
import ResultsStoreKit
import Synchronization

extension StoreConformance {
  static let historyCases: [Case] = [
    Case("the history reports each change with the row before and after", ["R26", "R27"]) {
      fixture in
      let store = try fixture.open()
      let old = Sample.row(Sample.itemID(1), Sample.item("old", note: ""))
      let new = Sample.row(Sample.itemID(1), Sample.item("new"))
      var version = try fixture.version(store)
      try store.commit(origin: CommitOrigin("importer")) { transaction in
        try transaction.insert(old.values, key: nil, into: Sample.item)
      }
      let commits = try fixture.commits(store, since: version, of: Sample.item)
      try fixture.expectEqual(commits.map(\.origin.name), ["importer"], "the origin")
      try fixture.expectEqual(commits.map(\.version), [try fixture.version(store)], "the version")
      try fixture.expectChanges(
        commits.flatMap(\.changes),
        [CommittedChange(id: old.id, before: nil, after: old)],
        "an insert"
      )
      version = try fixture.version(store)
      try store.write { transaction in
        try transaction.update(old.id, to: new.values, of: Sample.item, ifUnchangedFrom: nil)
      }
      try fixture.expectChanges(
        try fixture.changes(store, since: version, of: Sample.item),
        [CommittedChange(id: old.id, before: old, after: new)],
        "an update"
      )
      version = try fixture.version(store)
      try store.write { _ = try $0.delete(old.id, of: Sample.item) }
      try fixture.expectChanges(
        try fixture.changes(store, since: version, of: Sample.item),
        [CommittedChange(id: old.id, before: new, after: nil)],
        "a delete"
      )
    },

    Case("steps of one transaction that cancel out are not in the history", ["R27"]) { fixture in
      let store = try fixture.open()
      let row = Sample.row(Sample.itemID(1), Sample.item("row", note: "", number: 3))
      try store.write { try $0.insert(row.values, key: nil, into: Sample.item) }
      func update(_ transaction: any StoreTransaction, _ values: [Value]) throws {
        try transaction.update(row.id, to: values, of: Sample.item, ifUnchangedFrom: nil)
      }
      let noChanges: [(String, (any StoreTransaction) throws -> Void)] = [
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
      let version = try fixture.version(store)
      for (name, steps) in noChanges {
        try store.commit(origin: .unnamed, steps)
        let changes = try fixture.changes(store, since: version, of: Sample.item)
        try fixture.expectChanges(changes, [], name)
        try fixture.expectEqual(try fixture.version(store), version, "the version after \(name)")
      }
      try fixture.expectRows(try fixture.allRows(store, Sample.item), [row], "the row after all")
    },

    Case("a delete and an insert of one key are one change", ["R27"]) { fixture in
      let store = try fixture.open()
      let old = Sample.row(Sample.itemID(1), Sample.item("old", note: "kept?"))
      let new = Sample.row(Sample.itemID(1), Sample.item("new"))
      try store.write { try $0.insert(old.values, key: nil, into: Sample.item) }
      let version = try fixture.version(store)
      try store.write { transaction in
        try transaction.delete(old.id, of: Sample.item)
        try transaction.insert(Sample.item("between"), key: old.id.key, into: Sample.item)
        try transaction.update(old.id, to: new.values, of: Sample.item, ifUnchangedFrom: nil)
      }
      try fixture.expectChanges(
        try fixture.changes(store, since: version, of: Sample.item),
        [CommittedChange(id: old.id, before: old, after: new)],
        "the net change"
      )
    },

    Case("the history of an entity holds no changes of other entities", ["R26"]) { fixture in
      let store = try fixture.open()
      let version = try fixture.version(store)
      try store.write { transaction in
        try transaction.insert([.null], key: .text("both"), into: Sample.tag)
        try transaction.insert(Sample.item("both"), key: nil, into: Sample.item)
      }
      try store.write { try $0.insert([.null], key: .text("tag"), into: Sample.tag) }
      let items = try fixture.changes(store, since: version, of: Sample.item)
      try fixture.expectEqual(items.map(\.id), [Sample.itemID(1)], "the items")
      let tags = try fixture.commits(store, since: version, of: Sample.tag)
        .map { $0.changes.map(\.id) }
      let expected = [[Sample.tagID("both")], [Sample.tagID("tag")]]
      try fixture.expectEqual(tags.filter { !$0.isEmpty }, expected, "the tags")
      try fixture.expectChanges(
        try fixture.changes(store, since: version, of: Sample.score),
        [],
        "the scores"
      )
    },

    Case("commits are listed oldest first, and only those after the requested version", ["R28"]) {
      fixture in
      let store = try fixture.open()
      var versions = [try fixture.version(store)]
      for number in 1...6 {
        let values = Sample.item(.text("t\(number)"))
        let made = try store.commit(origin: CommitOrigin("\(number)")) { transaction in
          try transaction.insert(values, key: nil, into: Sample.item)
        }
        versions.append(made.version)
      }
      for (index, version) in versions.enumerated() {
        let commits = try fixture.commits(store, since: version, of: Sample.item)
        let later = versions[(index + 1)...]
        try fixture.expectEqual(commits.map(\.version), Array(later), "the versions since \(index)")
        let names = (index..<6).map { String($0 + 1) }
        try fixture.expectEqual(commits.map(\.origin.name), names, "the origins since \(index)")
      }
    },

    Case("a version of another epoch is a gap", ["R87"]) { fixture in
      let store = try fixture.open()
      try store.write { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
      let version = try fixture.version(store)
      let other = StoreVersion(epoch: version.epoch &+ 1, sequence: version.sequence)
      let history = try store.read { (snapshot) throws(StoreError) in
        try snapshot.history(since: other, of: Sample.item)
      }
      guard case .gap(.otherEpoch) = history else {
        throw fixture.failure("the gap otherEpoch", "\(history)")
      }
      let second = try fixture.open()
      try fixture.expect(
        try fixture.version(second).epoch != version.epoch,
        "a different epoch for another store"
      )
      try fixture.expect(
        second.identity.uniqueName != store.identity.uniqueName,
        "a different unique name for another store"
      )
    },

    Case("a trimmed history reports a gap", ["R87"], needs: .boundedHistory) { fixture in
      let store = fixture.track(
        try fixture.unwrap(fixture.provider.openWithHistory)(Sample.entities, 4)
      )
      var versions = [try fixture.version(store)]
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
        throw fixture.failure("the gap trimmed", "\(history)")
      }
      let last = try fixture.commits(store, since: versions[8], of: Sample.item)
      try fixture.expectEqual(last.map(\.version), Array(versions[9...]), "the last commits")
    },
  ]
}

// MARK: - Commit notifications

extension StoreConformance {
  static let notificationCases: [Case] = [
    Case("every observer is notified of a commit", ["R48"]) { fixture in
      let store = try fixture.open()
      let observers = [store.commitNotifications(), store.commitNotifications()]
      for round in 1...3 {
        let before = try fixture.version(store)
        try fixture.write(store) { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
        for (number, notifications) in observers.enumerated() {
          // A notification may be late or early, so the case waits for the version.
          let isNotified = await fixture.withTimeout {
            for await _ in notifications where (try? fixture.version(store)) != before {
              return true
            }
            return false
          }
          try fixture.expect(
            isNotified == true,
            "a notification of observer \(number), commit \(round)"
          )
        }
      }
    },

    Case("notifications end when the store is closed", ["R87"]) { fixture in
      let store = try fixture.open()
      let before = store.commitNotifications()
      try store.close()
      let after = store.commitNotifications()
      for (name, notifications) in [("before", before), ("after", after)] {
        let isEnded = await fixture.withTimeout {
          for await _ in notifications {}
          return true
        }
        try fixture.expect(
          isEnded == true,
          "notifications requested \(name) the close to end",
          found: "no end"
        )
      }
    },

    Case("a commit is passed to the observer's closure or notified", ["R48"]) { fixture in
      let store = try fixture.open()
      let followed = Mutex<[StoreVersion]>([])
      let notifications = store.commitNotifications { snapshot in
        // A read inside the closure has the same version.
        guard (try? fixture.version(store)) == snapshot.version else { return false }
        return followed.withLock {
          $0.append(snapshot.version)
          return $0.count.isMultiple(of: 2)
        }
      }
      for round in 1...6 {
        let calls = followed.withLock { $0.count }
        try fixture.write(store) { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
        let version = try fixture.version(store)
        let seen = followed.withLock { $0 }
        if seen.count > calls {
          try fixture.expect(seen.last == version, "the closure to receive commit \(round)")
          guard !seen.count.isMultiple(of: 2) else { continue }
        }
        let isNotified = await fixture.withTimeout {
          for await _ in notifications { return true }
          return false
        }
        try fixture.expect(
          isNotified == true,
          "a notification of commit \(round), which the closure declined"
        )
      }
    },

    Case("a transaction that is rolled back calls no observer", ["R48"]) { fixture in
      let store = try fixture.open()
      let calls = Mutex(0)
      let notifications = store.commitNotifications { _ in
        calls.withLock { $0 += 1 }
        return true
      }
      do {
        try fixture.write(store) { transaction in
          try transaction.insert(Sample.item("x"), key: nil, into: Sample.item)
          throw CancellationError()
        }
      } catch {}
      try fixture.expect(calls.withLock { $0 } == 0, "no call for a rolled-back transaction")
      withExtendedLifetime(notifications) {}
    },

    Case("a cancelled observer does not affect the others", ["R48"]) { fixture in
      let store = try fixture.open()
      for _ in 0..<20 { _ = store.commitNotifications() }
      let observer = Task {
        for await _ in store.commitNotifications() {}
      }
      observer.cancel()
      let notifications = store.commitNotifications()
      try fixture.write(store) { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
      let isNotified = await fixture.withTimeout {
        for await _ in notifications { return true }
        return false
      }
      try fixture.expect(isNotified == true, "a notification")
    },
  ]
}

// MARK: - Life cycle

extension StoreConformance {
  static let lifeCases: [Case] = [
    Case("a store reports its entities and starts empty", ["R87"]) { fixture in
      let store = try fixture.open()
      try fixture.expectEqual(store.entities, Sample.entities, "the entities")
      try fixture.expect(!store.identity.uniqueName.isEmpty, "a unique name")
      try fixture.expectEqual(store.capabilities.isReadOnly, false, "whether it is read-only")
      for entity in Sample.entities {
        let definition = try OrderDefinition.list(entity)
        let (keys, count) = try store.read { (snapshot) throws(StoreError) in
          (try snapshot.keys(of: definition), try snapshot.count(of: entity, where: .all))
        }
        try fixture.expectEqual(keys.count, 0, "the number of keys")
        try fixture.expectEqual(count, 0, "the count")
      }
      let version = try fixture.version(store)
      try store.checkForExternalChanges()
      try fixture.expectEqual(
        try fixture.version(store),
        version,
        "the version, without other writers"
      )
    },

    Case("every call on a closed store fails with closed", ["R87"]) { fixture in
      let store = try fixture.open()
      try store.write { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
      try store.close()
      try fixture.expectError("reading to fail", \.isClosed) { try fixture.version(store) }
      try fixture.expectError("writing to fail", \.isClosed) {
        try store.write { try $0.insert(Sample.item("y"), key: nil, into: Sample.item) }
      }
      try fixture.expectError("checking for external changes to fail", \.isClosed) {
        try store.checkForExternalChanges()
      }
      try store.close()
    },

    Case("a store opened read-only rejects writes", ["R87"], needs: .readOnlyOpening) {
      fixture in
      let store = try fixture.open()
      try store.write { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
      let reader = fixture.track(try fixture.unwrap(fixture.provider.openForReading)(store))
      try fixture.expectEqual(reader.capabilities.isReadOnly, true, "whether it is read-only")
      let rows = try fixture.allRows(store, Sample.item)
      try fixture.expectRows(try fixture.allRows(reader, Sample.item), rows, "the rows")
      try fixture.expectError("writing to fail", \.isReadOnly) {
        try reader.write { try $0.insert(Sample.item("y"), key: nil, into: Sample.item) }
      }
      try fixture.expectRows(try fixture.allRows(reader, Sample.item), rows, "the rows after it")
    },

    Case("a reopened store holds what was committed", ["R87"], needs: .reopening) {
      fixture in
      var workload = RandomStoreWorkload(seed: 5)
      let entities = [
        try workload.entity(named: "One", identity: .integer()),
        try workload.entity(named: "Two", identity: .text()),
        try workload.entity(named: "Three", identity: .compound(["left", "right"])),
      ]
      let store = try fixture.open(entities)
      var contents: [[Row]] = []
      for entity in entities {
        _ = try fixture.fill(store, entity, &workload, count: 30)
        contents.append(try fixture.allRows(store, entity))
      }
      let (identity, version) = (store.identity, try fixture.version(store))
      let reopened = fixture.track(try fixture.unwrap(fixture.provider.reopen)(store))
      try fixture.expectEqual(reopened.identity, identity, "the identity")
      for (entity, rows) in zip(entities, contents) {
        try fixture.expectRows(
          try fixture.allRows(reopened, entity),
          rows,
          "the rows of \(entity.name)"
        )
        let history = try reopened.read { (snapshot) throws(StoreError) in
          try snapshot.history(since: version, of: entity)
        }
        if case .commits(let commits) = history {
          try fixture.expect(commits.allSatisfy(\.changes.isEmpty), "no change by reopening")
        }
      }
    },
  ]
}
