import ResultsDomain

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
