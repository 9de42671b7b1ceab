package import ResultsDomain

/// The name under which a command of a program commits: by it the commits of one command are found again, in whatever process (R281).
///
/// As the name of a commit's writer it is a text, such as
/// `cli-7f3a91c2d0b14e55.1 student-roster 2026-11-29T09:01:02Z did: removed 3 students`: what ran the command, its id, the number of the
/// commit among those of the command, the program, the time, and what it did. `undid` and `redid` are followed by the id of the command
/// that was taken back or done again.
package struct CommandName: Hashable, Sendable {
  /// What the commits are.
  package enum Act: Hashable, Sendable {
    /// A command.
    case did
    /// The undo of the command with an id.
    case undid(String)
    /// That command, done again after its undo.
    case redid(String)
  }

  /// What ran the command, such as `cli` or `browse`; it contains no space.
  package let writer: String
  /// The id, of 16 hexadecimal digits.
  package let id: String
  /// The number of the commit among those of the command, from 1.
  package let part: Int
  /// The program; it contains no space.
  package let program: String
  /// When the command began.
  package let time: Instant
  /// What the commits are.
  package let act: Act
  /// What the command did, or is about to do, in words without a period; it may contain any characters.
  package let title: String

  /// The most bytes of a title.
  private static let longestTitle = 200

  /// Creates the name of a new command.
  /// - Parameters:
  ///   - title: What the command does, in the past tense, such as `removed 3 students`. It is cut if it is long.
  ///   - program: The program.
  ///   - writer: What runs the command.
  ///   - act: What the commits are.
  ///   - time: When the command begins.
  package init(
    _ title: String,
    of program: String,
    by writer: String = "cli",
    act: Act = .did,
    at time: Instant = .now
  ) {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    id = String(repeating: "0", count: 16 - digits.utf8.count) + digits
    (part, self.program, self.writer, self.act, self.time) = (1, program, writer, act, time)
    self.title = CommandName.cut(title)
  }

  private init(_ name: CommandName, part: Int) {
    (writer, id, program, time, act, title) = (
      name.writer, name.id, name.program, name.time, name.act, name.title
    )
    self.part = part
  }

  /// Reads the name of a commit's writer, or returns `nil` if it is not one of a command.
  package init?(_ origin: CommitOrigin) {
    let words = origin.name.utf8.split(
      separator: UInt8(ascii: " "),
      maxSplits: 3,
      omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 4, let time = Instant(iso8601: words[2]) else { return nil }
    let begin = words[0].utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1)
    guard begin.count == 2 else { return nil }
    let numbers = begin[1].split(separator: UInt8(ascii: "."))
    guard numbers.count == 2, numbers[0].count == 16,
      let part = Int(String(decoding: numbers[1], as: UTF8.self)), part > 0
    else { return nil }
    let rest = words[3].utf8
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let act = rest[..<colon].split(separator: UInt8(ascii: " "))
      .map { String(decoding: $0, as: UTF8.self) }
    switch (act.first, act.count) {
    case ("did", 1): self.act = .did
    case ("undid", 2): self.act = .undid(act[1])
    case ("redid", 2): self.act = .redid(act[1])
    default: return nil
    }
    (writer, id) = (
      String(decoding: begin[0], as: UTF8.self), String(decoding: numbers[0], as: UTF8.self)
    )
    (self.part, program, self.time) = (part, words[1], time)
    title = String(decoding: rest[rest.index(after: colon)...].dropFirst(), as: UTF8.self)
  }

  /// The name of another commit of the same command.
  package func part(_ number: Int) -> CommandName { CommandName(self, part: number) }

  /// The name as that of a commit's writer.
  package var origin: CommitOrigin {
    let act =
      switch act {
      case .did: "did"
      case .undid(let id): "undid \(id)"
      case .redid(let id): "redid \(id)"
      }
    return CommitOrigin("\(writer)-\(id).\(part) \(program) \(time.iso8601) \(act): \(title)")
  }

  /// The beginning of a title, without zero characters, which not every store can hold.
  private static func cut(_ title: String) -> String {
    var cut = ""
    for scalar in title.unicodeScalars where scalar != "\0" {
      guard cut.utf8.count + UTF8.width(scalar) <= longestTitle else { return cut + "…" }
      cut.unicodeScalars.append(scalar)
    }
    return cut
  }
}
