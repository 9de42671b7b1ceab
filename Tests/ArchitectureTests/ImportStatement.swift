/// An `import` in a source file.
struct ImportStatement: Hashable {
  /// The module: `Foundation` also for `import struct Foundation.Date`.
  let module: String
  /// Whether it has the attribute `@testable`, which no source of a product may use.
  let isTestable: Bool
  /// Whether it has the attribute `@_exported`, which only the umbrella may use.
  let isExported: Bool
  /// The line, from 1.
  let line: Int

  /// Returns all imports of a source text.
  static func all(in text: String) -> [ImportStatement] {
    SourceCode(text).code.enumerated().flatMap { index, code in
      code.split(separator: ";").compactMap { statement(in: $0, line: index + 1) }
    }
  }

  private static let kinds: Set<Substring> = [
    "struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor",
  ]
  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private", "open",
  ]

  private static func statement(in code: Substring, line: Int) -> ImportStatement? {
    var words = code.split(whereSeparator: \.isWhitespace)[...]
    var (isTestable, isExported) = (false, false)
    while let word = words.first, word.hasPrefix("@") || modifiers.contains(word) {
      isTestable = isTestable || word == "@testable"
      isExported = isExported || word == "@_exported"
      words = words.dropFirst()
    }
    guard words.popFirst() == "import" else { return nil }
    if let kind = words.first, kinds.contains(kind) { words = words.dropFirst() }
    guard let path = words.first, let module = path.split(separator: ".").first else { return nil }
    return ImportStatement(
      module: String(module.filter { $0 != "`" }),
      isTestable: isTestable,
      isExported: isExported,
      line: line
    )
  }
}
