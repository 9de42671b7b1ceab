import Foundation
public import ResultsDomain

/// A property that is stored as JSON text, such as a list of tags.
///
/// Declare the attribute with the form `json`, so that no list is ordered by it.
public struct JSONAttribute<Content: Codable & Hashable & Sendable>: Hashable, Sendable {
  /// The content.
  public var content: Content

  /// Wraps a content.
  public init(_ content: Content) { self.content = content }
}

extension JSONAttribute: AttributeConvertible {
  /// Stored as text.
  public static var attributeType: AttributeType { .text }
  /// The JSON, with sorted keys so that equal contents are equal texts; null if the content cannot be encoded.
  /// - Complexity: O(*n* log *n*) in the content.
  public var attributeValue: Value {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(content) else { return .null }
    return .text(String(decoding: data, as: UTF8.self))
  }
  /// Decodes a text, or a blob of text.
  /// - Complexity: O(*n*) in the bytes.
  public init?(attributeValue: Value) {
    let data: Data
    switch attributeValue {
    case .text(let text): data = Data(text.utf8)
    case .blob(let bytes): data = Data(bytes)
    // JSON is UTF-8.
    case .null, .integer, .real, .illFormedText: return nil
    }
    guard let content = try? JSONDecoder().decode(Content.self, from: data) else { return nil }
    self.content = content
  }
}
