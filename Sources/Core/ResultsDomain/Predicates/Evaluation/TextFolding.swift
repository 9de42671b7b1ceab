/// What `[c]` does to both texts before they are compared.
///
/// A store that evaluates predicates in its own language registers this very function, so that no two stores
/// fold differently.
public enum TextFolding {
  /// A text with each scalar replaced by its lowercase mapping, by Unicode's default, whatever the locale.
  /// - Complexity: O(*n*) in the bytes.
  public static func folded(_ text: String) -> String { text.lowercased() }
}
