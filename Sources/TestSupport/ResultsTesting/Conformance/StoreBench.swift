import ResultsDomain
import Synchronization

/// What a case works with: fresh stores, and expectations that throw.
final class StoreBench: Sendable {
  let caseName: String
  let provider: StoreProvider
  private let opened = Mutex<[any Store]>([])

  init(caseName: String, provider: StoreProvider) {
    self.caseName = caseName
    self.provider = provider
  }

  /// A new empty store.
  func open(_ entities: [EntityDescription] = Sample.entities) throws -> any Store {
    keep(try provider.open(entities))
  }

  /// Remembers a store, to close it in the end.
  func keep(_ store: any Store) -> any Store {
    opened.withLock { $0.append(store) }
    return store
  }

  func closeAll() {
    for store in opened.withLock({ $0 }) { try? store.close() }
  }

  /// What a provider gives for a need that has been checked already.
  func given<Thing>(_ thing: Thing?) throws -> Thing {
    guard let thing else { throw failure("what the case needs", "nothing") }
    return thing
  }

  func failure(_ expectation: String, _ seen: String) -> ConformanceFailure {
    ConformanceFailure(testCase: caseName, expectation: expectation, seen: seen)
  }
}

// MARK: - Expectations

extension StoreBench {
  func expect(
    _ isMet: Bool,
    _ expectation: @autoclosure () -> String,
    saw seen: @autoclosure () -> String = "otherwise"
  ) throws(ConformanceFailure) {
    guard isMet else { throw failure(expectation(), seen()) }
  }

  func expectEqual<Thing: Equatable>(
    _ seen: Thing,
    _ expected: Thing,
    _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    guard seen == expected else { throw failure("\(what()): \(expected)", "\(seen)") }
  }

  /// Expects a store's error of some kind.
  func expectError<Result>(
    _ expectation: String,
    _ isExpected: (StoreError) -> Bool,
    _ body: () throws -> Result
  ) throws(ConformanceFailure) {
    let result: Result
    do {
      result = try body()
    } catch let error as StoreError {
      guard isExpected(error) else { throw failure(expectation, "\(error)") }
      return
    } catch {
      throw failure(expectation, "an error that is not a StoreError: \(error)")
    }
    throw failure(expectation, "no error, but \(result)")
  }

  /// Expects two lists of rows to be the same, and shows the first place where they are not.
  func expectRows(
    _ seen: [Row],
    _ expected: [Row],
    _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    guard seen != expected else { return }
    let place = zip(seen, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let index = place ?? min(seen.count, expected.count)
    throw failure(
      "\(what()): \(expected.count) rows, at \(index) \(show(expected, index))",
      "\(seen.count) rows, at \(index) \(show(seen, index))"
    )
  }

  /// Expects two lists of changes to be the same, images included.
  func expectChanges(
    _ seen: [CommittedChange],
    _ expected: [CommittedChange],
    _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    let order: (CommittedChange, CommittedChange) -> Bool = { left, right in
      ModelStore.order(left.id.key, right.id.key) == .ascending
    }
    let (seen, expected) = (seen.sorted(by: order), expected.sorted(by: order))
    guard seen != expected else { return }
    throw failure("\(what()): \(show(expected))", show(seen))
  }

  func show(_ changes: [CommittedChange]) -> String {
    changes.isEmpty ? "no change" : changes.map(\.text).joined(separator: "; ")
  }

  private func show(_ rows: [Row], _ index: Int) -> String {
    index < rows.count ? rows[index].text : "no row"
  }
}

extension Row {
  /// The identity and the values, for messages.
  var text: String { "\(id) \(values)" }
}

extension CommittedChange {
  /// The identity and both images, for messages.
  var text: String { "\(id): \(before.map(\.text) ?? "none") -> \(after.map(\.text) ?? "none")" }
}
