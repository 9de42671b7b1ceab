/// A piece of code in this module that a document shows.
struct Snippet: Sendable {
  /// The name that the document and the markers give it.
  let name: String
  /// The file it stands in.
  let file: String
  /// Its lines, without the markers and without common indentation.
  let lines: [String]
  /// Whether it only declares something, so that it has nothing to run.
  let isDeclaration: Bool

  /// All snippets of one source text: what stands between `// snippet: name` and `// end`.
  ///
  /// `// snippet: name, declaration` marks one that is not run by itself.
  static func all(in text: String, file: String) -> [Snippet] {
    var snippets: [Snippet] = []
    var open: (name: String, isDeclaration: Bool)?
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let words = line.split(separator: " ")
      if words.starts(with: ["//", "snippet:"]), let name = words.dropFirst(2).first {
        open = (String(name.filter { $0 != "," }), words.last == "declaration")
        lines = []
      } else if words == ["//", "end"], let current = open {
        snippets.append(
          Snippet(
            name: current.name,
            file: file,
            lines: withoutCommonIndentation(lines),
            isDeclaration: current.isDeclaration
          )
        )
        open = nil
      } else if open != nil {
        lines.append(line)
      }
    }
    return snippets
  }

  /// Lines moved left by the indentation they share.
  static func withoutCommonIndentation(_ lines: [String]) -> [String] {
    let filled = lines.filter { line in line.contains { $0 != " " } }
    let common = filled.map { line in line.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { String($0.dropFirst(common)) }
  }
}
