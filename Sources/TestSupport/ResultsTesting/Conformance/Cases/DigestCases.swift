import ResultsDomain

extension StoreConformance {
  static let digestCases: [Case] = [
    Case("a digest changes if and only if one of its attributes' values does", ["R27"]) { bench in
      let store = try bench.open()
      let id = Sample.itemID(1)
      let contents: [[Value]] = [
        Sample.item("a"), Sample.item("b"), Sample.item("a", note: ""), Sample.item("a", note: "0"),
        Sample.item("a", number: 0), Sample.item("a", number: 1), Sample.item("a", share: .real(0)),
        Sample.item("a", share: .real(1)), Sample.item("a", bytes: .blob([])),
        Sample.item("a", bytes: .blob([0])), Sample.item("a", bytes: .blob([0, 0])),
        Sample.item("\u{304C}"), Sample.item("\u{304B}\u{3099}"), Sample.item("ab", note: "c"),
        Sample.item("a", note: "bc"),
      ]
      let all = AttributeSet(indexes: Sample.item.attributes.indices)
      let titles = AttributeSet(indexes: [0])
      let definition = try OrderDefinition.list(Sample.item)
      try store.write { try $0.insert(contents[0], key: nil, into: Sample.item) }
      var digests: [[Value]: [UInt8]] = [:]
      var titleDigests: [Value: [UInt8]] = [:]
      for values in contents + contents.reversed() {
        try store.write { transaction in
          try transaction.update(id, to: values, of: Sample.item, ifUnchangedFrom: nil)
        }
        let (whole, part) = try store.read { (snapshot) throws(StoreError) in
          (
            try snapshot.digests(of: definition, all).map(\.digest),
            try snapshot.digests(of: definition, titles).map(\.digest)
          )
        }
        try bench.expectEqual(whole.count, 1, "the number of digests")
        if let known = digests[values] {
          try bench.expectEqual(whole[0], known, "the digest of \(values) the second time")
        }
        if let known = titleDigests[values[0]] {
          try bench.expectEqual(part[0], known, "the title's digest, whatever else changed")
        }
        digests[values] = whole[0]
        titleDigests[values[0]] = part[0]
      }
      let contentCount = Set(contents).count
      try bench.expectEqual(Set(digests.values).count, contentCount, "different digests")
      let titleCount = Set(contents.map { $0[0] }).count
      try bench.expectEqual(Set(titleDigests.values).count, titleCount, "different title digests")
    },

    Case("digests come in the order of identities, one for each row of the list", ["R27"]) {
      bench in
      for seed in 0..<9 {
        var workload = RandomStoreWorkload(seed: UInt64(seed))
        let entity = try workload.entity()
        let store = try bench.open([entity])
        let model = try bench.fill(store, entity, &workload, count: 60)
        let predicate = workload.predicate(for: entity, keys: model.rows.map(\.id.key))
        let definition = try OrderDefinition.list(entity, where: predicate)
        let attributes = AttributeSet(indexes: entity.attributes.indices)
        let digests = try store.read { (snapshot) throws(StoreError) in
          try snapshot.digests(of: definition, attributes)
        }
        try bench.expectAscending(digests.map(\.identity))
        let expected = model.list(definition).compactMap {
          definition.layout.identityBytes(of: $0.id.key)
        }
        try bench.expectEqual(Set(digests.map(\.identity)), Set(expected), "seed \(seed): rows")
        try bench.expectEqual(digests.count, expected.count, "seed \(seed): the number of digests")
        try store.close()
      }
    },
  ]
}
