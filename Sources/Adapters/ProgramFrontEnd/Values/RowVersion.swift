package import ResultsDomain
import ResultsStoreKit

/// A digest of an object's values, by which an edit detects that they have changed: 16 hexadecimal digits.
///
/// Equal values give equal versions in every process, so an object that is changed and changed back has its first
/// version again.
package struct RowVersion: Hashable, Sendable {
  private let digest: UInt64

  /// Creates the version of a row.
  /// - Complexity: O(*n*) in the bytes of its values.
  package init(of row: Row) {
    var digest = RowDigest()
    for value in row.values { digest.add(value) }
    self.digest = digest.value
  }
}

extension RowVersion: LosslessStringConvertible {
  /// Parses a version as `show` prints it, or returns `nil` for any other text.
  package init?(_ text: String) {
    guard text.utf8.count == 16, text.utf8.allSatisfy(Self.isDigit),
      let digest = UInt64(text, radix: 16)
    else { return nil }
    self.digest = digest
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }

  /// The 16 digits.
  package var description: String {
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
