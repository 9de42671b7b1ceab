import ResultsDomain
import ResultsStoreKit

/// Stores the lines of a file as events, and goes on with what is appended to it.
///
/// How far it has read is committed with the events, so a process that is killed at any moment goes on exactly there. Several followers
/// of one file share its lines: a commit that does not begin where the last one ended is refused, and the follower goes on from there.
public final class LogFollower {
  /// What a follower has to say.
  public enum Note: Hashable, Sendable {
    /// There is no file yet.
    case missing
    /// The file was removed or renamed, and there is no new one yet.
    case gone
    /// The file has become shorter, or begins in another way, and is read from its start.
    case truncated
    /// Another file has the path, and the one that was read is not in the folder any more: what was appended to it last is not known.
    case lost
    /// A file cannot be read at present.
    case failed(LogFileError)
  }

  /// What came of a step.
  public enum Step: Hashable, Sendable {
    /// Something was read; there may be more.
    case advanced
    /// There is nothing to read at present.
    case waiting
  }

  /// A file that is open, with its status.
  private struct Found {
    var file: any LogFile
    var status: LogFileStatus
  }

  private let manager: StoreManager
  private let files: any LogFiles
  private let path: String
  private let name: String
  private let startsAtEnd: Bool
  private let event: (LogLine) -> Event
  private let say: (Note) -> Void

  /// How far the file was read, as it is stored.
  private var source: LogSource?
  /// The file that is read.
  private var file: (any LogFile)?
  /// The first bytes of the file, of those that were read.
  private var head: [UInt8] = []
  /// The line whose end has not come.
  private var buffer = LineBuffer()
  private var lastNote: Note?

  /// The number of events that this follower has stored.
  public private(set) var count = 0
  /// Whether the last line has no end yet: it is no event before that comes.
  public var hasUnfinishedLine: Bool { buffer.length > 0 }

  /// The most lines of a commit.
  package var storedTogether = 1000
  /// The most bytes that are read at once.
  package var chunk = 1 << 18

  /// Creates a follower.
  /// - Parameters:
  ///   - path: The whole path of the file.
  ///   - machine: The name of the machine: a store on a server may follow files of several.
  ///   - startsAtEnd: Whether a file that was not followed before is read from its end.
  ///   - manager: The manager of the events; its store has the entity `LogSource`.
  ///   - files: The files.
  ///   - event: Makes an event of a line.
  ///   - say: Takes what there is to say; the same is said once.
  public init(
    path: String,
    machine: String,
    startsAtEnd: Bool = false,
    manager: StoreManager,
    files: any LogFiles,
    event: @escaping (LogLine) -> Event,
    say: @escaping (Note) -> Void
  ) {
    (self.path, self.startsAtEnd, self.manager, self.files) = (path, startsAtEnd, manager, files)
    (self.event, self.say) = (event, say)
    name = "\(machine):\(path)"
  }

  /// Reads a part of what there is, and stores its lines.
  ///
  /// A file that cannot be read is said, and waited for.
  /// - Throws: `StoreError`; then nothing of the step is stored, and the next one begins where the last commit ended.
  /// - Complexity: O(*n*) in the bytes of the part, which is bounded.
  public func step() throws -> Step {
    do {
      return try advance()
    } catch let error as LogFileError {
      forget()
      note(.failed(error))
      return .waiting
    } catch {
      forget()
      throw error
    }
  }

  private func advance() throws -> Step {
    if file == nil, let step = try begin() { return step }
    guard let source, let file else { return .waiting }
    let end = source.offset + Int64(buffer.length)
    let bytes = try file.read(at: end, atMost: chunk)
    let status = try file.status()
    guard status.size >= end, try file.read(at: 0, atMost: head.count) == head else {
      return try restart(source, status)
    }
    guard bytes.isEmpty else { return try take(bytes) }
    return try succeed(source, Found(file: file, status: status), end)
  }

  /// Forgets what was read and not stored: the next step begins with what the store says.
  private func forget() {
    (source, file, head) = (nil, nil, [])
    buffer.clear()
  }

  private func use(_ file: any LogFile, _ head: [UInt8]) {
    (self.file, self.head, lastNote) = (file, head, nil)
    buffer.clear()
  }

  private func note(_ note: Note) {
    guard note != lastNote else { return }
    lastNote = note
    say(note)
  }

  // MARK: Lines

  /// Stores the lines that bytes complete, some in each commit.
  private func take(_ bytes: [UInt8]) throws -> Step {
    head += bytes.prefix(LogSource.longestHead - head.count)
    let lines = buffer.take(bytes[...])
    for start in stride(from: 0, to: lines.count, by: storedTogether) {
      guard var next = source else { break }
      let part = lines[start..<min(start + storedTogether, lines.count)]
      let length = part.reduce(0) { $0 + Int64($1.length) }
      next.advance(to: next.offset + length, head)
      guard try commit(part.filter { !$0.isEmpty }.map(event), next) else { break }
    }
    return .advanced
  }

  /// Stores events and how far the file was read, in one commit.
  /// - Returns: Whether it is stored: otherwise another follower was faster, and the next step begins with what that has stored.
  private func commit(_ events: [Event], _ next: LogSource) throws(StoreError) -> Bool {
    let before = source
    do throws(StoreError) {
      try manager.store.commit(origin: CommitOrigin("follow")) { transaction -> Void in
        if let before {
          try transaction.update(next, ifUnchangedFrom: before)
        } else {
          try transaction.insert(next)
        }
        _ = try transaction.insert(
          events.map(\.insertedValues),
          keys: Array(repeating: nil, count: events.count),
          into: Event.entity
        )
      }
    } catch {
      switch error {
      case .conflict, .alreadyExists, .notFound: break
      default: throw error
      }
      forget()
      return false
    }
    source = next
    count += events.count
    return true
  }

  // MARK: Which file

  /// Finds the file that was read last, or begins with a new one.
  /// - Returns: What came of it, or `nil` if a file can be read.
  private func begin() throws -> Step? {
    forget()
    let known = try stored()
    let current = try opened(path)
    source = known
    guard let known else {
      guard let current else { return waiting(.missing) }
      return try beginFirst(current)
    }
    if let current, known.isRead(current.status),
      let head = try known.head(of: current.file, current.status)
    {
      return try go(on: current, head, known)
    }
    if let (found, head) = try find(known, current) { return try go(on: found, head, known) }
    guard let current else { return waiting(.gone) }
    note(known.isRead(current.status) ? .truncated : .lost)
    return try moveOn(known, from: nil, to: current)
  }

  private func waiting(_ note: Note) -> Step {
    self.note(note)
    return .waiting
  }

  /// Begins with a file that was not followed before; what was rotated away before is not read.
  private func beginFirst(_ current: Found) throws -> Step? {
    var new = LogSource(name: name)
    new.begin(current.status)
    for other in try rotated(skipsUnreadable: true, { $0.inode != current.status.inode }) {
      try new.finish(other.file, other.status)
    }
    var head: [UInt8] = []
    if startsAtEnd {
      head = try current.file.read(at: 0, atMost: LogSource.longestHead)
      new.advance(to: try endOfLines(in: current), head)
      head = Array(head.prefix(new.headLength))
    }
    guard try commit([], new) else { return .advanced }
    use(current.file, head)
    return nil
  }

  /// The offset behind the last line that has an end.
  private func endOfLines(in found: Found) throws -> Int64 {
    var end = found.status.size
    while end > 0 {
      let start = max(0, end - Int64(chunk))
      let bytes = try found.file.read(at: start, atMost: Int(end - start))
      if let last = bytes.lastIndex(of: 0x0A) { return start + Int64(last) + 1 }
      end = start
    }
    return 0
  }

  /// Reads on in a file that has what was read.
  private func go(on found: Found, _ head: [UInt8], _ known: LogSource) throws -> Step? {
    var next = known
    (next.device, next.inode) = (found.status.device, found.status.inode)
    if (next.device, next.inode) != (known.device, known.inode) {
      guard try commit([], next) else { return .advanced }
    }
    use(found.file, head)
    return nil
  }

  /// Finds the file that was read under another name, or else one that begins like it: the copy that a rotation made before it
  /// truncated the file, or the file itself after it was replaced by a copy.
  private func find(_ known: LogSource, _ current: Found?) throws -> (Found, head: [UInt8])? {
    let names = files.names(besides: path)
    let rotatedNames = Set(names.filter { RotatedName($0, of: path) != nil })
    for name in names where known.headLength > 0 || rotatedNames.contains(name) {
      let other = sibling(name)
      guard let status = files.status(of: other), known.isRead(status),
        let found = try opened(other), let head = try known.head(of: found.file, found.status)
      else { continue }
      return (found, head)
    }
    guard known.headLength > 0 else { return nil }
    var candidates = try rotated { $0.size >= known.offset }
    if let current { candidates.append(current) }
    for found in candidates where try !known.hasFinished(found.file, found.status) {
      if let head = try known.head(of: found.file, found.status) { return (found, head) }
    }
    return nil
  }

  /// Goes on at the start of a file that was truncated, or in the copy that was made of it before.
  private func restart(_ source: LogSource, _ status: LogFileStatus) throws -> Step {
    if let (copy, head) = try find(source, nil) {
      return try go(on: copy, head, source) ?? .advanced
    }
    note(.truncated)
    var next = source
    next.begin(status)
    guard try commit(rest, next), let file else { return .advanced }
    use(file, [])
    return .advanced
  }

  /// The event of the unfinished line of a file to which nothing is appended any more.
  private var rest: [Event] { buffer.takeRest().map { [event($0)] } ?? [] }

  /// Looks whether another file has the path, at the end of the one that is read.
  private func succeed(_ source: LogSource, _ read: Found, _ end: Int64) throws -> Step {
    guard let current = try opened(path) else { return waiting(.gone) }
    let isSame =
      current.status.inode == read.status.inode
      && current.status.device == read.status.device
    if isSame { lastNote = nil }
    // A program writes to the renamed file until it has opened the new one.
    guard !isSame, current.status.size > 0 else { return .waiting }
    if try !read.file.read(at: end, atMost: 1).isEmpty { return .advanced }
    if source.headLength > 0, let head = try source.head(of: current.file, current.status),
      !files.names(besides: path).contains(where: {
        files.status(of: sibling($0))?.inode == read.status.inode
      })
    {
      return try go(on: current, head, source) ?? .advanced
    }
    return try moveOn(source, from: read, to: current)
  }

  /// Begins with the next file: the earliest rotated one that was not read, or else that of the path.
  private func moveOn(_ known: LogSource, from read: Found?, to current: Found) throws -> Step {
    var next = known
    if let read { try next.finish(read.file, read.status) }
    let earliest = read?.status.modified ?? .min
    let others = try rotated { $0.size > 0 && $0.modified >= earliest }
    let unread = try others.first { other in
      try !(read != nil && known.isRead(other.status))
        && !next.hasFinished(other.file, other.status)
    }
    let target = unread ?? current
    next.begin(target.status)
    guard try commit(rest, next) else { return .advanced }
    use(target.file, [])
    return .advanced
  }

  // MARK: Files

  private func stored() throws -> LogSource? {
    let key = ObjectKey.text(name)
    let rows = try manager.store.read { (snapshot) throws(StoreError) in
      try snapshot.rows([key], of: LogSource.entity)
    }
    guard case .some(.some(let row)) = rows.first else { return nil }
    return try LogSource(row: row)
  }

  private func opened(_ path: String) throws(LogFileError) -> Found? {
    guard let file = try files.open(path) else { return nil }
    return Found(file: file, status: try file.status())
  }

  private func sibling(_ name: String) -> String {
    let folder = path.utf8.dropLast(RotatedName.base(of: path).utf8.count)
    return String(decoding: folder, as: UTF8.self) + name
  }

  /// The rotated files of the path with some statuses, the oldest first.
  private func rotated(
    skipsUnreadable: Bool = false,
    _ isWanted: (LogFileStatus) -> Bool
  ) throws -> [Found] {
    var found: [(found: Found, count: Int)] = []
    for name in files.names(besides: path) {
      let other = sibling(name)
      guard let rotated = RotatedName(name, of: path), let status = files.status(of: other),
        isWanted(status)
      else { continue }
      let file = skipsUnreadable ? try? opened(other) : try opened(other)
      if let file { found.append((file, rotated.count)) }
    }
    return found.sorted { one, two in
      (one.found.status.modified, -one.count) < (two.found.status.modified, -two.count)
    }.map(\.found)
  }
}

/// The name that a rotation gives to a file, such as `app.log.1`, `app.log-20261129` or `app-2026-11-29.log`.
struct RotatedName {
  /// Its number, which is greater for older files; 0 for one with a date.
  let count: Int

  /// Reads a name; `nil` for one that is none of a file.
  init?(_ name: String, of path: String) {
    let (name, base) = (Array(name.utf8), Array(RotatedName.base(of: path).utf8))
    let stem = base.lastIndex(of: UInt8(ascii: ".")).map { Array(base[..<$0]) } ?? base
    let middle: ArraySlice<UInt8>
    if name.count > base.count, name.starts(with: base) {
      middle = name.dropFirst(base.count)
    } else if name.count > base.count, name.starts(with: stem),
      name.suffix(base.count - stem.count) == base.suffix(base.count - stem.count)
    {
      middle = name.dropFirst(stem.count).dropLast(base.count - stem.count)
    } else {
      return nil
    }
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
    guard let first = middle.first, "-._".utf8.contains(first), middle.contains(where: isDigit),
      middle.allSatisfy({ isDigit($0) || "-._:TZ".utf8.contains($0) })
    else { return nil }
    let digits = middle.dropFirst()
    count =
      digits.count <= 3 && digits.allSatisfy(isDigit)
      ? Int(String(decoding: digits, as: UTF8.self)) ?? 0 : 0
  }

  /// The last component of a path.
  static func base(of path: String) -> String {
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:))
    return String(decoding: path.utf8[(start ?? path.utf8.startIndex)...], as: UTF8.self)
  }
}
