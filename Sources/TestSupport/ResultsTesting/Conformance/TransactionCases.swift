import ResultsDomain
import Synchronization

extension StoreConformance {
  private struct Interruption: Error, Equatable { let number: Int }

  static let transactionCases: [Case] = [
    Case("a transaction that throws leaves nothing behind", ["R47", "R48"]) { bench in
      let store = try bench.open()
      try store.write { transaction in
        try transaction.insert(Sample.item("one"), key: nil, into: Sample.item)
        try transaction.insert(Sample.item("two"), key: nil, into: Sample.item)
      }
      let before = try bench.allRows(store, Sample.item)
      let version = try bench.version(store)
      try bench.expectError(
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
      try bench.expectRows(try bench.allRows(store, Sample.item), before, "the items")
      try bench.expectRows(try bench.allRows(store, Sample.tag), [], "the tags")
      try bench.expectEqual(try bench.version(store), version, "the version")
      let changes = try bench.changes(store, since: version, of: Sample.item)
      try bench.expectChanges(changes, [], "the history")
    },

    Case("a store's error in a transaction undoes it and comes out as it is", ["R47"]) { bench in
      let store = try bench.open()
      try bench.expectError("not found", \.isNotFound) {
        try store.write { transaction in
          try transaction.insert(Sample.item("one"), key: nil, into: Sample.item)
          let values = Sample.item("x")
          let id = Sample.itemID(9)
          try transaction.update(id, to: values, of: Sample.item, ifUnchangedFrom: nil)
        }
      }
      try bench.expectRows(try bench.allRows(store, Sample.item), [], "the rows")
    },

    Case("a refused step leaves the rest of its transaction alone", ["R47"]) { bench in
      let store = try bench.open()
      try store.write { transaction in
        try transaction.insert(Sample.item("one"), key: nil, into: Sample.item)
        let refusals: [() throws -> Void] = [
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
        for refusal in refusals { try bench.expectError("a refusal", { _ in true }, refusal) }
        try transaction.insert(Sample.item("two"), key: nil, into: Sample.item)
      }
      let titles = try bench.allRows(store, Sample.item).map { $0["title"] }
      try bench.expectEqual(titles, ["one", "two"], "the titles")
    },

    Case("a transaction reads what it wrote", ["R47"]) { bench in
      let store = try bench.open()
      try store.write { transaction in
        let version = transaction.version
        let list = try OrderDefinition.list(Sample.item, sortedBy: [.descending("title")])
        try transaction.insert(Sample.item("a"), key: nil, into: Sample.item)
        let id = try transaction.insert(Sample.item("b"), key: nil, into: Sample.item)
        try bench.expectEqual(
          try transaction.list(list).map { $0["title"] },
          ["b", "a"],
          "the list after inserts"
        )
        try transaction.update(id, to: Sample.item("0"), of: Sample.item, ifUnchangedFrom: nil)
        try bench.expectEqual(
          try transaction.list(list).map { $0["title"] },
          ["a", "0"],
          "the list after an update"
        )
        try transaction.delete(id, of: Sample.item)
        try bench.expectEqual(try transaction.rows([id.key], of: Sample.item), [nil], "the row")
        try bench.expectEqual(try transaction.count(of: Sample.item, where: .all), 1, "the count")
        try bench.expectEqual(transaction.version, version, "the version while it runs")
      }
    },

    Case("a commit gives the closure's result and the version that holds it", ["R48"]) { bench in
      let store = try bench.open()
      var last = try bench.version(store)
      for number in 1...5 {
        let committed = try store.commit(origin: .unnamed) { transaction in
          try transaction.insert(Sample.item("x"), key: nil, into: Sample.item)
        }
        try bench.expectEqual(committed.result, Sample.itemID(Int64(number)), "the result")
        let now = try bench.version(store)
        try bench.expectEqual(committed.version, now, "the version of the commit")
        try bench.expectEqual(now.epoch, last.epoch, "the epoch")
        try bench.expect(now.sequence > last.sequence, "a version above \(last)", saw: "\(now)")
        last = now
      }
    },

    Case("a commit that changes nothing makes no version", ["R27"]) { bench in
      let store = try bench.open()
      let values = Sample.item("same", note: "")
      try store.write { try $0.insert(values, key: nil, into: Sample.item) }
      let version = try bench.version(store)
      let committed = try store.commit(origin: .unnamed) { transaction in
        let id = Sample.itemID(1)
        try transaction.update(id, to: values, of: Sample.item, ifUnchangedFrom: nil)
        let key = try transaction.insert(values, key: nil, into: Sample.item)
        try transaction.delete(key, of: Sample.item)
      }
      try bench.expectEqual(committed.version, version, "the version of the commit")
      try bench.expectEqual(try bench.version(store), version, "the version")
      let commits = try bench.commits(store, since: version, of: Sample.item)
      try bench.expect(commits.isEmpty, "no commit in the history", saw: "\(commits.count)")
    },

    Case("a transaction on the store's own threads is one too", ["R47"]) { bench in
      let store = try bench.open()
      let id = try await store.write { transaction in
        try transaction.insert(Sample.item("x"), key: nil, into: Sample.item)
      }
      try bench.expectEqual(id, Sample.itemID(1), "the result")
      try bench.expectEqual(try bench.allRows(store, Sample.item).count, 1, "the number of rows")
      do {
        try await store.write { transaction in
          try transaction.insert(Sample.item("y"), key: nil, into: Sample.item)
          throw Interruption(number: 1)
        }
        throw bench.failure("an error", "none")
      } catch StoreError.aborted(by: _ as Interruption) {
        try bench.expectEqual(try bench.allRows(store, Sample.item).count, 1, "the rows after it")
      }
    },
  ]
}

// MARK: - Isolation

extension StoreConformance {
  static let isolationCases: [Case] = [
    Case("a reader sees nothing of a transaction that has not committed", ["R47"]) { bench in
      let store = try bench.open()
      try bench.write(store) { try $0.insert(Sample.item("old"), key: nil, into: Sample.item) }
      let (written, looked) = (Signal(), Signal())
      let limit = bench.patienceInMilliseconds / 2
      let writer: @Sendable () throws -> Void = {
        try store.write { transaction in
          try transaction.insert(Sample.item("new"), key: nil, into: Sample.item)
          written.send()
          guard looked.wait(milliseconds: limit) else {
            throw bench.failure("a reader not to wait for the writer", "it did")
          }
        }
      }
      let reader: @Sendable () throws -> Void = {
        try bench.expect(written.wait(milliseconds: limit), "the writer to write")
        let count = try bench.allRows(store, Sample.item).count
        looked.send()
        try bench.expectEqual(count, 1, "the number of rows before the commit")
      }
      try await bench.together([writer, reader])
      try bench.expectEqual(try bench.allRows(store, Sample.item).count, 2, "the rows after it")
    },

    Case("a reader sees one version from its first read to its last", ["R48"]) { bench in
      let store = try bench.open()
      try bench.write(store) { try $0.insert(Sample.item("old"), key: nil, into: Sample.item) }
      let (read, committed) = (Signal(), Signal())
      let limit = bench.patienceInMilliseconds / 2
      let definition = try OrderDefinition.list(Sample.item)
      let reader: @Sendable () throws -> Void = {
        try store.read { (snapshot) throws(StoreError) in
          do {
            let version = snapshot.version
            let before = try snapshot.list(definition)
            read.send()
            try bench.expect(
              committed.wait(milliseconds: limit),
              "a writer not to wait for readers"
            )
            try bench.expectRows(try snapshot.list(definition), before, "the list")
            try bench.expectEqual(snapshot.version, version, "the version")
            let count = try snapshot.count(of: Sample.item, where: .all)
            try bench.expectEqual(count, 1, "the count")
            let rows = try snapshot.rows([.integer(2)], of: Sample.item)
            try bench.expectEqual(rows, [nil], "the row that was inserted meanwhile")
            guard
              case .commits(let commits) = try snapshot.history(since: version, of: Sample.item),
              commits.allSatisfy(\.changes.isEmpty)
            else { throw bench.failure("no later commit in the history", "one") }
          } catch let error as StoreError {
            throw error
          } catch {
            throw StoreError.aborted(by: error)
          }
        }
      }
      let writer: @Sendable () throws -> Void = {
        try bench.expect(read.wait(milliseconds: limit), "the reader to read")
        try store.write { transaction in
          try transaction.insert(Sample.item("new"), key: nil, into: Sample.item)
          try transaction.delete(Sample.itemID(1), of: Sample.item)
        }
        committed.send()
      }
      try await bench.together([reader, writer])
    },

    Case("readers and writers on many threads never see half a transaction", ["R48"]) { bench in
      let store = try bench.open()
      let (accounts, total) = (Int64(8), Int64(800))
      try bench.write(store) { transaction in
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
            try bench.expectEqual(rows.count, Int(accounts), "the number of accounts")
            try bench.expectEqual(sum, total, "the sum of all accounts")
            if let last {
              try bench.expect(version.sequence >= last.sequence, "versions that never fall")
            }
            last = version
          }
        }
      }
      try await bench.together(writers + readers)
    },

    Case("a transaction inside a transaction is refused, and the outer one goes on", ["R48"]) {
      bench in
      let store = try bench.open()
      try await bench.onThread("a transaction inside a transaction") {
        try store.write { transaction in
          try transaction.insert(Sample.item("outer"), key: nil, into: Sample.item)
          try bench.expectError("a typed refusal", { _ in true }) {
            try store.write { try $0.insert(Sample.item("inner"), key: nil, into: Sample.item) }
          }
          try transaction.insert(Sample.item("outer too"), key: nil, into: Sample.item)
        }
      }
      let titles = try bench.allRows(store, Sample.item).map { $0["title"] }
      try bench.expectEqual(titles, ["outer", "outer too"], "the titles")
    },

    Case("a transaction inside a read commits or is refused, and never blocks", ["R48"]) { bench in
      let store = try bench.open()
      let isCommitted = try await bench.onThread("a transaction inside a read") {
        try store.read { (snapshot) throws(StoreError) in
          let before = try snapshot.count(of: Sample.item, where: .all)
          let isCommitted =
            (try? store.write { transaction in
              try transaction.insert(Sample.item("x"), key: nil, into: Sample.item)
            }) != nil
          let after = try snapshot.count(of: Sample.item, where: .all)
          guard before == after else {
            throw .aborted(by: bench.failure("the version that is read to stay", "another"))
          }
          return isCommitted
        }
      }
      let count = try bench.allRows(store, Sample.item).count
      try bench.expectEqual(count, isCommitted ? 1 : 0, "the number of rows")
      try bench.write(store) { try $0.insert(Sample.item("y"), key: nil, into: Sample.item) }
    },
  ]
}

// MARK: - Random transactions

extension StoreConformance {
  static let randomCases: [Case] = [
    Case("random transactions do what they do to a plain array", ["R13", "R26", "R27", "R47"]) {
      bench in
      for seed in 100..<118 {
        var workload = RandomStoreWorkload(seed: UInt64(seed))
        let entity = try workload.entity()
        let store = try bench.open([entity])
        let beginning = try bench.version(store)
        var model = ModelStore(entity: entity)
        for step in 0..<25 {
          try bench.transact(store, &model, &workload, "seed \(seed), transaction \(step)")
        }
        // The whole history, replayed, makes the whole content.
        var replayed: [ObjectKey: Row] = [:]
        for change in try bench.commits(store, since: beginning, of: entity).flatMap(\.changes) {
          try bench.expectEqual(change.before, replayed[change.id.key], "seed \(seed): the image")
          replayed[change.id.key] = change.after
        }
        try bench.expectEqual(replayed.count, model.rows.count, "seed \(seed): replayed rows")
        for row in model.rows {
          try bench.expectEqual(replayed[row.id.key], row, "seed \(seed): the replayed row")
        }
        try store.close()
      }
    }
  ]
}

extension StoreBench {
  private struct Interruption: Error {}

  /// Runs one random transaction on a store and a model, and compares all that can be seen.
  fileprivate func transact(
    _ store: any Store,
    _ model: inout ModelStore,
    _ workload: inout RandomStoreWorkload,
    _ what: String
  ) throws {
    let entity = model.entity
    let operations = workload.transaction(on: entity, rows: model.rows)
    let isUndone = workload.generator.happens(percent: 15)
    let before = model
    let version = try version(store)
    let outcomes = operations.map { model.perform($0) }
    do {
      try store.write { transaction in
        for (operation, outcome) in zip(operations, outcomes) {
          let seen = try transaction.perform(operation, on: entity)
          try expectEqual(seen, outcome, "\(what): \(operation)")
        }
        if isUndone { throw Interruption() }
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
