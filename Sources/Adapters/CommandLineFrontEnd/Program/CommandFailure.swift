import ArgumentParser
import FileFormats
import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// How a program ends; the numbers are those of BSD's sysexits where one fits.
public enum ExitStatus: Int32, Sendable {
  /// All went well; an empty list too.
  case success = 0
  /// Nothing matched, or only a part could be done.
  case nothingMatched = 1
  /// The command was not understood.
  case usage = 64
  /// Data that is not understood, or a request that is refused.
  case badData = 65
  /// Input that is missing or cannot be read.
  case missingInput = 66
  /// Something the program needs is not there.
  case unavailable = 69
  /// A fault of the program itself.
  case software = 70
  /// The output cannot be made.
  case cannotCreate = 73
  /// Reading or writing failed, or the disk is full.
  case inputOutput = 74
  /// Another writer holds the store; try again.
  case temporary = 75
  /// The program is not set up.
  case configuration = 78
  /// Interrupted by the person at the keyboard.
  case interrupted = 130
  /// The reader of the output went away.
  case brokenPipe = 141
}

/// Why a command ends without having done what it was asked: what happened, and what to do.
public struct CommandFailure: Error, Sendable {
  /// How the program ends.
  public let status: ExitStatus
  /// What happened, and where.
  public let message: String
  /// What to do.
  public let remedy: String
  /// The failure as the program itself sees it, for `--verbose`.
  public let detail: String?
  /// Lines that show the place, such as a predicate with a caret under it.
  public let picture: String?

  /// Why a command ends.
  public init(
    _ status: ExitStatus,
    _ message: String,
    remedy: String = "",
    detail: String? = nil,
    picture: String? = nil
  ) {
    self.status = status
    self.message = message
    self.remedy = remedy
    self.detail = detail
    self.picture = picture
  }
}

extension CommandFailure {
  /// The failure that any error of a command stands for, or `nil` for one that the argument parser prints itself.
  init?(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as StoreError: self.init(error)
    case let error as ResultsError: self.init(error)
    case let error as RequestError: self.init(error.status, error.description)
    case let error as RowError: self.init(.badData, error.description)
    case let error as RecordError: self.init(.badData, error.description)
    case let error as PredicateParseError:
      self.init(
        .usage,
        "--where: column \(error.column): \(error.message)",
        remedy: error.remedy ?? "",
        picture: error.picture
      )
    case let failure as SectionCacheFailure: self.init(.inputOutput, failure.description)
    case let error as InputFailure: self.init(.missingInput, error.description)
    case let error as TerminalOutputError:
      self.init(ExitStatus(rawValue: error.exitStatus) ?? .inputOutput, error.description)
    case is ExitCode, is ValidationError, is CleanExit: return nil
    default:
      if "\(type(of: error))".contains("CommandError") { return nil }
      self.init(.software, "\(error)", remedy: "Please report this.")
    }
  }

  private init(_ error: StoreError) {
    if case .cannotOpen(let path, .notWritable(canBeRead: true)) = error {
      self.init(
        .missingInput,
        "\(path) cannot be opened for writing.",
        remedy: "To only look at it, add --read-only.",
        detail: CommandFailure.plainForm(of: error)
      )
      return
    }
    if case .busy(let path, let waited, let holder) = error, waited > .zero {
      let writer = holder?.description ?? "another process"
      self.init(
        error.status,
        "\(path) is being written by \(writer); gave up after \(waited / .seconds(1)) s.",
        remedy: "Try again, or raise --busy-timeout.",
        detail: CommandFailure.plainForm(of: error)
      )
      return
    }
    guard case .aborted(let inner) = error else {
      self.init(error.status, error.description, detail: CommandFailure.plainForm(of: error))
      return
    }
    self =
      CommandFailure(inner)
      ?? CommandFailure(.software, "\(inner)", remedy: "Please report this.")
  }

  /// The name of an error's case and what it carries, which the message may leave out.
  private static func plainForm(of error: StoreError) -> String {
    guard let payload = Mirror(reflecting: error).children.first, let name = payload.label else {
      return String(reflecting: error)
    }
    return "StoreError.\(name)\(payload.value)"
  }

  private init(_ error: ResultsError) {
    switch error {
    case .store(let error): self.init(error)
    case .noRow, .noSection, .rowGone: self.init(.nothingMatched, error.description)
    case .row: self.init(.badData, error.description)
    case .notFetched, .ended: self.init(.software, error.description)
    }
  }
}

extension StoreError {
  /// How a program ends that met this error.
  var status: ExitStatus {
    switch self {
    case .cannotOpen(_, let failure): failure.status
    case .readOnly: .cannotCreate
    case .busy, .conflict, .historyLost: .temporary
    case .diskFull, .inputOutput: .inputOutput
    case .damaged, .invalid, .alreadyExists, .unexpectedValue: .badData
    case .request(let error): error.status
    case .notFound: .nothingMatched
    case .aborted, .closed, .unknownEntity, .unexpected: .software
    }
  }
}

extension RequestError {
  /// How a program ends whose options make this request: only some depend on what is stored.
  var status: ExitStatus {
    switch self {
    case .sectionNotContiguous, .duplicateIdentity: .badData
    default: .usage
    }
  }
}

extension OpenFailure {
  /// How a program ends that cannot open its store for this reason.
  var status: ExitStatus {
    switch self {
    case .isDirectory, .notAFile, .missingFile, .noPermission, .notWritable: .missingInput
    case .missingFolder, .cannotCreate, .pathTooLong: .cannotCreate
    case .notADatabase, .damaged, .newerFormat, .otherApplication, .schemaMismatch,
      .missingTable:
      .badData
    case .modelMismatch: .configuration
    }
  }
}

/// How many single-character edits lead from one word to another (Levenshtein).
enum EditDistance {
  /// The distance between two words.
  /// - Complexity: O(*n* · *m*)
  static func between(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var row = Array(0...right.count)
    for (i, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let change = diagonal + (character == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[right.count]
  }
}
