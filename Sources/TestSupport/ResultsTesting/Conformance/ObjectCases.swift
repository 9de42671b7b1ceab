import ResultsDomain
import ResultsStoreKit

extension StoreConformance {
  static let identityCases: [Case] = [
    Case(
      "integer keys are assigned as one more than the largest",
      ["R13"],
      needs: .largestKeyPlusOne
    ) { fixture in
      let store = try fixture.open()
      func insert(_ key: Int64? = nil) throws -> ObjectID {
        try store.write { transaction in
          try transaction.insert(
            Sample.item("x"),
            key: key.map { .integer($0) },
            into: Sample.item
          )
        }
      }
      try fixture.expectEqual(try insert(), Sample.itemID(1), "the first key")
      try fixture.expectEqual(try insert(41), Sample.itemID(41), "a given key")
      try fixture.expectEqual(try insert(), Sample.itemID(42), "the key after 41")
      try fixture.expectEqual(try insert(-7), Sample.itemID(-7), "a given negative key")
      try store.write { _ = try $0.delete(Sample.itemID(42), of: Sample.item) }
      try fixture.expectEqual(try insert(), Sample.itemID(42), "the key after 42 was deleted")
      try store.write { transaction in
        for number: Int64 in [1, 41, 42] {
          _ = try transaction.delete(Sample.itemID(number), of: Sample.item)
        }
      }
      try fixture.expectEqual(try insert(), Sample.itemID(-6), "the key after -7 alone")
    },

    Case(
      "an assigned integer key is one that no object has",
      ["R13", "R157"],
      needs: .otherAssignedKeys
    ) { fixture in
      let store = try fixture.open()
      func insert(_ key: Int64? = nil) throws -> ObjectID {
        try store.write { transaction in
          try transaction.insert(
            Sample.item("x"),
            key: key.map { .integer($0) },
            into: Sample.item
          )
        }
      }
      var ids = [try insert(), try insert()]
      // Keys that a store that counts upwards would assign next, and one far above.
      if let id = ids.last, case .integer(let number) = id.key {
        for step: Int64 in [1, 2, 40] { ids.append(try insert(number + step)) }
      }
      for _ in 0..<50 { ids.append(try insert()) }
      try fixture.expectEqual(Set(ids).count, ids.count, "the number of different keys")
      try fixture.expectEqual(
        Set(try fixture.allRows(store, Sample.item).map(\.id)),
        Set(ids),
        "the keys of the objects"
      )
    },

    Case("the smallest and largest integer keys are stored", ["R13"]) { fixture in
      let store = try fixture.open()
      let keys: [Int64] = [.min, -1, 0, .max]
      try store.write { transaction in
        for key in keys {
          try transaction.insert(Sample.item("x"), key: .integer(key), into: Sample.item)
        }
      }
      let stored = try fixture.allRows(store, Sample.item).map(\.id)
      try fixture.expectEqual(stored, keys.map(Sample.itemID), "the keys, ascending")
    },

    Case("text keys are distinguished by their bytes", ["R13"]) { fixture in
      let store = try fixture.open()
      let names = ["", "A", "a", "a ", "\u{304B}\u{3099}", "\u{304C}", "\u{FF5E}", "\u{1F600}"]
      try store.write { transaction in
        for (rank, name) in names.enumerated() {
          try transaction.insert([.integer(Int64(rank))], key: .text(name), into: Sample.tag)
        }
      }
      try fixture.expectEqual(
        try fixture.allRows(store, Sample.tag).map(\.id),
        names.map(Sample.tagID),
        "the keys in the order of their bytes"
      )
      for (rank, name) in names.enumerated() {
        let row = try fixture.row(store, Sample.tagID(name), Sample.tag)
        try fixture.expectEqual(row?["rank"], .integer(Int64(rank)), "the rank of '\(name)'")
      }
    },

    Case("a compound key consists of its attributes' values", ["R13"]) { fixture in
      let store = try fixture.open()
      let id = try store.write { transaction in
        try transaction.insert(Sample.score("Aiko", 3, 80), key: nil, into: Sample.score)
      }
      try fixture.expectEqual(id, Sample.scoreID("Aiko", 3), "the identity")
      let other = try store.write { transaction in
        let key = Sample.scoreID("Aiko", 4).key
        return try transaction.insert(Sample.score("Aiko", 4, 90), key: key, into: Sample.score)
      }
      try fixture.expectEqual(
        other,
        Sample.scoreID("Aiko", 4),
        "the identity that was given explicitly"
      )
      try fixture.expectError("a key that contradicts the values to be rejected", \.isInvalid) {
        try store.write { transaction in
          let key = Sample.scoreID("Ben", 1).key
          try transaction.insert(Sample.score("Ben", 2, 1), key: key, into: Sample.score)
        }
      }
    },

    Case("an attribute of a compound key changes the identity", ["R13", "R27"]) { fixture in
      let store = try fixture.open()
      let old = Sample.row(Sample.scoreID("Aiko", 1), Sample.score("Aiko", 1, 80), Sample.score)
      let new = Sample.row(Sample.scoreID("Aiko", 9), Sample.score("Aiko", 9, 81), Sample.score)
      try store.write { transaction in
        try transaction.insert(old.values, key: nil, into: Sample.score)
        try transaction.insert(Sample.score("Ben", 1, 50), key: nil, into: Sample.score)
      }
      let version = try fixture.version(store)
      try store.write { transaction in
        try transaction.update(old.id, to: new.values, of: Sample.score, ifUnchangedFrom: nil)
      }
      try fixture.expectEqual(try fixture.row(store, old.id, Sample.score), nil, "the old object")
      try fixture.expectEqual(try fixture.row(store, new.id, Sample.score), new, "the new object")
      try fixture.expectChanges(
        try fixture.changes(store, since: version, of: Sample.score),
        [
          CommittedChange(id: old.id, before: old, after: nil),
          CommittedChange(id: new.id, before: nil, after: new),
        ],
        "the history"
      )
      try fixture.expectError("a duplicate key to be rejected", \.isAlreadyExists) {
        try store.write { transaction in
          let values = Sample.score("Ben", 1, 0)
          try transaction.update(new.id, to: values, of: Sample.score, ifUnchangedFrom: nil)
        }
      }
      try fixture.expectEqual(
        try fixture.row(store, new.id, Sample.score),
        new,
        "the object after it"
      )
    },

    Case("a duplicate key is rejected", ["R13"]) { fixture in
      let store = try fixture.open()
      let inserts: [@Sendable (any StoreTransaction) throws -> ObjectID] = [
        { try $0.insert(Sample.item("b"), key: .integer(1), into: Sample.item) },
        { try $0.insert([.integer(2)], key: .text("t"), into: Sample.tag) },
        { try $0.insert(Sample.score("s", 1, 2), key: nil, into: Sample.score) },
      ]
      for insert in inserts {
        try store.write { _ = try insert($0) }
        let before = try fixture.version(store)
        try fixture.expectError("the second insert to be rejected", \.isAlreadyExists) {
          try store.write { _ = try insert($0) }
        }
        try fixture.expectEqual(try fixture.version(store), before, "the version")
      }
    },

    Case("a key that does not fit the entity is rejected", ["R13"]) { fixture in
      let store = try fixture.open()
      let misfits: [(EntityDescription, [Value], ObjectKey?)] = [
        (Sample.item, Sample.item("x"), .text("1")),
        (Sample.item, Sample.item("x"), .compound([.integer(1)])),
        (Sample.tag, [.null], nil),
        (Sample.tag, [.null], .integer(1)),
        (Sample.score, Sample.score("s", 1, 1), .text("s")),
      ]
      for (entity, values, key) in misfits {
        try fixture.expectError("\(entity.name) to reject the key \(key as Any)", \.isInvalid) {
          try store.write { try $0.insert(values, key: key, into: entity) }
        }
        let rows = try store.read { (snapshot) throws(StoreError) in
          try snapshot.rows([key ?? .integer(1)], of: entity)
        }
        try fixture.expectEqual(rows, [nil], "the row of the rejected key")
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
    Case("every value is read as it was written", ["R13", "R86"]) { fixture in
      let store = try fixture.open()
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
      let stored = try fixture.allRows(store, Sample.item).map(\.values)
      for (stored, written) in zip(stored, written) {
        try fixture.expectEqual(stored, written, "the values")
      }
      try fixture.expectEqual(stored.count, written.count, "the number of rows")
    },

    Case("texts are read byte for byte", ["R86"]) { fixture in
      let store = try fixture.open()
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
      for (text, row) in zip(texts, try fixture.allRows(store, Sample.item)) {
        try fixture.expectEqual(row["title"], .text(text), "the bytes of \(Array(text.utf8))")
        try fixture.expectEqual(row["note"], .text(text), "the bytes of \(Array(text.utf8))")
      }
    },

    Case("a text with a NUL character is read in full", ["R86"], needs: .zeroCharacters) {
      fixture in
      let store = try fixture.open()
      let texts = ["a\u{0}b", "\u{0}", "a\u{0}"]
      try store.write { transaction in
        for text in texts {
          try transaction.insert([.integer(1)], key: .text(text), into: Sample.tag)
          try transaction.insert(Sample.item(.text(text)), key: nil, into: Sample.item)
        }
      }
      let titles = try fixture.allRows(store, Sample.item).map { $0["title"] }
      try fixture.expectEqual(titles, texts.map { .text($0) }, "the texts")
      try fixture.expectEqual(
        try fixture.allRows(store, Sample.tag).map(\.id),
        ["\u{0}", "a\u{0}", "a\u{0}b"].map(Sample.tagID),
        "the keys"
      )
    },

    Case(
      "a text with a NUL character is refused, and nothing is written",
      ["R86", "R157"],
      needs: .noZeroCharacters
    ) { fixture in
      let store = try fixture.open()
      let kept = try store.write { try $0.insert(Sample.item("a"), key: nil, into: Sample.item) }
      let before = try store.read { (snapshot) throws(StoreError) in snapshot.version }
      func expectRefusal(
        of attribute: String,
        _ body: (any StoreTransaction) throws -> Void
      ) throws {
        try fixture.expectError(
          "invalid, since \(attribute) cannot be stored",
          { error in
            guard case .invalid(let failures) = error, failures.count == 1,
              case .notStorable(_, attribute, _) = failures[0]
            else { return false }
            return true
          },
          { try store.write(body) }
        )
      }
      for text in ["a\u{0}b", "\u{0}", "a\u{0}"] {
        try expectRefusal(of: "title") {
          _ = try $0.insert(Sample.item(.text(text), note: "b"), key: nil, into: Sample.item)
        }
        try expectRefusal(of: "note") {
          try $0.update(kept, to: Sample.item("c", note: .text(text)), of: Sample.item)
        }
        try expectRefusal(of: "name") {
          _ = try $0.insert([.integer(1)], key: .text(text), into: Sample.tag)
        }
        // A transaction that catches the refusal can commit.
        try store.write { transaction in
          _ = try? transaction.insert(Sample.item(.text(text)), key: nil, into: Sample.item)
        }
      }
      let rows = try fixture.allRows(store, Sample.item)
      try fixture.expectRows(rows, [Sample.row(kept, Sample.item("a"))], "the only object")
      try fixture.expectEqual(try fixture.allRows(store, Sample.tag), [], "the tags")
      let after = try store.read { (snapshot) throws(StoreError) in snapshot.version }
      try fixture.expectEqual(after, before, "the version")
    },

    Case("several rows are inserted together, or none of them", ["R47", "R157"]) { fixture in
      let store = try fixture.open()
      let ids = try store.write { transaction in
        let ids = try transaction.insert(
          ["a", "b", "c"].map { Sample.item($0) },
          keys: [nil, .integer(70), nil],
          into: Sample.item
        )
        try fixture.expectEqual(
          try transaction.rows(ids.map(\.key), of: Sample.item).map { $0?["title"] },
          ["a", "b", "c"],
          "the titles, in the order of the identities"
        )
        return ids
      }
      try fixture.expectEqual(Set(ids).count, 3, "the number of different keys")
      try fixture.expectEqual(ids[1], Sample.itemID(70), "a given key")
      try store.write { transaction in
        _ = try transaction.insert([], keys: [], into: Sample.item)
        try fixture.expectError(
          "alreadyExists",
          { if case .alreadyExists = $0 { true } else { false } },
          {
            try transaction.insert(
              [Sample.item("d"), Sample.item("e"), Sample.item("f")],
              keys: [.integer(80), .integer(70), .integer(81)],
              into: Sample.item
            )
          }
        )
        try fixture.expectError(
          "invalid",
          { if case .invalid = $0 { true } else { false } },
          {
            try transaction.insert(
              [Sample.item("g"), Sample.item(.null)],
              keys: [.integer(90), nil],
              into: Sample.item
            )
          }
        )
        try fixture.expectEqual(
          try transaction.count(of: Sample.item, where: .all),
          3,
          "the number of objects after refusals, in the transaction"
        )
      }
      try fixture.expectEqual(
        Set(try fixture.allRows(store, Sample.item).map(\.id)),
        Set(ids),
        "the keys after refusals"
      )
    },

    Case("null, an empty text and an empty blob are distinct", ["R13"]) { fixture in
      let store = try fixture.open()
      try store.write { transaction in
        try transaction.insert(Sample.item(""), key: nil, into: Sample.item)
        let empty = Sample.item("", note: "", bytes: .blob([]))
        try transaction.insert(empty, key: nil, into: Sample.item)
      }
      let rows = try fixture.allRows(store, Sample.item)
      try fixture.expectEqual(rows.map { $0["note"] }, [.null, ""], "the notes")
      try fixture.expectEqual(rows.map { $0["bytes"] }, [.null, .blob([])], "the bytes")
      let without = try OrderDefinition.list(Sample.item, where: .isNull(.attribute("note")))
      try fixture.expectEqual(
        try fixture.rows(store, without).map(\.id),
        [Sample.itemID(1)],
        "the object without a note"
      )
    },

    Case("a missing required value is rejected, an empty text is not", ["R13"]) { fixture in
      let store = try fixture.open()
      try fixture.expectError(
        "invalid, naming the attribute",
        { error in
          guard case .invalid(let failures) = error else { return false }
          return failures == [.missing(entity: "Item", attribute: "title")]
        }
      ) {
        try store.write { try $0.insert(Sample.item(.null), key: nil, into: Sample.item) }
      }
      try store.write { try $0.insert(Sample.item(""), key: nil, into: Sample.item) }
      try fixture.expectEqual(
        try fixture.allRows(store, Sample.item).count,
        1,
        "the number of rows"
      )
    },

    Case("invalid values are rejected, and the error names all of them", ["R13"]) { fixture in
      let store = try fixture.open()
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
      let version = try fixture.version(store)
      for values in misfits {
        try fixture.expectError("\(values) not to be inserted", \.isInvalid) {
          try store.write { try $0.insert(values, key: nil, into: Sample.item) }
        }
        try fixture.expectError("\(values) not to be an update", \.isInvalid) {
          try store.write { transaction in
            let id = Sample.itemID(1)
            try transaction.update(id, to: values, of: Sample.item, ifUnchangedFrom: nil)
          }
        }
      }
      try fixture.expectError(
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
      try fixture.expectEqual(try fixture.version(store), version, "the version")
      let expected = [Sample.row(Sample.itemID(1), valid)]
      try fixture.expectRows(try fixture.allRows(store, Sample.item), expected, "the rows")
    },
  ]
}

// MARK: - Edits

extension StoreConformance {
  static let editCases: [Case] = [
    Case("rows are returned in the order of the keys, with nil for missing ones", ["R13"]) {
      fixture in
      let store = try fixture.open()
      try store.write { transaction in
        for number in 1...5 {
          let values = Sample.item(.text("t\(number)"))
          try transaction.insert(values, key: nil, into: Sample.item)
        }
      }
      let requested: [Int64] = [4, 99, 1, 4, -1, 2]
      let rows = try store.read { (snapshot) throws(StoreError) in
        try snapshot.rows(requested.map { .integer($0) }, of: Sample.item)
      }
      let titles = rows.map { $0?["title"] }
      try fixture.expectEqual(titles, ["t4", nil, "t1", "t4", nil, "t2"], "the titles")
      try fixture.expectEqual(
        rows.compactMap { $0?.id },
        [4, 1, 4, 2].map(Sample.itemID),
        "the identities"
      )
    },

    Case("thousands of rows can be read in one call", ["R13"]) { fixture in
      let store = try fixture.open()
      try store.write { transaction in
        for number in 1...3000 {
          let key = ObjectKey.text("k\(number)")
          try transaction.insert([.integer(Int64(number))], key: key, into: Sample.tag)
          try transaction.insert(Sample.score("s", Int64(number), 0), key: nil, into: Sample.score)
        }
      }
      let requested = (1...6000).reversed()
      let (tags, scores) = try store.read { (snapshot) throws(StoreError) in
        let tags = try snapshot.rows(requested.map { .text("k\($0)") }, of: Sample.tag)
        let keys = requested.map { Sample.scoreID("s", Int64($0)).key }
        return (tags, try snapshot.rows(keys, of: Sample.score))
      }
      let expected = requested.map { $0 <= 3000 ? Value.integer(Int64($0)) : nil }
      try fixture.expectEqual(tags.map { $0?["rank"] }, expected, "the ranks")
      try fixture.expectEqual(scores.map { $0?["subject"] }, expected, "the subjects")
    },

    Case("an update writes every value", ["R13"]) { fixture in
      let store = try fixture.open()
      let old = Sample.item("old", note: "note", number: 1, share: 0.5, bytes: .blob([1]))
      let new = Sample.item("new", number: 2)
      try store.write { transaction in
        try transaction.insert(old, key: nil, into: Sample.item)
        try transaction.insert(old, key: nil, into: Sample.item)
        let id = Sample.itemID(1)
        try transaction.update(id, to: new, of: Sample.item, ifUnchangedFrom: nil)
      }
      let expected = [Sample.row(Sample.itemID(1), new), Sample.row(Sample.itemID(2), old)]
      try fixture.expectRows(try fixture.allRows(store, Sample.item), expected, "the rows")
    },

    Case("an object that does not exist is neither changed nor deleted", ["R13"]) { fixture in
      let store = try fixture.open()
      try store.write { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
      let version = try fixture.version(store)
      // An identity of another entity identifies no object of this one, whatever its key.
      for id in [Sample.itemID(2), ObjectID(entity: "Tag", key: .integer(1)), Sample.tagID("1")] {
        try fixture.expectError("\(id) not to be found", \.isNotFound) {
          try store.write { transaction in
            let values = Sample.item("y")
            try transaction.update(id, to: values, of: Sample.item, ifUnchangedFrom: nil)
          }
        }
        let isDeleted = try store.write { try $0.delete(id, of: Sample.item) }
        try fixture.expectEqual(isDeleted, false, "whether \(id) was there to delete")
      }
      try fixture.expectEqual(try fixture.version(store), version, "the version")
      let isDeleted = try store.write { try $0.delete(Sample.itemID(1), of: Sample.item) }
      try fixture.expectEqual(isDeleted, true, "whether the object was there to delete")
      try fixture.expectEqual(try fixture.allRows(store, Sample.item), [], "the rows")
    },

    Case("an edit is rejected if the object has changed since it was read", ["R13"]) { fixture in
      let store = try fixture.open()
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
      try fixture.expectError(
        "a conflict with both rows",
        { error in
          guard case .conflict(id, let expected, let stored) = error else { return false }
          return expected == other && stored == seen
        }
      ) { try edit(to: "lost", from: other) }
      try fixture.expectEqual(try fixture.row(store, id, Sample.item), seen, "the row")
      try edit(to: "mine", from: seen)
      try fixture.expectEqual(
        try fixture.row(store, id, Sample.item)?["title"],
        "mine",
        "the title"
      )
      try edit(to: "last", from: nil)
      try fixture.expectEqual(
        try fixture.row(store, id, Sample.item)?["title"],
        "last",
        "the title"
      )
    },

    Case("an unknown entity is rejected", ["R87"]) { fixture in
      let store = try fixture.open([Sample.item])
      let definition = try OrderDefinition.list(Sample.tag)
      try fixture.expectError("no such entity to read", \.isUnknownEntity) {
        try store.read { (snapshot) throws(StoreError) in
          try snapshot.rows([.text("x")], of: Sample.tag)
        }
      }
      try fixture.expectError("no such entity to list", \.isUnknownEntity) {
        try store.read { (snapshot) throws(StoreError) in try snapshot.keys(of: definition) }
      }
      try fixture.expectError("no such entity to count", \.isUnknownEntity) {
        try store.read { (snapshot) throws(StoreError) in
          try snapshot.count(of: Sample.tag, where: .all)
        }
      }
      try fixture.expectError("no such entity to write", \.isUnknownEntity) {
        try store.write { try $0.insert([.null], key: .text("x"), into: Sample.tag) }
      }
    },
  ]
}
