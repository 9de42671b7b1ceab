import ResultsDomain

extension StoreConformance {
  static let orderCases: [Case] = [
    Case("a list is ordered by its terms, its nulls stand where asked, ties go by key", ["R85"]) {
      bench in
      let store = try bench.open()
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
              try bench.expectRows(
                try bench.rows(store, definition),
                model.list(definition),
                "the order \(terms.text)"
              )
            }
          }
        }
      }
    },

    Case("a list can be ordered by computed expressions", ["R85"]) { bench in
      let store = try bench.open()
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
        .ifNull(.attribute("share"), .real(0)),
      ]
      for expression in expressions {
        for direction in [SortDirection.ascending, .descending] {
          let terms = [FetchSortDescriptor(expression, direction)]
          let definition = try OrderDefinition.list(Sample.item, sortedBy: terms)
          let seen = try bench.rows(store, definition)
          try bench.expectRows(seen, model.list(definition), "the order \(terms.text)")
        }
      }
    },

    Case("the keys handed over are those of the definition, strictly ascending", ["R02", "R85"]) {
      bench in
      let store = try bench.open()
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
      try bench.expectEqual(keys.count, count, "the number of keys")
      try bench.expectAscending(keys)
      var made: Set<[UInt8]> = []
      for row in rows.compactMap(\.self) { made.insert(try definition.key(of: row)) }
      try bench.expectEqual(Set(keys), made, "the keys")
    },

    Case("handing over keys ends when the closure says so, or throws", ["R85"]) { bench in
      let store = try bench.open()
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
      try bench.expectEqual(calls, 2, "the number of calls with keys")
      try bench.expectError("the closure's error", \.isNotFound) {
        try store.read { (snapshot) throws(StoreError) in
          try snapshot.entries(of: definition) { (_) throws(StoreError) in
            throw .notFound(Sample.itemID(1))
          }
        }
      }
      try bench.expectEqual(try bench.rows(store, definition).count, 5000, "the rows after it")
    },

    Case("the key alone makes the order of equal rows", ["R02"]) { bench in
      let store = try bench.open()
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
        try bench.expectEqual(try bench.rows(store, definition).map(\.id), expected, "the order")
      }
    },
  ]
}

extension StoreBench {
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
  /// The terms, for messages.
  var text: String {
    map { "\($0.expression) \($0.direction) nulls \($0.nulls)" }.joined(separator: ", ")
  }
}
