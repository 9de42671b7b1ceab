import ResultsDomain

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
