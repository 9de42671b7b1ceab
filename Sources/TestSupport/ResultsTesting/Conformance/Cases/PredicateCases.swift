import ResultsDomain

extension StoreConformance {
  static let predicateCases: [Case] = [
    Case("a predicate holds for the rows the evaluator says, whatever it is", ["R85", "R86"]) {
      bench in
      for seed in 0..<24 {
        var workload = RandomStoreWorkload(seed: UInt64(seed))
        let entity = try workload.entity()
        let store = try bench.open([entity])
        let model = try bench.fill(store, entity, &workload, count: 40)
        for _ in 0..<25 {
          let predicate = workload.predicate(for: entity, keys: model.rows.map(\.id.key))
          let terms = workload.sortDescriptors(for: entity)
          let definition = try? OrderDefinition.list(entity, where: predicate, sortedBy: terms)
          guard let definition else { continue }
          let what = "seed \(seed): \(predicate) by \(terms.text)"
          try bench.expectRows(try bench.rows(store, definition), model.list(definition), what)
          let count = try store.read { (snapshot) throws(StoreError) in
            try snapshot.count(of: entity, where: predicate)
          }
          try bench.expectEqual(count, model.list(definition).count, "the count, \(what)")
        }
        try store.close()
      }
    },

    Case("a comparison with no value is unknown, and not of unknown is unknown", ["R85"]) { bench in
      let store = try bench.open()
      try store.write { transaction in
        try transaction.insert(Sample.item("a", number: 1), key: nil, into: Sample.item)
        try transaction.insert(Sample.item("b"), key: nil, into: Sample.item)
      }
      let number = FetchExpression.attribute("number")
      let expectations: [(FetchPredicate, [Int64])] = [
        (.comparison(number, .equal, .literal(1)), [1]),
        (.comparison(number, .notEqual, .literal(1)), []),
        (.not(.comparison(number, .equal, .literal(1))), []),
        (.not(.comparison(number, .equal, .literal(2))), [1]),
        (.comparison(number, .equal, .literal(.null)), [2]),
        (.comparison(number, .notEqual, .literal(.null)), [1]),
        (.membership(number, [1, .null]), [1]),
        (.not(.membership(number, [2, .null])), []),
        (.membership(number, []), []),
        (.not(.membership(number, [])), [1, 2]),
        (.between(number, 0, 5), [1]),
        (.not(.between(number, 2, 5)), [1]),
        (.and([]), [1, 2]),
        (.or([]), []),
        (.or([.isNull(number), .none]), [2]),
      ]
      for (predicate, expected) in expectations {
        let definition = try OrderDefinition.list(Sample.item, where: predicate)
        let ids = try bench.rows(store, definition).map(\.id)
        try bench.expectEqual(ids, expected.map(Sample.itemID), "\(predicate)")
      }
    },

    Case("texts are equal only if their bytes are", ["R85", "R86"]) { bench in
      let store = try bench.open()
      let titles = ["\u{304C}", "\u{304B}\u{3099}", "a", "A", "a "]
      try store.write { transaction in
        for title in titles {
          try transaction.insert(Sample.item(.text(title)), key: nil, into: Sample.item)
        }
      }
      for (index, title) in titles.enumerated() {
        let isTitle = FetchPredicate.comparison(
          .attribute("title"),
          .equal,
          .literal(.text(title))
        )
        let listed = FetchPredicate.membership(.attribute("title"), [.text(title), "none"])
        for predicate in [isTitle, listed] {
          let definition = try OrderDefinition.list(Sample.item, where: predicate)
          let ids = try bench.rows(store, definition).map(\.id)
          try bench.expectEqual(ids, [Sample.itemID(Int64(index + 1))], "\(predicate)")
        }
      }
    },

    Case("integers and reals compare exactly, beyond 2^53 too", ["R85"]) { bench in
      let store = try bench.open()
      let numbers: [Int64] = [(1 << 53) - 1, 1 << 53, (1 << 53) + 1, .max, .min, 2]
      try store.write { transaction in
        for number in numbers {
          let values = Sample.item("x", number: .integer(number), share: .real(Double(number)))
          try transaction.insert(values, key: nil, into: Sample.item)
        }
      }
      let model = try bench.model(of: store, Sample.item)
      for operation in ComparisonOperator.allCases {
        for bound in [0x1p53, -0x1p63, 0x1p63, 2.5, .infinity] {
          let predicate = FetchPredicate.comparison(
            .attribute("number"),
            operation,
            .literal(.real(bound))
          )
          let definition = try OrderDefinition.list(Sample.item, where: predicate)
          let rows = try bench.rows(store, definition)
          try bench.expectRows(rows, model.list(definition), "\(predicate)")
        }
        let predicate = FetchPredicate.comparison(
          .attribute("share"),
          operation,
          .attribute("number")
        )
        let definition = try OrderDefinition.list(Sample.item, where: predicate)
        let rows = try bench.rows(store, definition)
        try bench.expectRows(rows, model.list(definition), "\(predicate)")
      }
    },

    Case("a fixed set may hold a hundred thousand identities", ["R87"]) { bench in
      let store = try bench.open()
      try store.write { transaction in
        for number in 1...1000 {
          try transaction.insert(Sample.item("x"), key: .integer(Int64(number)), into: Sample.item)
          let key = ObjectKey.text("k\(number)")
          try transaction.insert([.integer(Int64(number))], key: key, into: Sample.tag)
          let values = Sample.score("s", Int64(number), 1)
          try transaction.insert(values, key: nil, into: Sample.score)
        }
      }
      let sets: [(EntityDescription, [ObjectKey])] = [
        (Sample.item, (501...100_500).map { .integer($0) }),
        (Sample.tag, (501...40_500).map { .text("k\($0)") }),
        (Sample.score, (501...40_500).map { Sample.scoreID("s", $0).key }),
      ]
      for (entity, keys) in sets {
        let set = FetchPredicate.identity(IdentitySet(keys: keys))
        let other = FetchPredicate.identity(IdentitySet(keys: Array(keys.prefix(10))))
        let counts: [(FetchPredicate, Int)] = [
          (set, 500), (.not(set), 500), (other, 10), (.and([set, .not(other)]), 490),
          (.or([other, .not(set)]), 510), (.identity(IdentitySet(keys: [])), 0),
        ]
        for (number, (predicate, expected)) in counts.enumerated() {
          let definition = try OrderDefinition.list(entity, where: predicate)
          let (keys, count) = try store.read { (snapshot) throws(StoreError) in
            (try snapshot.keys(of: definition), try snapshot.count(of: entity, where: predicate))
          }
          try bench.expectEqual(keys.count, expected, "\(entity.name), set \(number): keys")
          try bench.expectEqual(count, expected, "\(entity.name), set \(number): count")
          try bench.expectAscending(keys)
        }
      }
    },

    Case("a predicate that no row can be asked is refused", ["R87"]) { bench in
      let store = try bench.open()
      let predicates: [FetchPredicate] = [
        .isNull(.attribute("nothing")),
        .comparison(.attribute("title"), .equal, .literal(1)),
        .identity(IdentitySet(keys: [.text("1")])),
      ]
      for predicate in predicates {
        try bench.expectError(
          "\(predicate) to be refused",
          { error in if case .request = error { true } else { false } }
        ) {
          try store.read { (snapshot) throws(StoreError) in
            try snapshot.count(of: Sample.item, where: predicate)
          }
        }
      }
    },
  ]
}

extension StoreBench {
  /// Fills a store and a model with the same random rows.
  func fill(
    _ store: any Store,
    _ entity: EntityDescription,
    _ workload: inout RandomStoreWorkload,
    count: Int
  ) throws -> ModelStore {
    let operations = (0..<count).map { _ in
      StoreOperation.insert(workload.values(for: entity), key: workload.key(for: entity))
    }
    var model = ModelStore(entity: entity)
    let outcomes = operations.map { model.perform($0) }
    let seen = try store.write { transaction in
      try operations.map { try transaction.perform($0, on: entity) }
    }
    try expectEqual(seen, outcomes, "what became of the inserts")
    return model
  }

  /// A model with the rows of a store.
  func model(of store: any Store, _ entity: EntityDescription) throws -> ModelStore {
    var model = ModelStore(entity: entity)
    for row in try allRows(store, entity) {
      _ = model.perform(.insert(row.values, key: row.id.key))
    }
    return model
  }
}
