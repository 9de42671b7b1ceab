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
