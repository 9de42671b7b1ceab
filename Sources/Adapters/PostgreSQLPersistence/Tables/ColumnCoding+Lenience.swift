#if PostgreSQL
import ResultsDomain

// Values of the server that no attribute has, where they are read as others (`isLenient`).
//
// Not-a-number is replaced in SQL, where it is read, so that conditions and orders see what is shown. A date after the last one is not:
// the server orders it before infinity and after all others, which is right but among such dates, and an index keeps its use.

extension ColumnCoding {
  /// Whether a value can be not-a-number.
  var canBeNoNumber: Bool {
    switch kind {
    case .real, .numeric: true
    default: false
    }
  }

  /// Whether a value can be a date after the last one.
  var canBeLater: Bool { kind == .timestamp || kind == .date }

  /// Whether some bytes are a date after the last one, which is read as infinity.
  func isLater(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard isLenient, canBeLater else { return false }
    let count = BinaryForm.integer(bytes)
    return count >= firstLater && count < (kind == .date ? Int64(Int32.max) : .max)
  }

  /// The first date after the last one, in the column's own unit.
  private var firstLater: Int64 {
    kind == .date
      ? Int64.max / 86_400_000_000 - ColumnCoding.epochDays
      : Int64.max - ColumnCoding.epochMicroseconds
  }

  /// A comparison with infinity as one with the first date that is read so; `nil` for any other value or column.
  func later(_ comparison: ComparisonOperator, _ value: Value) -> (ComparisonOperator, Parameter)? {
    guard isLenient, canBeLater, value == .integer(Instant.infinity.microseconds) else {
      return nil
    }
    let comparison: ComparisonOperator? =
      switch comparison {
      case .equal, .greaterOrEqual: .greaterOrEqual
      case .notEqual, .less: .less
      // Nothing is greater, and everything is less or equal, as the server compares them.
      case .greater, .lessOrEqual: nil
      }
    let bytes = BinaryForm.bytes(of: firstLater)
    return comparison.map {
      ($0, Parameter(type: type, bytes: kind == .date ? Array(bytes.suffix(4)) : bytes))
    }
  }
}
#endif
