import Testing

@Suite("Snapshots that forward")
struct ForwardingTests {
  private static let ports = "Sources/Core/ResultsStoreKit/Ports"

  /// A requirement with a default implementation would be lost silently by every snapshot around another one.
  @Test func `every requirement of a snapshot is forwarded`() throws {
    let requirements = Self.functions(
      in: try Self.block("public protocol StoreSnapshot", of: "StoreSnapshot.swift")
    )
    let forwarded = Self.functions(
      in: try Self.block("extension SnapshotForwarding", of: "SnapshotForwarding.swift")
    )
    #expect(requirements.count > 10)
    #expect(forwarded.sorted() == requirements.sorted())
  }

  /// The lines from one that begins as given to the brace that ends its block.
  private static func block(_ start: String, of file: String) throws -> Substring {
    let text = try PackageTree.text("\(ports)/\(file)")
    let begin = try #require(text.firstRange(of: "\n\(start)"))
    let end = try #require(text[begin.upperBound...].firstRange(of: "\n}\n"))
    return text[begin.lowerBound..<end.upperBound]
  }

  /// The names and first parameters of functions, without blanks.
  private static func functions(in text: Substring) -> [String] {
    text.matches(of: /\bfunc ([^)]*\))/).map { String($0.output.1.filter { !$0.isWhitespace }) }
  }
}
