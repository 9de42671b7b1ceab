package import ResultsDomain
package import ResultsStoreKit

/// The commands of a program that a store's history still has, and which of them have been taken back (R281).
///
/// It is made of the names of commits alone. What took a command back, or did it again, is in the history like the command itself; the last
/// of these decides whether it is done, and its images are those that the next step is compared with.
package struct CommandHistory: Sendable {
  /// A command.
  package struct Command: Hashable, Sendable {
    /// The id.
    package let id: String
    /// What it did.
    package let title: String
    /// When it began, or, if that is no longer known, when it was taken back or done again first.
    package let time: Instant
    /// Whether it has been taken back.
    package fileprivate(set) var isUndone: Bool
    /// The commits of the command, or of the last that took it back or did it again; oldest first.
    package fileprivate(set) var commits: [RetainedCommits.Commit]
    /// The id of those commits.
    fileprivate(set) var act: String
    /// Whether the first of those commits is retained.
    package fileprivate(set) var isComplete: Bool
  }

  /// The commands that can be taken back, in the order in which they were done.
  package private(set) var done: [Command] = []
  /// The commands that have been taken back, in the order in which they were.
  package private(set) var undone: [Command] = []
  /// Whether no command has been forgotten.
  package let isWhole: Bool

  /// Finds the commands of a program.
  /// - Parameters:
  ///   - program: The program's name.
  ///   - retained: The commits that the store retains.
  /// - Complexity: O(*n* + *c* *u*) for *n* commits, *c* commands and *u* that were taken back.
  package init(of program: String, in retained: RetainedCommits) {
    isWhole = retained.isWhole
    var acts: [(name: CommandName, commits: [RetainedCommits.Commit], hasFirst: Bool)] = []
    var indexes: [String: Int] = [:]
    for commit in retained.commits {
      guard let name = CommandName(commit.origin), name.program.hasSameBytes(as: program) else {
        continue
      }
      if let index = indexes[name.id] {
        acts[index].commits.append(commit)
        if name.part == 1 { acts[index].hasFirst = true }
      } else {
        indexes[name.id] = acts.count
        acts.append((name, [commit], name.part == 1))
      }
    }
    // A command is where its last commit is.
    acts.sort { ($0.commits.last?.number ?? 0) < ($1.commits.last?.number ?? 0) }
    for act in acts {
      switch act.name.act {
      case .did: done.append(command(act.name.id, nil, act))
      case .undid(let id):
        let known = remove(id, from: &done) ?? remove(id, from: &undone)
        undone.append(command(id, known, act, isUndone: true))
      case .redid(let id):
        let known = remove(id, from: &undone) ?? remove(id, from: &done)
        done.append(command(id, known, act))
      }
    }
  }

  private func command(
    _ id: String,
    _ known: Command?,
    _ act: (name: CommandName, commits: [RetainedCommits.Commit], hasFirst: Bool),
    isUndone: Bool = false
  ) -> Command {
    Command(
      id: id,
      title: known?.title ?? act.name.title,
      time: known?.time ?? act.name.time,
      isUndone: isUndone,
      commits: act.commits,
      act: act.name.id,
      isComplete: act.hasFirst
    )
  }

  private func remove(_ id: String, from commands: inout [Command]) -> Command? {
    commands.lastIndex { $0.id.hasSameBytes(as: id) }.map { commands.remove(at: $0) }
  }
}

extension CommandHistory.Command {
  /// What the command's last commits changed together, among the records of a history from the first of them on.
  /// - Parameter records: The records, oldest first.
  /// - Returns: The net changes, at most one for each row.
  /// - Throws: `InterleavedChange` if others changed a row between two of the commits.
  func changes(in records: [CommitRecord]) throws(InterleavedChange) -> [CommittedChange] {
    try Self.changes(of: act, in: records)
  }

  /// What the commits of a command changed together.
  /// - Parameters:
  ///   - id: The command's id.
  ///   - records: Records of a history, oldest first, with all commits of the command.
  /// - Returns: The net changes, at most one for each row.
  /// - Throws: `InterleavedChange` if others changed a row between two of the commits.
  static func changes(
    of id: String,
    in records: [CommitRecord]
  ) throws(InterleavedChange) -> [CommittedChange] {
    var order: [ObjectID] = []
    var net: [ObjectID: CommittedChange] = [:]
    for record in records {
      guard let name = CommandName(record.origin), name.id.hasSameBytes(as: id) else { continue }
      for change in record.changes {
        guard let first = net[change.id] else {
          order.append(change.id)
          net[change.id] = change
          continue
        }
        guard first.after == change.before else { throw InterleavedChange(id: change.id) }
        net[change.id] = CommittedChange(id: change.id, before: first.before, after: change.after)
      }
    }
    return order.compactMap { net[$0] }.filter { $0.before != $0.after }
  }
}

/// A row that others changed between two commits of one command, so that no single step takes back only the command's changes.
struct InterleavedChange: Error {
  let id: ObjectID
}
