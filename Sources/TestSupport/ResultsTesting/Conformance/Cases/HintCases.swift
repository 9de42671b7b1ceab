import ResultsDomain

extension StoreConformance {
  static let hintCases: [Case] = [
    Case("a commit is hinted at to everyone who listens", ["R48"]) { bench in
      let store = try bench.open()
      let listeners = [store.hints(), store.hints()]
      for round in 1...3 {
        let before = try bench.version(store)
        try bench.write(store) { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
        for (number, hints) in listeners.enumerated() {
          // A hint may be late or early, so the version is what is waited for.
          let isHeard = await bench.inTime {
            for await _ in hints where (try? bench.version(store)) != before { return true }
            return false
          }
          try bench.expect(isHeard == true, "a hint for listener \(number), commit \(round)")
        }
      }
    },

    Case("hints end when the store is closed", ["R87"]) { bench in
      let store = try bench.open()
      let before = store.hints()
      try store.close()
      let after = store.hints()
      for (name, hints) in [("before", before), ("after", after)] {
        let isEnded = await bench.inTime {
          for await _ in hints {}
          return true
        }
        try bench.expect(isEnded == true, "hints asked for \(name) the end to end", saw: "no end")
      }
    },

    Case("a listener that went away disturbs nobody", ["R48"]) { bench in
      let store = try bench.open()
      for _ in 0..<20 { _ = store.hints() }
      let listener = Task {
        for await _ in store.hints() {}
      }
      listener.cancel()
      let hints = store.hints()
      try bench.write(store) { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
      let isHeard = await bench.inTime {
        for await _ in hints { return true }
        return false
      }
      try bench.expect(isHeard == true, "a hint")
    },
  ]
}
