import ResultsDomain
import Synchronization

extension StoreConformance {
  static let hintCases: [Case] = [
    Case("a commit is hinted at to everyone who listens", ["R48"]) { bench in
      let store = try bench.open()
      let listeners = [store.commitNotifications(), store.commitNotifications()]
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
      let before = store.commitNotifications()
      try store.close()
      let after = store.commitNotifications()
      for (name, hints) in [("before", before), ("after", after)] {
        let isEnded = await bench.inTime {
          for await _ in hints {}
          return true
        }
        try bench.expect(isEnded == true, "hints asked for \(name) the end to end", saw: "no end")
      }
    },

    Case("a commit is handed over to be followed, or hinted at", ["R48"]) { bench in
      let store = try bench.open()
      let followed = Mutex<[StoreVersion]>([])
      let hints = store.commitNotifications { snapshot in
        // Reading the store goes on in the same version.
        guard (try? bench.version(store)) == snapshot.version else { return false }
        return followed.withLock {
          $0.append(snapshot.version)
          return $0.count.isMultiple(of: 2)
        }
      }
      for round in 1...6 {
        let calls = followed.withLock { $0.count }
        try bench.write(store) { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
        let version = try bench.version(store)
        let seen = followed.withLock { $0 }
        if seen.count > calls {
          try bench.expect(seen.last == version, "the closure sees commit \(round)")
          guard !seen.count.isMultiple(of: 2) else { continue }
        }
        let isHeard = await bench.inTime {
          for await _ in hints { return true }
          return false
        }
        try bench.expect(isHeard == true, "a hint for commit \(round), which was not followed")
      }
    },

    Case("a transaction that is undone is handed to nobody", ["R48"]) { bench in
      let store = try bench.open()
      let calls = Mutex(0)
      let hints = store.commitNotifications { _ in
        calls.withLock { $0 += 1 }
        return true
      }
      do {
        try bench.write(store) { transaction in
          try transaction.insert(Sample.item("x"), key: nil, into: Sample.item)
          throw CancellationError()
        }
      } catch {}
      try bench.expect(calls.withLock { $0 } == 0, "no call for what was undone")
      withExtendedLifetime(hints) {}
    },

    Case("a listener that went away disturbs nobody", ["R48"]) { bench in
      let store = try bench.open()
      for _ in 0..<20 { _ = store.commitNotifications() }
      let listener = Task {
        for await _ in store.commitNotifications() {}
      }
      listener.cancel()
      let hints = store.commitNotifications()
      try bench.write(store) { try $0.insert(Sample.item("x"), key: nil, into: Sample.item) }
      let isHeard = await bench.inTime {
        for await _ in hints { return true }
        return false
      }
      try bench.expect(isHeard == true, "a hint")
    },
  ]
}
