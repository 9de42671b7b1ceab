/// One Markdown file: its code blocks, and what the comments above them say they are.
struct DocumentPage {
  /// A fenced block of code.
  struct Block {
    /// The language after the fence, such as `swift` or `text`.
    let language: String
    /// What the comment directly above says: `snippet` or `output`, and a name.
    let mark: (kind: String, name: String)?
    /// The lines between the fences, without common indentation.
    let lines: [String]
    /// The line of the opening fence, from 1.
    let line: Int
  }

  /// The file, by its path in the package.
  let path: String
  /// Its blocks, in order.
  let blocks: [Block]

  init(path: String, text: String) {
    self.path = path
    var blocks: [Block] = []
    var mark: (kind: String, name: String)?
    var open: (language: String, mark: (kind: String, name: String)?, line: Int)?
    var lines: [String] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let trimmed = line.drop { $0 == " " }
      if let current = open {
        if trimmed.hasPrefix("```") {
          blocks.append(
            Block(
              language: current.language,
              mark: current.mark,
              lines: Snippet.withoutCommonIndentation(lines),
              line: current.line
            )
          )
          open = nil
        } else {
          lines.append(String(line))
        }
      } else if trimmed.hasPrefix("```") {
        open = (String(trimmed.dropFirst(3)), mark, index + 1)
        lines = []
        mark = nil
      } else if let found = Self.mark(in: trimmed) {
        mark = found
      } else if !trimmed.isEmpty {
        mark = nil
      }
    }
    self.blocks = blocks
  }

  /// Reads `<!-- kind: name -->`.
  private static func mark(in line: Substring) -> (kind: String, name: String)? {
    let words = line.split(separator: " ")
    guard words.count == 4, words[0] == "<!--", words[3] == "-->", words[1].hasSuffix(":") else {
      return nil
    }
    return (String(words[1].dropLast()), String(words[2]))
  }

  /// Targets of the page's links that are files of the package, without what follows `#`.
  static func links(in text: String) -> [String] {
    text.split(separator: "](").dropFirst().compactMap { rest in
      let target = rest.prefix { $0 != ")" }.prefix { $0 != "#" }
      return target.isEmpty || target.contains("://") ? nil : String(target)
    }
  }
}
