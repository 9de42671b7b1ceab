package import ResultsDomain
import ResultsStoreKit

/// Finds related objects by name in a transaction, and creates those that are missing.
///
/// Each name is sought once. Of several objects of one name, the one with the smallest key is found.
package struct NamedObjects {
  private let readsAll: Bool
  /// The keys by name, by the name of the entity.
  private var keys: [String: [Value: ObjectKey]] = [:]

  /// Creates a search.
  /// - Parameter readsAll: Whether all names are read at once, as is cheaper for many objects.
  package init(readsAll: Bool = false) { self.readsAll = readsAll }

  /// The key of the object of a name as the value of a foreign key; null for no name.
  mutating func foreignKey(
    _ name: Value,
    of destination: ObjectFields.Destination,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> Value {
    name.isNull ? .null : try key(name, of: destination, in: transaction).parts[0]
  }

  /// The key of the object of a name, which is created if there is none.
  mutating func key(
    _ name: Value,
    of destination: ObjectFields.Destination,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> ObjectKey {
    let entity = destination.entity
    if readsAll, keys[entity.name] == nil {
      keys[entity.name] = try NamedObjects.all(destination, in: transaction)
    }
    if let known = keys[entity.name]?[name] { return known }
    let key: ObjectKey
    if !readsAll, let found = try NamedObjects.find(name, destination, in: transaction) {
      key = found
    } else {
      var values = Array(repeating: Value.null, count: entity.attributes.count)
      values[destination.name] = name
      key = try transaction.insert(values, key: nil, into: entity).key
    }
    keys[entity.name, default: [:]][name] = key
    return key
  }

  /// The key of the object of a name, if there is one.
  static func find(
    _ name: Value,
    _ destination: ObjectFields.Destination,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> ObjectKey? {
    let entity = destination.entity
    let attribute = FetchExpression.attribute(entity.attributes[destination.name].name)
    let request = FetchRequest<ObjectID>(
      entity: entity,
      where: .comparison(attribute, .equal, .literal(name)),
      sortedBy: [FetchSortDescriptor(.objectKey)],
      fetchLimit: 1
    )
    return try snapshot.keys(of: request).first
  }

  private static func all(
    _ destination: ObjectFields.Destination,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> [Value: ObjectKey] {
    let entity = destination.entity
    let request = FetchRequest<ObjectID>(
      entity: entity,
      sortedBy: [FetchSortDescriptor(.objectKey)]
    )
    let keys = try transaction.keys(of: request)
    var known: [Value: ObjectKey] = [:]
    for start in stride(from: 0, to: keys.count, by: 1024) {
      let batch = Array(keys[start..<min(start + 1024, keys.count)])
      for case .some(let row) in try transaction.rows(batch, of: entity) {
        let name = row.values[destination.name]
        if known[name] == nil { known[name] = row.id.key }
      }
    }
    return known
  }
}

/// The names of several objects as one text: sorted, each once, with `; ` between them.
///
/// A backslash stands before a semicolon, a backslash, and a space at the beginning or end of a name; `\-` is an empty name. So every list
/// of names comes back from its text.
package enum JoinedNames {
  /// Returns the text of some names, or null for none.
  package static func value(of names: [String]) -> Value {
    names.isEmpty ? .null : .text(text(of: names))
  }

  static func text(of names: [String]) -> String {
    sorted(names).map(quoted).joined(separator: "; ")
  }

  /// Returns the names of a text, sorted, each once; any text can be read.
  package static func names(in text: String) -> [String] {
    var names: [String] = []
    var name: [UInt8] = []
    // The end of what is not left out as a space behind the name.
    var end = 0
    var (isQuoted, hasName) = (false, false)
    func finish() {
      if hasName { names.append(String(decoding: name[..<end], as: UTF8.self)) }
      (name, end, hasName) = ([], 0, false)
    }
    for byte in text.utf8 {
      if isQuoted {
        isQuoted = false
        hasName = true
        if byte != UInt8(ascii: "-") { name.append(byte) }
        end = name.count
      } else if byte == UInt8(ascii: "\\") {
        isQuoted = true
      } else if byte == UInt8(ascii: ";") {
        finish()
      } else if byte == UInt8(ascii: " ") {
        if hasName { name.append(byte) }
      } else {
        name.append(byte)
        hasName = true
        end = name.count
      }
    }
    if isQuoted {
      name.append(UInt8(ascii: "\\"))
      hasName = true
      end = name.count
    }
    finish()
    return sorted(names)
  }

  private static func sorted(_ names: [String]) -> [String] {
    var sorted: [String] = []
    for name in names.sorted(by: precedes)
    where sorted.last.map({ !$0.utf8.elementsEqual(name.utf8) }) ?? true {
      sorted.append(name)
    }
    return sorted
  }

  static func precedes(_ name: String, _ other: String) -> Bool {
    name.utf8.lexicographicallyPrecedes(other.utf8)
  }

  private static func quoted(_ name: String) -> String {
    guard !name.isEmpty else { return "\\-" }
    let bytes = Array(name.utf8)
    var quoted: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let isOutside = index == 0 || index == bytes.count - 1
      if byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\\")
        || (byte == UInt8(ascii: " ") && isOutside)
      {
        quoted.append(UInt8(ascii: "\\"))
      }
      quoted.append(byte)
    }
    return String(decoding: quoted, as: UTF8.self)
  }
}
