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

// MARK: - Values

extension StoreConformance {
  static let valueCases: [Case] = [
    Case("every value comes back as it was written", ["R13", "R86"]) { bench in
      let store = try bench.open()
      let numbers: [Int64] = [.min, -1, 0, 1, 1 << 53, (1 << 53) + 1, .max]
      let reals: [Double] = [
        0, 0.1, -1.5, 0x1p53, .infinity, -.infinity, .greatestFiniteMagnitude,
        .leastNonzeroMagnitude, 3,
      ]
      let blobs: [[UInt8]] = [[], [0], [0, 255, 0], Array(0...255)]
      var rows: [[Value]] = []
      for number in numbers { rows.append(Sample.item("n", number: .integer(number))) }
      for real in reals { rows.append(Sample.item("r", share: .real(real))) }
      for blob in blobs { rows.append(Sample.item("b", bytes: .blob(blob))) }
      rows.append(["all", "", -2, 32_767, true, -348_000, -1, 2.5, .blob([1])])
      let written = rows
      try store.write { transaction in
        for values in written { try transaction.insert(values, key: nil, into: Sample.item) }
      }
      let stored = try bench.allRows(store, Sample.item).map(\.values)
      for (stored, written) in zip(stored, written) {
        try bench.expectEqual(stored, written, "the values")
      }
      try bench.expectEqual(stored.count, written.count, "the number of rows")
    },

    Case("texts come back byte for byte", ["R86"]) { bench in
      let store = try bench.open()
      let texts = [
        "", " ", "\u{304C}", "\u{304B}\u{3099}", "\u{E9}", "e\u{301}", "\u{1F469}\u{200D}\u{1F52C}",
        "line\r\nline", "\t", "'\"%_", "1", "1.0", "\u{FEFF}x", "\u{10FFFF}",
      ]
      try store.write { transaction in
        for text in texts {
          let values = Sample.item(.text(text), note: .text(text))
          try transaction.insert(values, key: nil, into: Sample.item)
        }
      }
      for (text, row) in zip(texts, try bench.allRows(store, Sample.item)) {
        try bench.expectEqual(row["title"], .text(text), "the bytes of \(Array(text.utf8))")
        try bench.expectEqual(row["note"], .text(text), "the bytes of \(Array(text.utf8))")
      }
    },

    Case("a text with a zero character comes back whole", ["R86"]) { bench in
      let store = try bench.open()
      let texts = ["a\u{0}b", "\u{0}", "a\u{0}"]
      try store.write { transaction in
        for text in texts {
          try transaction.insert([.integer(1)], key: .text(text), into: Sample.tag)
          try transaction.insert(Sample.item(.text(text)), key: nil, into: Sample.item)
        }
      }
      let titles = try bench.allRows(store, Sample.item).map { $0["title"] }
      try bench.expectEqual(titles, texts.map { .text($0) }, "the texts")
      try bench.expectEqual(
        try bench.allRows(store, Sample.tag).map(\.id),
        ["\u{0}", "a\u{0}", "a\u{0}b"].map(Sample.tagID),
        "the keys"
      )
    },

    Case("no value, an empty text and an empty blob are three things", ["R13"]) { bench in
      let store = try bench.open()
      try store.write { transaction in
        try transaction.insert(Sample.item(""), key: nil, into: Sample.item)
        let empty = Sample.item("", note: "", bytes: .blob([]))
        try transaction.insert(empty, key: nil, into: Sample.item)
      }
      let rows = try bench.allRows(store, Sample.item)
      try bench.expectEqual(rows.map { $0["note"] }, [.null, ""], "the notes")
      try bench.expectEqual(rows.map { $0["bytes"] }, [.null, .blob([])], "the bytes")
      let without = try OrderDefinition.list(Sample.item, where: .isNull(.attribute("note")))
      try bench.expectEqual(
        try bench.rows(store, without).map(\.id),
        [Sample.itemID(1)],
        "the object without a note"
      )
    },

    Case("a missing required value is refused, an empty text is not", ["R13"]) { bench in
      let store = try bench.open()
      try bench.expectError(
        "invalid, naming the attribute",
        { error in
          guard case .invalid(let failures) = error else { return false }
          return failures == [.missing(entity: "Item", attribute: "title")]
        }
      ) {
        try store.write { try $0.insert(Sample.item(.null), key: nil, into: Sample.item) }
      }
      try store.write { try $0.insert(Sample.item(""), key: nil, into: Sample.item) }
      try bench.expectEqual(try bench.allRows(store, Sample.item).count, 1, "the number of rows")
    },

    Case("values that an attribute does not allow are refused, all named", ["R13"]) { bench in
      let store = try bench.open()
      let valid = Sample.item("x")
      func changed(_ index: Int, _ value: Value) -> [Value] {
        var values = valid
        values[index] = value
        return values
      }
      let misfits: [[Value]] = [
        changed(0, 1), changed(0, .blob([1])), changed(2, "1"), changed(2, .real(1)),
        changed(3, 40_000), changed(3, -32_769), changed(4, 2), changed(5, 1.5), changed(6, "now"),
        changed(7, 1), changed(7, .real(.nan)), changed(8, "text"), [], valid + [.null],
        Array(valid.dropLast()),
      ]
      try store.write { try $0.insert(valid, key: nil, into: Sample.item) }
      let version = try bench.version(store)
      for values in misfits {
        try bench.expectError("\(values) not to be inserted", \.isInvalid) {
          try store.write { try $0.insert(values, key: nil, into: Sample.item) }
        }
        try bench.expectError("\(values) not to be an update", \.isInvalid) {
          try store.write { transaction in
            let id = Sample.itemID(1)
            try transaction.update(id, to: values, of: Sample.item, ifUnchangedFrom: nil)
          }
        }
      }
      try bench.expectError(
        "both failures",
        { error in
          guard case .invalid(let failures) = error else { return false }
          return failures.count == 2
        }
      ) {
        var values = changed(3, 40_000)
        values[0] = .null
        let misfit = values
        return try store.write { try $0.insert(misfit, key: nil, into: Sample.item) }
      }
      try bench.expectEqual(try bench.version(store), version, "the version")
      let expected = [Sample.row(Sample.itemID(1), valid)]
      try bench.expectRows(try bench.allRows(store, Sample.item), expected, "the rows")
    },
  ]
}

// MARK: - Edits

extension StoreConformance {
  static let editCases: [Case] = [
    Case("rows come in the order asked, with nil where there is none", ["R13"]) { bench in
      let store = try bench.open()
      try store.write { transaction in
        for number in 1...5 {
          let values = Sample.item(.text("t\(number)"))
          try transaction.insert(values, key: nil, into: Sample.item)
        }
      }
      let asked: [Int64] = [4, 99, 1, 4, -1, 2]
      let rows = try store.read { (snapshot) throws(StoreError) in
        try snapshot.rows(asked.map { .integer($0) }, of: Sample.item)
      }
      let titles = rows.map { $0?["title"] }
      try bench.expectEqual(titles, ["t4", nil, "t1", "t4", nil, "t2"], "the titles")
      try bench.expectEqual(
        rows.compactMap { $0?.id },
        [4, 1, 4, 2].map(Sample.itemID),
        "the identities"
      )
    },

    Case("thousands of rows can be asked for at once", ["R13"]) { bench in
      let store = try bench.open()
      try store.write { transaction in
        for number in 1...3000 {
          let key = ObjectKey.text("k\(number)")
          try transaction.insert([.integer(Int64(number))], key: key, into: Sample.tag)
          try transaction.insert(Sample.score("s", Int64(number), 0), key: nil, into: Sample.score)
        }
      }
      let asked = (1...6000).reversed()
      let (tags, scores) = try store.read { (snapshot) throws(StoreError) in
        let tags = try snapshot.rows(asked.map { .text("k\($0)") }, of: Sample.tag)
        let keys = asked.map { Sample.scoreID("s", Int64($0)).key }
        return (tags, try snapshot.rows(keys, of: Sample.score))
      }
      let expected = asked.map { $0 <= 3000 ? Value.integer(Int64($0)) : nil }
      try bench.expectEqual(tags.map { $0?["rank"] }, expected, "the ranks")
      try bench.expectEqual(scores.map { $0?["subject"] }, expected, "the subjects")
    },

    Case("an update writes every value", ["R13"]) { bench in
      let store = try bench.open()
      let old = Sample.item("old", note: "note", number: 1, share: 0.5, bytes: .blob([1]))
      let new = Sample.item("new", number: 2)
      try store.write { transaction in
        try transaction.insert(old, key: nil, into: Sample.item)
        try transaction.insert(old, key: nil, into: Sample.item)
        let id = Sample.itemID(1)
        try transaction.update(id, to: new, of: Sample.item, ifUnchangedFrom: nil)
      }
      let expected = [Sample.row(Sample.itemID(1), new), Sample.row(Sample.itemID(2), old)]
      try bench.expectRows(try bench.allRows(store, Sample.item), expected, "the rows")
    },

    Case("an object that does not exist is neither changed nor deleted", ["R13"]) { bench in
      let store = try bench.open()
      try store.write { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
      let version = try bench.version(store)
      // An identity of another entity names no object of this one, whatever its key.
      for id in [Sample.itemID(2), ObjectID(entity: "Tag", key: .integer(1)), Sample.tagID("1")] {
        try bench.expectError("\(id) not to be found", \.isNotFound) {
          try store.write { transaction in
            let values = Sample.item("y")
            try transaction.update(id, to: values, of: Sample.item, ifUnchangedFrom: nil)
          }
        }
        let isDeleted = try store.write { try $0.delete(id, of: Sample.item) }
        try bench.expectEqual(isDeleted, false, "whether \(id) was there to delete")
      }
      try bench.expectEqual(try bench.version(store), version, "the version")
      let isDeleted = try store.write { try $0.delete(Sample.itemID(1), of: Sample.item) }
      try bench.expectEqual(isDeleted, true, "whether the object was there to delete")
      try bench.expectEqual(try bench.allRows(store, Sample.item), [], "the rows")
    },

    Case("an edit is refused if its object was changed meanwhile", ["R13"]) { bench in
      let store = try bench.open()
      let id = Sample.itemID(1)
      let seen = Sample.row(id, Sample.item("seen", note: ""))
      try store.write { try $0.insert(seen.values, key: nil, into: Sample.item) }
      func edit(to title: Value, from expected: Row?) throws {
        try store.write { transaction in
          try transaction.update(
            id,
            to: Sample.item(title),
            of: Sample.item,
            ifUnchangedFrom: expected
          )
        }
      }
      let other = Sample.row(id, Sample.item("seen"))
      try bench.expectError(
        "a conflict with both rows",
        { error in
          guard case .conflict(id, let expected, let stored) = error else { return false }
          return expected == other && stored == seen
        }
      ) { try edit(to: "lost", from: other) }
      try bench.expectEqual(try bench.row(store, id, Sample.item), seen, "the row")
      try edit(to: "mine", from: seen)
      try bench.expectEqual(try bench.row(store, id, Sample.item)?["title"], "mine", "the title")
      try edit(to: "last", from: nil)
      try bench.expectEqual(try bench.row(store, id, Sample.item)?["title"], "last", "the title")
    },

    Case("an entity that the store does not have is refused", ["R87"]) { bench in
      let store = try bench.open([Sample.item])
      let definition = try OrderDefinition.list(Sample.tag)
      try bench.expectError("no such entity to read", \.isUnknownEntity) {
        try store.read { (snapshot) throws(StoreError) in
          try snapshot.rows([.text("x")], of: Sample.tag)
        }
      }
      try bench.expectError("no such entity to list", \.isUnknownEntity) {
        try store.read { (snapshot) throws(StoreError) in try snapshot.keys(of: definition) }
      }
      try bench.expectError("no such entity to count", \.isUnknownEntity) {
        try store.read { (snapshot) throws(StoreError) in
          try snapshot.count(of: Sample.tag, where: .all)
        }
      }
      try bench.expectError("no such entity to write", \.isUnknownEntity) {
        try store.write { try $0.insert([.null], key: .text("x"), into: Sample.tag) }
      }
    },
  ]
}
