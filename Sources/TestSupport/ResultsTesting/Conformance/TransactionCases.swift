import ResultsDomain
import ResultsStoreKit
import Synchronization

extension StoreConformance {
  private struct Interruption: Error, Equatable { let number: Int }

  static let transactionCases: [Case] = [
    Case("a transaction that throws is rolled back completely", ["R47", "R48"]) { fixture in
      let store = try fixture.open()
      try store.write { transaction in
        try transaction.insert(Sample.item("one"), key: nil, into: Sample.item)
        try transaction.insert(Sample.item("two"), key: nil, into: Sample.item)
      }
      let before = try fixture.allRows(store, Sample.item)
      let version = try fixture.version(store)
      try fixture.expectError(
        "the closure's own error inside",
        { error in
          guard case .aborted(let inner) = error else { return false }
          return inner as? Interruption == Interruption(number: 7)
        }
      ) {
        try store.write { transaction in
          try transaction.insert(Sample.item("three"), key: nil, into: Sample.item)
          try transaction.insert([.null], key: .text("t"), into: Sample.tag)
          let (first, second) = (Sample.itemID(1), Sample.itemID(2))
          let values = Sample.item("changed")
          try transaction.update(first, to: values, of: Sample.item, ifUnchangedFrom: nil)
          try transaction.delete(second, of: Sample.item)
          throw Interruption(number: 7)
        }
      }
      try fixture.expectRows(try fixture.allRows(store, Sample.item), before, "the items")
      try fixture.expectRows(try fixture.allRows(store, Sample.tag), [], "the tags")
      try fixture.expectEqual(try fixture.version(store), version, "the version")
      let changes = try fixture.changes(store, since: version, of: Sample.item)
      try fixture.expectChanges(changes, [], "the history")
    },

    Case("a store error in a transaction rolls it back and is rethrown unchanged", ["R47"]) {
      fixture in
      let store = try fixture.open()
      try fixture.expectError("not found", \.isNotFound) {
        try store.write { transaction in
          try transaction.insert(Sample.item("one"), key: nil, into: Sample.item)
          let values = Sample.item("x")
          let id = Sample.itemID(9)
          try transaction.update(id, to: values, of: Sample.item, ifUnchangedFrom: nil)
        }
      }
      try fixture.expectRows(try fixture.allRows(store, Sample.item), [], "the rows")
    },

    Case("a rejected step does not affect the rest of its transaction", ["R47"]) { fixture in
      let store = try fixture.open()
      try store.write { transaction in
        try transaction.insert(Sample.item("one"), key: nil, into: Sample.item)
        let rejections: [() throws -> Void] = [
          {
            try transaction.insert(Sample.item("x"), key: .integer(1), into: Sample.item)
          },
          {
            try transaction.insert(Sample.item(.null), key: nil, into: Sample.item)
          },
          {
            let id = Sample.itemID(1)
            let values = Sample.item(.null)
            try transaction.update(id, to: values, of: Sample.item, ifUnchangedFrom: nil)
          },
        ]
        for rejected in rejections {
          try fixture.expectError("a rejection", { _ in true }, rejected)
        }
        try transaction.insert(Sample.item("two"), key: nil, into: Sample.item)
      }
      let titles = try fixture.allRows(store, Sample.item).map { $0["title"] }
      try fixture.expectEqual(titles, ["one", "two"], "the titles")
    },

    Case("a transaction reads its own writes", ["R47"]) { fixture in
      let store = try fixture.open()
      try store.write { transaction in
        let version = transaction.version
        let list = try OrderDefinition.list(Sample.item, sortedBy: [.descending("title")])
        try transaction.insert(Sample.item("a"), key: nil, into: Sample.item)
        let id = try transaction.insert(Sample.item("b"), key: nil, into: Sample.item)
        try fixture.expectEqual(
          try transaction.list(list).map { $0["title"] },
          ["b", "a"],
          "the list after inserts"
        )
        try transaction.update(id, to: Sample.item("0"), of: Sample.item, ifUnchangedFrom: nil)
        try fixture.expectEqual(
          try transaction.list(list).map { $0["title"] },
          ["a", "0"],
          "the list after an update"
        )
        try transaction.delete(id, of: Sample.item)
        try fixture.expectEqual(try transaction.rows([id.key], of: Sample.item), [nil], "the row")
        try fixture.expectEqual(try transaction.count(of: Sample.item, where: .all), 1, "the count")
        try fixture.expectEqual(transaction.version, version, "the version while it runs")
      }
    },

    Case("a commit returns the closure's result and the new version", ["R48"]) { fixture in
      let store = try fixture.open()
      var last = try fixture.version(store)
      for number in 1...5 {
        let committed = try store.commit(origin: .unnamed) { transaction in
          try transaction.insert(Sample.item("x"), key: nil, into: Sample.item)
        }
        try fixture.expectEqual(committed.result, Sample.itemID(Int64(number)), "the result")
        let now = try fixture.version(store)
        try fixture.expectEqual(committed.version, now, "the version of the commit")
        try fixture.expectEqual(now.epoch, last.epoch, "the epoch")
        try fixture.expect(now.sequence > last.sequence, "a version above \(last)", found: "\(now)")
        last = now
      }
    },

    Case("a commit without changes creates no version", ["R27"]) { fixture in
      let store = try fixture.open()
      let values = Sample.item("same", note: "")
      try store.write { try $0.insert(values, key: nil, into: Sample.item) }
      let version = try fixture.version(store)
      let committed = try store.commit(origin: .unnamed) { transaction in
        let id = Sample.itemID(1)
        try transaction.update(id, to: values, of: Sample.item, ifUnchangedFrom: nil)
        let key = try transaction.insert(values, key: nil, into: Sample.item)
        try transaction.delete(key, of: Sample.item)
      }
      try fixture.expectEqual(committed.version, version, "the version of the commit")
      try fixture.expectEqual(try fixture.version(store), version, "the version")
      let commits = try fixture.commits(store, since: version, of: Sample.item)
      try fixture.expect(commits.isEmpty, "no commit in the history", found: "\(commits.count)")
    },

    Case("an asynchronous transaction is atomic too", ["R47"]) { fixture in
      let store = try fixture.open()
      let id = try await store.write { transaction in
        try transaction.insert(Sample.item("x"), key: nil, into: Sample.item)
      }
      try fixture.expectEqual(id, Sample.itemID(1), "the result")
      try fixture.expectEqual(
        try fixture.allRows(store, Sample.item).count,
        1,
        "the number of rows"
      )
      do {
        try await store.write { transaction in
          try transaction.insert(Sample.item("y"), key: nil, into: Sample.item)
          throw Interruption(number: 1)
        }
        throw fixture.failure("an error", "none")
      } catch StoreError.aborted(by: _ as Interruption) {
        try fixture.expectEqual(
          try fixture.allRows(store, Sample.item).count,
          1,
          "the rows after it"
        )
      }
    },
  ]
}

// MARK: - Isolation

extension StoreConformance {
  static let isolationCases: [Case] = [
    Case("a reader sees nothing of a transaction that has not committed", ["R47"]) { fixture in
      let store = try fixture.open()
      try fixture.write(store) { try $0.insert(Sample.item("old"), key: nil, into: Sample.item) }
      let (written, counted) = (Signal(), Signal())
      let limit = fixture.timeoutInMilliseconds / 2
      let writer: @Sendable () throws -> Void = {
        try store.write { transaction in
          try transaction.insert(Sample.item("new"), key: nil, into: Sample.item)
          written.send()
          guard counted.wait(milliseconds: limit) else {
            throw fixture.failure("a reader that does not wait for the writer", "it did")
          }
        }
      }
      let reader: @Sendable () throws -> Void = {
        try fixture.expect(written.wait(milliseconds: limit), "the writer to write")
        let count = try fixture.allRows(store, Sample.item).count
        counted.send()
        try fixture.expectEqual(count, 1, "the number of rows before the commit")
      }
      try await fixture.concurrently([writer, reader])
      try fixture.expectEqual(try fixture.allRows(store, Sample.item).count, 2, "the rows after it")
    },

    Case("a reader sees one version from its first read to its last", ["R48"]) { fixture in
      let store = try fixture.open()
      try fixture.write(store) { try $0.insert(Sample.item("old"), key: nil, into: Sample.item) }
      let (read, committed) = (Signal(), Signal())
      let limit = fixture.timeoutInMilliseconds / 2
      let definition = try OrderDefinition.list(Sample.item)
      let reader: @Sendable () throws -> Void = {
        try store.read { (snapshot) throws(StoreError) in
          do {
            let version = snapshot.version
            let before = try snapshot.list(definition)
            read.send()
            try fixture.expect(
              committed.wait(milliseconds: limit),
              "a writer that does not wait for readers"
            )
            try fixture.expectRows(try snapshot.list(definition), before, "the list")
            try fixture.expectEqual(snapshot.version, version, "the version")
            let count = try snapshot.count(of: Sample.item, where: .all)
            try fixture.expectEqual(count, 1, "the count")
            let rows = try snapshot.rows([.integer(2)], of: Sample.item)
            try fixture.expectEqual(rows, [nil], "the row that was inserted concurrently")
            guard
              case .commits(let commits) = try snapshot.history(since: version, of: Sample.item),
              commits.allSatisfy(\.changes.isEmpty)
            else { throw fixture.failure("no later commit in the history", "one") }
          } catch let error as StoreError {
            throw error
          } catch {
            throw StoreError.aborted(by: error)
          }
        }
      }
      let writer: @Sendable () throws -> Void = {
        try fixture.expect(read.wait(milliseconds: limit), "the reader to read")
        try store.write { transaction in
          try transaction.insert(Sample.item("new"), key: nil, into: Sample.item)
          try transaction.delete(Sample.itemID(1), of: Sample.item)
        }
        committed.send()
      }
      try await fixture.concurrently([reader, writer])
    },

    Case("readers and writers on many threads never see half a transaction", ["R48"]) { fixture in
      let store = try fixture.open()
      let (accounts, total) = (Int64(8), Int64(800))
      try fixture.write(store) { transaction in
        for _ in 1...accounts {
          let values = Sample.item("account", number: .integer(total / accounts))
          try transaction.insert(values, key: nil, into: Sample.item)
        }
      }
      let definition = try OrderDefinition.list(Sample.item, sortedBy: [.descending("number")])
      let writers = (0..<3).map { seed -> @Sendable () throws -> Void in
        {
          var generator = SeededGenerator(seed: UInt64(seed))
          for _ in 0..<60 {
            let source = Int64(generator.number(in: 1...Int(accounts)))
            let target = Int64(generator.number(in: 1...Int(accounts)))
            let amount = Int64(generator.number(in: 1...9))
            try store.write { transaction in
              for (account, change) in [(source, -amount), (target, amount)] {
                let id = Sample.itemID(account)
                let row = try transaction.rows([id.key], of: Sample.item).first.flatMap(\.self)
                var values = row?.values ?? []
                values[2] = .integer((values[2].integer ?? 0) + change)
                try transaction.update(id, to: values, of: Sample.item, ifUnchangedFrom: row)
              }
            }
          }
        }
      }
      let readers = (0..<3).map { _ -> @Sendable () throws -> Void in
        {
          var last: StoreVersion?
          for _ in 0..<60 {
            let (rows, version) = try store.read { (snapshot) throws(StoreError) in
              (try snapshot.list(definition), snapshot.version)
            }
            let sum = rows.reduce(0) { $0 + ($1["number"].integer ?? 0) }
            try fixture.expectEqual(rows.count, Int(accounts), "the number of accounts")
            try fixture.expectEqual(sum, total, "the sum of all accounts")
            if let last {
              try fixture.expect(version.sequence >= last.sequence, "versions that never decrease")
            }
            last = version
          }
        }
      }
      try await fixture.concurrently(writers + readers)
    },

    Case("a nested transaction is rejected, and the outer one continues", ["R48"]) {
      fixture in
      let store = try fixture.open()
      try await fixture.onThread("a transaction inside a transaction") {
        try store.write { transaction in
          try transaction.insert(Sample.item("outer"), key: nil, into: Sample.item)
          try fixture.expectError("a typed error", { _ in true }) {
            try store.write { try $0.insert(Sample.item("inner"), key: nil, into: Sample.item) }
          }
          try transaction.insert(Sample.item("outer too"), key: nil, into: Sample.item)
        }
      }
      let titles = try fixture.allRows(store, Sample.item).map { $0["title"] }
      try fixture.expectEqual(titles, ["outer", "outer too"], "the titles")
    },

    Case("a transaction inside a read commits or is rejected, and never blocks", ["R48"]) {
      fixture in
      let store = try fixture.open()
      let isCommitted = try await fixture.onThread("a transaction inside a read") {
        try store.read { (snapshot) throws(StoreError) in
          let before = try snapshot.count(of: Sample.item, where: .all)
          let isCommitted =
            (try? store.write { transaction in
              try transaction.insert(Sample.item("x"), key: nil, into: Sample.item)
            }) != nil
          let after = try snapshot.count(of: Sample.item, where: .all)
          guard before == after else {
            throw .aborted(
              by: fixture.failure("the version of the snapshot to stay the same", "another")
            )
          }
          return isCommitted
        }
      }
      let count = try fixture.allRows(store, Sample.item).count
      try fixture.expectEqual(count, isCommitted ? 1 : 0, "the number of rows")
      try fixture.write(store) { try $0.insert(Sample.item("y"), key: nil, into: Sample.item) }
    },
  ]
}

// MARK: - Random transactions

extension StoreConformance {
  static let randomCases: [Case] = [
    Case(
      "random transactions have the same effect on the store and on a plain array",
      ["R13", "R26", "R27", "R47"]
    ) {
      fixture in
      for seed in 100..<118 {
        var workload = RandomStoreWorkload(seed: UInt64(seed))
        let entity = try workload.entity()
        let store = try fixture.open([entity])
        let beginning = try fixture.version(store)
        var model = ModelStore(entity: entity)
        for step in 0..<25 {
          try fixture.transact(store, &model, &workload, "seed \(seed), transaction \(step)")
        }
        // Replaying the whole history produces the whole content.
        var replayed: [ObjectKey: Row] = [:]
        for change in try fixture.commits(store, since: beginning, of: entity).flatMap(\.changes) {
          try fixture.expectEqual(change.before, replayed[change.id.key], "seed \(seed): the image")
          replayed[change.id.key] = change.after
        }
        try fixture.expectEqual(replayed.count, model.rows.count, "seed \(seed): replayed rows")
        for row in model.rows {
          try fixture.expectEqual(replayed[row.id.key], row, "seed \(seed): the replayed row")
        }
        try store.close()
      }
    }
  ]
}

extension ConformanceFixture {
  private struct Interruption: Error {}

  /// Runs one random transaction on a store and on a model, and compares everything observable.
  fileprivate func transact(
    _ store: any Store,
    _ model: inout ModelStore,
    _ workload: inout RandomStoreWorkload,
    _ what: String
  ) throws {
    let entity = model.entity
    let generated = workload.transaction(on: entity, rows: model.rows)
    let isRolledBack = workload.generator.happens(percent: 15)
    let before = model
    let version = try version(store)
    var operations: [StoreOperation] = []
    var outcomes: [OperationOutcome] = []
    for operation in generated {
      operations.append(model.keyed(operation, for: store))
      outcomes.append(model.perform(operation))
    }
    do {
      try store.write { transaction in
        for (operation, outcome) in zip(operations, outcomes) {
          let seen = try transaction.perform(operation, on: entity)
          try expectEqual(seen, outcome, "\(what): \(operation)")
        }
        if isRolledBack { throw Interruption() }
      }
    } catch {
      guard case .aborted(let inner) = error, inner is Interruption else { throw error }
      model = before
    }
    let changes = try changes(store, since: version, of: entity)
    try expectChanges(changes, model.changes(from: before), "\(what): the changes")
    let isChanged = try self.version(store) != version
    try expectEqual(isChanged, !changes.isEmpty, "\(what): whether there is a new version")
    let rows = model.rows.sorted { ModelStore.order($0.id.key, $1.id.key) == .ascending }
    try expectRows(try allRows(store, entity), rows, "\(what): the rows")
    let terms = workload.sortDescriptors(for: entity)
    let predicate = workload.predicate(for: entity, keys: rows.map(\.id.key))
    if let list = try? OrderDefinition.list(entity, where: predicate, sortedBy: terms) {
      try expectRows(try self.rows(store, list), model.list(list), "\(what): \(predicate)")
    }
  }
}
