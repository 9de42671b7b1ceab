import ResultsDomain

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
