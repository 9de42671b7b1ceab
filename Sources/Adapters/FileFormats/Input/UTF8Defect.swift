/// Where bytes stop being UTF-8.
enum UTF8Defect {
  /// The offset of the first byte in a range that is not UTF-8, counted from the beginning of all bytes.
  /// - Complexity: O(*n*) in the range; meant for messages.
  static func offset(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
    var decoder = Unicode.UTF8.ForwardParser()
    var iterator = bytes[range].makeIterator()
    var offset = range.lowerBound
    while true {
      switch decoder.parseScalar(from: &iterator) {
      case .valid(let scalar): offset += scalar.count
      case .emptyInput: return nil
      case .error: return offset
      }
    }
  }
}
