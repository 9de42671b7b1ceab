import OrderStatistics
import ResultsDomain

extension ObjectKey {
  /// How two keys of one entity stand to each other, in the order of their identity's bytes.
  ///
  /// Numbers by value, texts and blobs by bytes, compound keys part by part.
  func order(_ other: ObjectKey) -> ValueOrder {
    switch (self, other) {
    case (.integer(let left), .integer(let right)):
      return left < right ? .ascending : (left > right ? .descending : .same)
    case (.text(let left), .text(let right)): return compareBytes(left, right)
    case (.compound(let left), .compound(let right)):
      for (left, right) in zip(left, right) {
        let order = Value.compare(left, right)
        guard order == .same else { return order }
      }
      return Value.compare(.integer(Int64(left.count)), .integer(Int64(right.count)))
    case (.integer, _), (.text, .compound): return .ascending
    case (.compound, _), (.text, .integer): return .descending
    }
  }

  private func compareBytes(_ left: String, _ right: String) -> ValueOrder {
    // Mutable copies share the storage; native strings are read in place.
    var (left, right) = (left, right)
    let difference = left.withUTF8 { left in
      right.withUTF8 { KeyOrder.compare(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0)) }
    }
    return difference < 0 ? .ascending : (difference > 0 ? .descending : .same)
  }
}
