import ResultsDomain

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
