import ResultsDomain

extension StoreConformance {
  static let identityCases: [Case] = [
    Case("integer keys are assigned as one more than the largest", ["R13"]) { bench in
      let store = try bench.open()
      func insert(_ key: Int64? = nil) throws -> ObjectID {
        try store.write { transaction in
          try transaction.insert(
            Sample.item("x"),
            key: key.map { .integer($0) },
            into: Sample.item
          )
        }
      }
      try bench.expectEqual(try insert(), Sample.itemID(1), "the first key")
      try bench.expectEqual(try insert(41), Sample.itemID(41), "a given key")
      try bench.expectEqual(try insert(), Sample.itemID(42), "the key after 41")
      try bench.expectEqual(try insert(-7), Sample.itemID(-7), "a given negative key")
      try store.write { _ = try $0.delete(Sample.itemID(42), of: Sample.item) }
      try bench.expectEqual(try insert(), Sample.itemID(42), "the key after 42 was deleted")
      try store.write { transaction in
        for number: Int64 in [1, 41, 42] {
          _ = try transaction.delete(Sample.itemID(number), of: Sample.item)
        }
      }
      try bench.expectEqual(try insert(), Sample.itemID(-6), "the key after -7 alone")
    },

    Case("the extremes of integer keys are kept", ["R13"]) { bench in
      let store = try bench.open()
      let keys: [Int64] = [.min, -1, 0, .max]
      try store.write { transaction in
        for key in keys {
          try transaction.insert(Sample.item("x"), key: .integer(key), into: Sample.item)
        }
      }
      let stored = try bench.allRows(store, Sample.item).map(\.id)
      try bench.expectEqual(stored, keys.map(Sample.itemID), "the keys, ascending")
    },

    Case("text keys are told apart by their bytes", ["R13"]) { bench in
      let store = try bench.open()
      let names = ["", "A", "a", "a ", "\u{304B}\u{3099}", "\u{304C}", "\u{FF5E}", "\u{1F600}"]
      try store.write { transaction in
        for (rank, name) in names.enumerated() {
          try transaction.insert([.integer(Int64(rank))], key: .text(name), into: Sample.tag)
        }
      }
      try bench.expectEqual(
        try bench.allRows(store, Sample.tag).map(\.id),
        names.map(Sample.tagID),
        "the keys in the order of their bytes"
      )
      for (rank, name) in names.enumerated() {
        let row = try bench.row(store, Sample.tagID(name), Sample.tag)
        try bench.expectEqual(row?["rank"], .integer(Int64(rank)), "the rank of '\(name)'")
      }
    },

    Case("a compound key is made by its attributes' values", ["R13"]) { bench in
      let store = try bench.open()
      let id = try store.write { transaction in
        try transaction.insert(Sample.score("Aiko", 3, 80), key: nil, into: Sample.score)
      }
      try bench.expectEqual(id, Sample.scoreID("Aiko", 3), "the identity")
      let other = try store.write { transaction in
        let key = Sample.scoreID("Aiko", 4).key
        return try transaction.insert(Sample.score("Aiko", 4, 90), key: key, into: Sample.score)
      }
      try bench.expectEqual(other, Sample.scoreID("Aiko", 4), "the identity that was also given")
      try bench.expectError("a key unlike the values to be refused", \.isInvalid) {
        try store.write { transaction in
          let key = Sample.scoreID("Ben", 1).key
          try transaction.insert(Sample.score("Ben", 2, 1), key: key, into: Sample.score)
        }
      }
    },

    Case("an attribute of a compound key changes the identity", ["R13", "R27"]) { bench in
      let store = try bench.open()
      let old = Sample.row(Sample.scoreID("Aiko", 1), Sample.score("Aiko", 1, 80), Sample.score)
      let new = Sample.row(Sample.scoreID("Aiko", 9), Sample.score("Aiko", 9, 81), Sample.score)
      try store.write { transaction in
        try transaction.insert(old.values, key: nil, into: Sample.score)
        try transaction.insert(Sample.score("Ben", 1, 50), key: nil, into: Sample.score)
      }
      let version = try bench.version(store)
      try store.write { transaction in
        try transaction.update(old.id, to: new.values, of: Sample.score, ifUnchangedFrom: nil)
      }
      try bench.expectEqual(try bench.row(store, old.id, Sample.score), nil, "the old object")
      try bench.expectEqual(try bench.row(store, new.id, Sample.score), new, "the new object")
      try bench.expectChanges(
        try bench.changes(store, since: version, of: Sample.score),
        [
          CommittedChange(id: old.id, before: old, after: nil),
          CommittedChange(id: new.id, before: nil, after: new),
        ],
        "the history"
      )
      try bench.expectError("a taken key to be refused", \.isAlreadyExists) {
        try store.write { transaction in
          let values = Sample.score("Ben", 1, 0)
          try transaction.update(new.id, to: values, of: Sample.score, ifUnchangedFrom: nil)
        }
      }
      try bench.expectEqual(try bench.row(store, new.id, Sample.score), new, "the object after it")
    },

    Case("a second object of one key is refused", ["R13"]) { bench in
      let store = try bench.open()
      let inserts: [@Sendable (any StoreTransaction) throws -> ObjectID] = [
        { try $0.insert(Sample.item("b"), key: .integer(1), into: Sample.item) },
        { try $0.insert([.integer(2)], key: .text("t"), into: Sample.tag) },
        { try $0.insert(Sample.score("s", 1, 2), key: nil, into: Sample.score) },
      ]
      for insert in inserts {
        try store.write { _ = try insert($0) }
        let before = try bench.version(store)
        try bench.expectError("the second to be refused", \.isAlreadyExists) {
          try store.write { _ = try insert($0) }
        }
        try bench.expectEqual(try bench.version(store), before, "the version")
      }
    },

    Case("a key that does not fit the entity is refused", ["R13"]) { bench in
      let store = try bench.open()
      let misfits: [(EntityDescription, [Value], ObjectKey?)] = [
        (Sample.item, Sample.item("x"), .text("1")),
        (Sample.item, Sample.item("x"), .compound([.integer(1)])),
        (Sample.tag, [.null], nil),
        (Sample.tag, [.null], .integer(1)),
        (Sample.score, Sample.score("s", 1, 1), .text("s")),
      ]
      for (entity, values, key) in misfits {
        try bench.expectError("\(entity.name) to refuse the key \(key as Any)", \.isInvalid) {
          try store.write { try $0.insert(values, key: key, into: entity) }
        }
        let rows = try store.read { (snapshot) throws(StoreError) in
          try snapshot.rows([key ?? .integer(1)], of: entity)
        }
        try bench.expectEqual(rows, [nil], "the row of such a key")
      }
    },
  ]
}

extension StoreError {
  var isInvalid: Bool { if case .invalid = self { true } else { false } }
  var isNotFound: Bool { if case .notFound = self { true } else { false } }
  var isAlreadyExists: Bool { if case .alreadyExists = self { true } else { false } }
  var isClosed: Bool { if case .closed = self { true } else { false } }
  var isReadOnly: Bool { if case .readOnly = self { true } else { false } }
  var isUnknownEntity: Bool { if case .unknownEntity = self { true } else { false } }
}
