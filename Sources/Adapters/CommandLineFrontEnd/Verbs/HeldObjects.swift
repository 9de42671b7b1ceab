import Foundation
import ResultsDomain

/// What a store held before an import, by count, so that a file's own repetitions are kept.
///
/// An object with an identifier is known by it; one without, by all its values. Fingerprints stand for both, so that the
/// memory does not grow with the length of the values.
struct HeldObjects {
  /// 128 bits of a hash with a seed of this process: no file can be made so that two of its contents have the same.
  private struct Fingerprint: Hashable {
    private let first: Int
    private let second: Int

    init(_ values: some Collection<Value>) {
      var (first, second) = (Hasher(), Hasher())
      second.combine(1 as UInt8)
      for value in values {
        first.combine(value)
        second.combine(value)
      }
      self.first = first.finalize()
      self.second = second.finalize()
    }
  }

  private let entity: EntityDescription
  /// Files do not tell an empty text from none where an attribute may have none.
  private let optionalTexts: [Int]
  private let settings: ReaderSettings
  private let dateIndexes: [Int]
  private var identifiers: [Fingerprint: Int] = [:]
  private var contents: [Fingerprint: Int] = [:]

  /// Reads all objects of an entity, a batch at a time.
  /// - Complexity: O(*n*) in the objects; about 32 bytes stay of each, and twice that of one with an identifier.
  init(
    _ entity: EntityDescription,
    _ identifier: String?,
    _ settings: ReaderSettings,
    in transaction: any StoreTransaction
  ) throws {
    self.entity = entity
    self.settings = settings
    optionalTexts = entity.attributes.indices.filter {
      entity.attributes[$0].type == .text && entity.attributes[$0].isOptional
    }
    dateIndexes = entity.attributes.indices.filter { entity.attributes[$0].type == .date }
    // A key that the writer chooses is looked up when a record has it.
    if case .text = entity.identity { return }
    let identifierIndex = identifier.flatMap { entity.index(of: $0) }
    let request = FetchRequest<ObjectID>(
      entity: entity,
      sortedBy: [
        entity.keyTypes.count == 1
          ? FetchSortDescriptor(.objectKey)
          : .ascending(entity.attributes[entity.keyAttributeIndexes[0]].name)
      ]
    )
    let keys = try transaction.keys(of: request)
    for start in stride(from: 0, to: keys.count, by: 1024) {
      let batch = Array(keys[start..<min(start + 1024, keys.count)])
      for case .some(let row) in try transaction.rows(batch, of: entity) {
        contents[fingerprint(row.values), default: 0] += 1
        if let identifierIndex, !row.values[identifierIndex].isNull {
          identifiers[Fingerprint([row.values[identifierIndex]]), default: 0] += 1
        }
      }
    }
  }

  /// Finds a held object for a record, which then stands for no other record.
  /// - Returns: How the record is known, or `nil` if it is new.
  /// - Complexity: O(*n*) in the bytes of the values.
  mutating func match(
    _ object: ImportedObject,
    in transaction: any StoreTransaction
  ) throws -> ImportOutcome? {
    if let key = object.key {
      guard case .some(.some(let row)) = try transaction.rows([key], of: entity).first else {
        return nil
      }
      return row.values == object.values ? .known : .knownWithOtherValues
    }
    let content = fingerprint(object.values)
    if let identifier = object.identifier {
      guard HeldObjects.take(Fingerprint([identifier]), from: &identifiers) else { return nil }
      return contents[content] == nil ? .knownWithOtherValues : .known
    }
    if HeldObjects.take(content, from: &contents) { return .known }
    guard let older = withNoons(object.values) else { return nil }
    return HeldObjects.take(fingerprint(older), from: &contents) ? .known : nil
  }

  private func fingerprint(_ values: [Value]) -> Fingerprint {
    guard optionalTexts.contains(where: { values[$0] == .text("") }) else {
      return Fingerprint(values)
    }
    var values = values
    for index in optionalTexts where values[index] == .text("") { values[index] = .null }
    return Fingerprint(values)
  }

  /// The values as an earlier version of the programs stored dates without a time, as noons of the reader; `nil` if there
  /// are none.
  private func withNoons(_ values: [Value]) -> [Value]? {
    var older: [Value]?
    for index in dateIndexes {
      guard let day = values[index].integer.flatMap({ Instant(microseconds: $0).wholeDay }) else {
        continue
      }
      let noon = day * 86_400 + 43_200
      let offset = settings.timeZone.secondsFromGMT(
        for: Date(timeIntervalSince1970: Double(noon))
      )
      older = older ?? values
      older?[index] = .integer((noon - Int64(offset)) * 1_000_000)
    }
    return older
  }

  private static func take(_ key: Fingerprint, from counts: inout [Fingerprint: Int]) -> Bool {
    guard let count = counts[key], count > 0 else { return false }
    counts[key] = count - 1
    return true
  }
}
