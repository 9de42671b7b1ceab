import OrderStatistics
import ResultsDomain

extension IndexedKeys {
  /// The position of an object, or `nil` if it is not in the list.
  ///
  /// The present row tells the present key; if that came since the keys' own version, what left then is the key it had.
  /// - Throws: The store's error; `StoreError.historyLost` if it cannot tell any more.
  /// - Complexity: One row is read, and at most a block counted.
  func position(of key: ObjectKey) throws(StoreError) -> Int? {
    try index.store.rereading { (snapshot) throws(StoreError) -> Int? in
      let reading = try IndexedReading(self, in: snapshot)
      guard let encoded = try reading.key(of: key, in: snapshot) else { return nil }
      return try reading.rank(of: encoded)
    }
  }

  /// The id of the section that a position is in, if it can be told without reading.
  func sectionID(at position: Int) -> Value? {
    guard let lower = sectionStart(at: position) else { return nil }
    switch index.rule {
    case .single, .numbered: return nil
    case .columns: return lower.withUnsafeBytes { index.rule.id(of: $0, index.layout) }
    case .grouping: return index.ids[lower]
    }
  }
}

extension IndexedReading {
  /// The key that an object had, or `nil` if it was not in the list.
  fileprivate func key(
    of objectKey: ObjectKey,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [UInt8]? {
    let index = keys.index
    guard let identity = index.layout.identityBytes(of: objectKey) else { return nil }
    if let earlier = since.removed.firstKey(of: identity, index.layout) { return earlier }
    let row = try snapshot.rows([objectKey], of: index.entity).first ?? nil
    guard let present = try index.plan.key(of: row), since.inserted.position(of: present) == nil
    else {
      return nil
    }
    return present
  }
}

extension SortedKeyList {
  /// The key that ends with some identity.
  /// - Complexity: O(*n*)
  fileprivate func firstKey(of identity: [UInt8], _ layout: KeyLayout) -> [UInt8]? {
    var found: [UInt8]?
    forEachKey(in: 0..<count) { _, key in
      guard found == nil, key[layout.identityStart(in: key)...].elementsEqual(identity) else {
        return
      }
      found = Array(key)
    }
    return found
  }
}
