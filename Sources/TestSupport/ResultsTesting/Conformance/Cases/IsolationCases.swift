import ResultsDomain
import Synchronization

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
