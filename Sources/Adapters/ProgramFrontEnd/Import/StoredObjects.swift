import Foundation
import ResultsDomain
import ResultsStoreKit

/// The objects in a store before an import, counted by content, so that repetitions within a file are preserved.
///
/// An object with an identifier is recognised by it; one without, by all its values but its rank in an order that users give and those
/// that the file leaves out. Fingerprints represent both, so
/// that memory does not grow with the length of the values.
struct StoredObjects {
  /// A 128-bit hash with a random seed per process, so that no file can provoke collisions.
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

  private let fields: ObjectFields
  private let entity: EntityDescription
  /// The optional text attributes: files do not distinguish an empty text from a missing one.
  private let optionalTexts: [Int]
  /// The attributes that do not count: the ranks that users give, and those that the file leaves out.
  private let ignoredIndexes: [Int]
  private let settings: LocaleSettings
  private let identity: (Value) -> Value
  private let dateIndexes: [Int]
  private var identifiers: [Fingerprint: Int] = [:]
  private var contents: [Fingerprint: Int] = [:]

  /// Reads all objects of an entity, in batches.
  /// - Complexity: O(*n*) in the objects; about 32 bytes of memory per object, 64 with an identifier.
  init(
    _ fields: ObjectFields,
    _ identifier: String?,
    comparedBy identity: @escaping (Value) -> Value = { $0 },
    ignoring ignored: [String] = [],
    _ settings: LocaleSettings,
    in transaction: any StoreTransaction
  ) throws {
    self.fields = fields
    self.settings = settings
    self.identity = identity
    let (entity, form) = (fields.entity, fields.form)
    self.entity = entity
    optionalTexts = form.attributes.indices.filter {
      form.attributes[$0].type == .text && form.attributes[$0].isOptional
    }
    ignoredIndexes = ignored.compactMap { form.index(of: $0) }
    dateIndexes = form.attributes.indices.filter { form.attributes[$0].type == .date }
    // Keys chosen by the user are looked up record by record.
    if case .text = entity.identity { return }
    let identifierIndex = identifier.flatMap { form.index(of: $0) }
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
      let rows = try transaction.rows(batch, of: entity).compactMap(\.self)
      for row in try fields.rows(rows, in: transaction) {
        contents[fingerprint(row.values), default: 0] += 1
        if let identifierIndex, !row.values[identifierIndex].isNull {
          identifiers[Fingerprint([identity(row.values[identifierIndex])]), default: 0] += 1
        }
      }
    }
  }

  /// Finds a stored object that equals a record, and uses it up.
  /// - Returns: How the record is known, or `nil` if it is new.
  /// - Complexity: O(*n*) in the bytes of the values.
  mutating func match(
    _ object: ImportedObject,
    in transaction: any StoreTransaction
  ) throws -> ImportOutcome? {
    if let key = object.key {
      guard case .some(.some(let stored)) = try transaction.rows([key], of: entity).first,
        let row = try fields.rows([stored], in: transaction).first
      else { return nil }
      return row.values == object.values ? .known : .knownWithOtherValues
    }
    // Nothing equals a record in an empty store, so its values need not be hashed.
    guard !contents.isEmpty else { return nil }
    let content = fingerprint(object.values)
    if let identifier = object.identifier {
      guard StoredObjects.take(Fingerprint([identity(identifier)]), from: &identifiers) else {
        return nil
      }
      return contents[content] == nil ? .knownWithOtherValues : .known
    }
    if StoredObjects.take(content, from: &contents) { return .known }
    guard let older = withLocalNoons(object.values) else { return nil }
    return StoredObjects.take(fingerprint(older), from: &contents) ? .known : nil
  }

  private func fingerprint(_ values: [Value]) -> Fingerprint {
    let hasIgnored = ignoredIndexes.contains { !values[$0].isNull }
    guard hasIgnored || optionalTexts.contains(where: { values[$0] == .text("") }) else {
      return Fingerprint(values)
    }
    var values = values
    for index in ignoredIndexes { values[index] = .null }
    for index in optionalTexts where values[index] == .text("") { values[index] = .null }
    return Fingerprint(values)
  }

  /// Returns the values as earlier versions of the programs stored dates without a time: as noon in the local time zone; `nil`
  /// without such dates.
  private func withLocalNoons(_ values: [Value]) -> [Value]? {
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
