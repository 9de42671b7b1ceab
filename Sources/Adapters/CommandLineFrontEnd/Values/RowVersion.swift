public import ArgumentParser
public import ResultsDomain

/// What stands for the values that an object had when somebody looked at it: 16 hexadecimal digits.
///
/// Equal values give equal versions in every process, so an object that was changed and changed back has its first version again.
public struct RowVersion: Hashable, Sendable {
  private let digest: UInt64

  /// The version of a row.
  /// - Complexity: O(*n*) in the bytes of its values.
  public init(of row: Row) {
    var digest = RowDigest()
    for value in row.values { digest.add(value) }
    self.digest = digest.value
  }
}

extension RowVersion: ExpressibleByArgument {
  /// Reads what `show` printed, or gives `nil` if it is something else.
  public init?(argument: String) {
    guard argument.utf8.count == 16, argument.utf8.allSatisfy(Self.isDigit),
      let digest = UInt64(argument, radix: 16)
    else { return nil }
    self.digest = digest
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }
}

extension RowVersion: CustomStringConvertible {
  /// The 16 digits.
  public var description: String {
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
