import ArgumentParser
import CommandLineFrontEnd
import EventLog
import Foundation
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Synchronization
import TerminalFrontEnd

/// Where a file that was not followed before is begun.
enum FollowStart: String, EnumerableFlag {
  case fromStart
  case fromEnd

  static func help(for value: FollowStart) -> ArgumentHelp? {
    switch value {
    case .fromStart: "Read a file that was not followed before from its start."
    case .fromEnd: "Of a file that was not followed before, read only what comes from now on."
    }
  }
}

/// `follow FILE…`: stores the lines of files as events, and goes on with what is appended to them.
struct FollowVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow",
    abstract: "Store the lines of files as events, and go on with what is appended.",
    discussion: EventProgram.discussion(
      """
      Lines are read as those of 'stamp -'. How far each file was read is stored with the events: whenever follow is started \
      again, also after it was killed, it goes on exactly there. A file that was renamed is read to its end, and then the new \
      one, also if that happened while nothing followed it; one that was truncated is read from its start; one that is missing \
      is waited for. \
      A line is an event when its end has come. Several follow commands for one file share its lines. Ctrl-C ends it.
      """,
      examples: "follow app.log",
      "follow app.log db.log --from-end",
      "follow app.log --once --source api"
    )
  )

  @Argument(help: "The files; a file is known by its path.", completion: .file())
  var files: [String]
  @Option(help: "The source of events whose lines name none (default: the name of the file).")
  var source: String?
  @Flag var start: FollowStart = .fromStart
  @Flag(help: "End when what is there has been read, and do not wait for more.")
  var once = false
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let paths = try files.map(checked)
    let location = try store.location(of: EventProgram.name)
    let managers = StoreManagers(dataFolder: "") { _, _ in try EventProgram.openStore(location) }
    let manager = try managers.manager(of: EventProgram.name, file: location.address.text)
    defer { try? manager.store.close() }
    let follow = EventFollow(waits: !once)
    let readers = paths.map { path in
      EventReader(members: [EventReader.member("source", source ?? name(of: path))])
    }
    let followers = zip(paths, readers).map { path, reader in
      LogFollower(
        path: path,
        machine: SystemLogFiles.machine,
        startsAtEnd: start == .fromEnd,
        manager: manager,
        files: SystemLogFiles(),
        event: { reader.event(of: $0) },
        say: { note in say(note.sentence(about: path)) }
      )
    }
    let outcome = await InterruptibleWork.outcome(endingBy: { follow.end() }) {
      try follow.run(followers, say)
    }
    let count = followers.reduce(0) { $0 + $1.count }
    let remarks = readers.map(\.remarks).joined()
    try TerminalOutput.standard.write(
      "stored \(count == 1 ? "1 event" : "\(count) events")\(remarks)\n"
    )
    // An interruption ends the process at once.
    try TerminalOutput.standard.flush()
    try outcome.get()
    for (path, follower) in zip(paths, followers) where follower.hasUnfinishedLine {
      say("The last line of \(path) has no end yet, and is no event before that comes.")
    }
  }

  private func name(of path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }

  private func say(_ sentence: String) {
    let line = SafeText.oneLine("\(EventProgram.name): \(sentence)")
    try? TerminalOutput.standardError.write(line + "\n")
  }

  /// Returns the whole path of a file, and refuses one that can never be read.
  private func checked(_ file: String) throws -> String {
    guard file != "-" else {
      throw CommandFailure(
        .usage,
        "follow needs a file.",
        remedy: "For lines of the input use '\(EventProgram.name) stamp -'."
      )
    }
    guard let path = SystemLogFiles.wholePath(file) else {
      throw CommandFailure(
        .missingInput,
        "The folder of \(file) does not exist.",
        remedy: "Check its name."
      )
    }
    do {
      guard try SystemLogFiles().open(path) != nil || !once else {
        throw CommandFailure(
          .missingInput,
          "The file \(file) does not exist.",
          remedy: "Without --once, it is waited for."
        )
      }
    } catch let error as LogFileError {
      let remedy =
        switch error {
        case .notOrdinary: "For the lines of a pipe use '\(EventProgram.name) stamp -'."
        case .unreadable: "Check its permissions."
        }
      throw CommandFailure(.missingInput, error.description, remedy: remedy)
    }
    return path
  }
}

extension LogFollower.Note {
  /// What there is to say about the file of a path.
  fileprivate func sentence(about path: String) -> String {
    switch self {
    case .missing: "\(path) does not exist yet, and is waited for."
    case .gone: "\(path) is gone; a new file is waited for."
    case .truncated: "\(path) was truncated, and is read from its start."
    case .lost:
      "\(path) is another file than before, and the earlier one is not in its folder: what was appended to that last is not stored."
    case .failed(let error): "\(error) It is tried again."
    }
  }
}

/// Lets followers take turns, until they are to end.
///
/// Files are looked at, not watched: that is the same for files on every system, also on those of other machines, which report no changes.
/// The lock guards whether the end was asked for.
final class EventFollow: Sendable {
  private let waits: Bool
  private let isEnding = Mutex(false)

  /// The shortest and the longest time between two looks, in milliseconds.
  private static let patience: ClosedRange<Int32> = 5...80

  /// Creates the turns.
  /// - Parameter waits: Whether they go on when nothing is left to read.
  init(waits: Bool) { self.waits = waits }

  /// Asks for the end; what has been read is stored.
  func end() { isEnding.withLock { $0 = true } }

  /// Runs the followers.
  /// - Throws: `StoreError`; one that passes is said and waited for.
  func run(_ followers: [LogFollower], _ say: (String) -> Void) throws {
    var pause = Self.patience.lowerBound
    var isRefused = false
    while !isEnding.withLock(\.self) {
      var isIdle = true
      for follower in followers {
        do {
          if try follower.step() == .advanced { (isIdle, isRefused) = (false, false) }
        } catch let error as StoreError where waits && error.passes {
          if !isRefused { say("\(error) The lines are stored as soon as that is over.") }
          isRefused = true
        }
      }
      guard isIdle else {
        pause = Self.patience.lowerBound
        continue
      }
      guard waits else { break }
      poll(nil, 0, pause)
      pause = min(2 * pause, Self.patience.upperBound)
    }
  }
}

extension StoreError {
  /// Whether it may be over when the same is tried again.
  fileprivate var passes: Bool {
    switch self {
    case .busy, .unreachable, .commitOutcomeUnknown: true
    default: false
    }
  }
}
