import ResultsDomain
import ResultsStoreKit

extension StoreConformance {
  static let orderCases: [Case] = [
    Case("a list is ordered by its terms, nulls as requested, ties by key", ["R85"]) {
      fixture in
      let store = try fixture.open()
      let rows: [[Value]] = [
        Sample.item("b", note: .null, number: 2, share: 0.5, bytes: .blob([0])),
        Sample.item("a", note: "", number: .null, share: -1.5, bytes: .blob([])),
        Sample.item("B", note: "z", number: -3, share: .null, bytes: .null),
        Sample.item(
          "\u{304C}",
          note: "a",
          number: 10,
          share: .real(.infinity),
          bytes: .blob([0, 1])
        ),
        Sample.item("\u{304B}\u{3099}", note: .null, number: 9, share: .null, bytes: .blob([255])),
        Sample.item("a", note: "a", number: .null, share: .real(0), bytes: .blob([0])),
        Sample.item("", note: "aa", number: 2, share: 0.5, bytes: .null),
        Sample.item(
          "\u{FF5E}",
          note: "10",
          number: .integer(.min),
          share: .real(2),
          bytes: .blob([0])
        ),
        Sample.item(
          "\u{1F600}",
          note: "9",
          number: .integer(.max),
          share: 1e300,
          bytes: .blob([1])
        ),
      ]
      var model = ModelStore(entity: Sample.item)
      for values in rows { _ = model.perform(.insert(values, key: nil)) }
      try store.write { transaction in
        for values in rows { try transaction.insert(values, key: nil, into: Sample.item) }
      }
      for name in ["title", "note", "number", "share", "bytes"] {
        for direction in [SortDirection.ascending, .descending] {
          for nulls in [NullPlacement.first, .last] {
            let term = FetchSortDescriptor(.attribute(name), direction, nulls: nulls)
            let tie = FetchSortDescriptor.descending("title")
            for terms in [[term], [term, tie], [tie, term]] {
              let definition = try OrderDefinition.list(Sample.item, sortedBy: terms)
              try fixture.expectRows(
                try fixture.rows(store, definition),
                model.list(definition),
                "the order \(terms.text)"
              )
            }
          }
        }
      }
    },

    Case("a list can be ordered by computed expressions", ["R85"]) { fixture in
      let store = try fixture.open()
      var model = ModelStore(entity: Sample.item)
      var workload = RandomStoreWorkload(seed: 77)
      let rows = (0..<40).map { _ in workload.values(for: Sample.item) }
      for values in rows { _ = model.perform(.insert(values, key: nil)) }
      try store.write { transaction in
        for values in rows { try transaction.insert(values, key: nil, into: Sample.item) }
      }
      let title = FetchExpression.attribute("title")
      let expressions: [FetchExpression] = [
        .objectKey, .prefix(title, length: 1), .lowercased(title), .uppercased(title),
        .length(title), .bucket(.attribute("number"), width: 10),
        .bucket(.attribute("day"), width: 7), .ifNull(.attribute("note"), "m"),
        .ifNull(.attribute("share"), .real(0)), .transformed(.natural, title),
        .transformed(.baseLetters, title), .ifNull(.attribute("note"), title),
        .transformed(.natural, .ifNull(.attribute("note"), .lowercased(title))),
        .transformed(.filing, .ifNull(.attribute("note"), title)),
      ]
      for expression in expressions {
        for direction in [SortDirection.ascending, .descending] {
          let terms = [FetchSortDescriptor(expression, direction)]
          let definition = try OrderDefinition.list(Sample.item, sortedBy: terms)
          let actual = try fixture.rows(store, definition)
          try fixture.expectRows(actual, model.list(definition), "the order \(terms.text)")
        }
      }
    },

    Case("entries are the keys of the definition, strictly ascending", ["R02", "R85"]) {
      fixture in
      let store = try fixture.open()
      let count = 5000
      try store.write { transaction in
        for number in 0..<count {
          let values = Sample.item(
            .text("t\(number % 7)"),
            number: number % 3 == 0 ? .null : .integer(Int64(number * 7919 % 101))
          )
          try transaction.insert(values, key: nil, into: Sample.item)
        }
      }
      let terms = [FetchSortDescriptor.descending("number"), .ascending("title")]
      let definition = try OrderDefinition.list(Sample.item, sortedBy: terms)
      let (keys, rows) = try store.read { (snapshot) throws(StoreError) in
        let all = (1...Int64(count)).map { ObjectKey.integer($0) }
        return (try snapshot.keys(of: definition), try snapshot.rows(all, of: Sample.item))
      }
      try fixture.expectEqual(keys.count, count, "the number of keys")
      try fixture.expectAscending(keys)
      var made: Set<[UInt8]> = []
      for row in rows.compactMap(\.self) { made.insert(try definition.key(of: row)) }
      try fixture.expectEqual(Set(keys), made, "the keys")
    },

    Case("iterating over entries stops when the closure returns false or throws", ["R85"]) {
      fixture in
      let store = try fixture.open()
      try store.write { transaction in
        for _ in 0..<5000 { try transaction.insert(Sample.item("x"), key: nil, into: Sample.item) }
      }
      let definition = try OrderDefinition.list(Sample.item)
      let calls = try store.read { (snapshot) throws(StoreError) in
        var calls = 0
        try snapshot.entries(of: definition) { batch in
          calls += batch.count > 0 ? 1 : 100
          return false
        }
        try snapshot.digests(of: definition, attributes: AttributeSet(indexes: [0])) { batch in
          calls += batch.count > 0 ? 1 : 100
          return false
        }
        return calls
      }
      try fixture.expectEqual(calls, 2, "the number of calls with a batch")
      try fixture.expectError("the closure's error", \.isNotFound) {
        try store.read { (snapshot) throws(StoreError) in
          try snapshot.entries(of: definition) { (_) throws(StoreError) in
            throw .notFound(Sample.itemID(1))
          }
        }
      }
      try fixture.expectEqual(try fixture.rows(store, definition).count, 5000, "the rows after it")
    },

    Case("equal rows are ordered by their keys", ["R02"]) { fixture in
      let store = try fixture.open()
      try store.write { transaction in
        for subject: Int64 in [3, -1, 2] {
          for student in ["b", "", "a"] {
            let values = Sample.score(student, subject, 5)
            try transaction.insert(values, key: nil, into: Sample.score)
          }
        }
      }
      for term in [FetchSortDescriptor.ascending("points"), .descending("points")] {
        let definition = try OrderDefinition.list(Sample.score, sortedBy: [term])
        let expected = ["", "a", "b"].flatMap { student in
          [-1, 2, 3].map { Sample.scoreID(student, $0) }
        }
        try fixture.expectEqual(
          try fixture.rows(store, definition).map(\.id),
          expected,
          "the order"
        )
      }
    },
  ]
}

extension ConformanceFixture {
  /// Expects keys that strictly ascend by bytes.
  func expectAscending(_ keys: [[UInt8]]) throws(ConformanceFailure) {
    for (index, pair) in zip(keys, keys.dropFirst()).enumerated() {
      guard pair.0.lexicographicallyPrecedes(pair.1) else {
        throw failure(
          "keys that strictly ascend",
          "\(pair.0) before \(pair.1) at \(index) of \(keys.count)"
        )
      }
    }
  }
}

extension [FetchSortDescriptor] {
  /// The terms, as messages show them.
  var text: String {
    map { "\($0.expression) \($0.direction) nulls \($0.nulls)" }.joined(separator: ", ")
  }
}

// MARK: - Predicates

extension StoreConformance {
  static let predicateCases: [Case] = [
    Case("the store and the evaluator agree about every predicate", ["R85", "R86"]) {
      fixture in
      for seed in 0..<24 {
        var workload = RandomStoreWorkload(seed: UInt64(seed))
        let entity = try workload.entity()
        let store = try fixture.open([entity])
        let model = try fixture.fill(store, entity, &workload, count: 40)
        for _ in 0..<25 {
          let predicate = workload.predicate(for: entity, keys: model.rows.map(\.id.key))
          let terms = workload.sortDescriptors(for: entity)
          let definition = try? OrderDefinition.list(entity, where: predicate, sortedBy: terms)
          guard let definition else { continue }
          let what = "seed \(seed): \(predicate) by \(terms.text)"
          try fixture.expectRows(try fixture.rows(store, definition), model.list(definition), what)
          let count = try store.read { (snapshot) throws(StoreError) in
            try snapshot.count(of: entity, where: predicate)
          }
          try fixture.expectEqual(count, model.list(definition).count, "the count, \(what)")
        }
        try store.close()
      }
    },

    Case("a comparison with null is unknown, and its negation is unknown too", ["R85"]) { fixture in
      let store = try fixture.open()
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
        let ids = try fixture.rows(store, definition).map(\.id)
        try fixture.expectEqual(ids, expected.map(Sample.itemID), "\(predicate)")
      }
    },

    Case("texts are equal only if their bytes are equal", ["R85", "R86"]) { fixture in
      let store = try fixture.open()
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
        let isMember = FetchPredicate.membership(.attribute("title"), [.text(title), "none"])
        for predicate in [isTitle, isMember] {
          let definition = try OrderDefinition.list(Sample.item, where: predicate)
          let ids = try fixture.rows(store, definition).map(\.id)
          try fixture.expectEqual(ids, [Sample.itemID(Int64(index + 1))], "\(predicate)")
        }
      }
    },

    Case("integers and reals compare exactly, also beyond 2^53", ["R85"]) { fixture in
      let store = try fixture.open()
      let numbers: [Int64] = [(1 << 53) - 1, 1 << 53, (1 << 53) + 1, .max, .min, 2]
      try store.write { transaction in
        for number in numbers {
          let values = Sample.item("x", number: .integer(number), share: .real(Double(number)))
          try transaction.insert(values, key: nil, into: Sample.item)
        }
      }
      let model = try fixture.model(of: store, Sample.item)
      for operation in ComparisonOperator.allCases {
        for bound in [0x1p53, -0x1p63, 0x1p63, 2.5, .infinity] {
          let predicate = FetchPredicate.comparison(
            .attribute("number"),
            operation,
            .literal(.real(bound))
          )
          let definition = try OrderDefinition.list(Sample.item, where: predicate)
          let rows = try fixture.rows(store, definition)
          try fixture.expectRows(rows, model.list(definition), "\(predicate)")
        }
        let predicate = FetchPredicate.comparison(
          .attribute("share"),
          operation,
          .attribute("number")
        )
        let definition = try OrderDefinition.list(Sample.item, where: predicate)
        let rows = try fixture.rows(store, definition)
        try fixture.expectRows(rows, model.list(definition), "\(predicate)")
      }
    },

    Case("a fixed set may hold a hundred thousand identities", ["R87"]) { fixture in
      let store = try fixture.open()
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
        (Sample.tag, (501...5500).map { .text("k\($0)") }),
        (Sample.score, (501...5500).map { Sample.scoreID("s", $0).key }),
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
          try fixture.expectEqual(keys.count, expected, "\(entity.name), set \(number): keys")
          try fixture.expectEqual(count, expected, "\(entity.name), set \(number): count")
          try fixture.expectAscending(keys)
        }
      }
    },

    Case("a predicate that does not fit the entity is rejected", ["R87"]) { fixture in
      let store = try fixture.open()
      let predicates: [FetchPredicate] = [
        .isNull(.attribute("nothing")),
        .comparison(.attribute("title"), .equal, .literal(1)),
        .identity(IdentitySet(keys: [.text("1")])),
      ]
      for predicate in predicates {
        try fixture.expectError(
          "\(predicate) to be rejected",
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

extension ConformanceFixture {
  /// Inserts the same random rows into a store and into a new model.
  func fill(
    _ store: any Store,
    _ entity: EntityDescription,
    _ workload: inout RandomStoreWorkload,
    count: Int
  ) throws -> ModelStore {
    let generated = (0..<count).map { _ in
      StoreOperation.insert(workload.values(for: entity), key: workload.key(for: entity))
    }
    var model = ModelStore(entity: entity)
    var operations: [StoreOperation] = []
    var outcomes: [OperationOutcome] = []
    for operation in generated {
      operations.append(model.keyed(operation, for: store))
      outcomes.append(model.perform(operation))
    }
    let actual = try store.write { transaction in
      try operations.map { try transaction.perform($0, on: entity) }
    }
    try expectEqual(actual, outcomes, "the outcomes of the inserts")
    return model
  }

  /// Returns a model with the rows of a store.
  func model(of store: any Store, _ entity: EntityDescription) throws -> ModelStore {
    var model = ModelStore(entity: entity)
    for row in try allRows(store, entity) {
      _ = model.perform(.insert(row.values, key: row.id.key))
    }
    return model
  }
}

// MARK: - Digests

extension StoreConformance {
  static let digestCases: [Case] = [
    Case("a digest changes if and only if one of its attributes' values does", ["R27"]) { fixture in
      let store = try fixture.open()
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
        try fixture.expectEqual(whole.count, 1, "the number of digests")
        if let known = digests[values] {
          try fixture.expectEqual(whole[0], known, "the digest of \(values) the second time")
        }
        if let known = titleDigests[values[0]] {
          try fixture.expectEqual(
            part[0],
            known,
            "the title's digest, which other attributes must not change"
          )
        }
        digests[values] = whole[0]
        titleDigests[values[0]] = part[0]
      }
      let contentCount = Set(contents).count
      try fixture.expectEqual(
        Set(digests.values).count,
        contentCount,
        "the number of different digests"
      )
      let titleCount = Set(contents.map { $0[0] }).count
      try fixture.expectEqual(
        Set(titleDigests.values).count,
        titleCount,
        "the number of different title digests"
      )
    },

    Case("digests are in the order of identities, one for each row of the list", ["R27"]) {
      fixture in
      for seed in 0..<9 {
        var workload = RandomStoreWorkload(seed: UInt64(seed))
        let entity = try workload.entity()
        let store = try fixture.open([entity])
        let model = try fixture.fill(store, entity, &workload, count: 60)
        let predicate = workload.predicate(for: entity, keys: model.rows.map(\.id.key))
        let definition = try OrderDefinition.list(entity, where: predicate)
        let attributes = AttributeSet(indexes: entity.attributes.indices)
        let digests = try store.read { (snapshot) throws(StoreError) in
          try snapshot.digests(of: definition, attributes)
        }
        try fixture.expectAscending(digests.map(\.identity))
        let expected = model.list(definition).compactMap {
          definition.layout.identityBytes(of: $0.id.key)
        }
        try fixture.expectEqual(Set(digests.map(\.identity)), Set(expected), "seed \(seed): rows")
        try fixture.expectEqual(
          digests.count,
          expected.count,
          "seed \(seed): the number of digests"
        )
        try store.close()
      }
    },
  ]
}
