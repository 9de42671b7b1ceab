import FileFormats
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// The exit status of a program; the numbers are those of BSD's sysexits where one fits.
package enum ExitStatus: Int32, Sendable {
  /// Success; an empty list is a success too.
  case success = 0
  /// Nothing matched, or only a part was done.
  case nothingMatched = 1
  /// The command line was not understood.
  case usage = 64
  /// Invalid data, in a file or in a value.
  case badData = 65
  /// A file or a store that is missing or cannot be opened.
  case missingInput = 66
  /// A service that is not available.
  case unavailable = 69
  /// An error in the program itself.
  case software = 70
  /// A file that cannot be created, or a store that is read-only.
  case cannotCreate = 73
  /// Reading or writing failed, or the disk is full.
  case inputOutput = 74
  /// The store is in use or has changed; try again.
  case temporary = 75
  /// The environment is not set up.
  case configuration = 78
  /// Interrupted from the keyboard.
  case interrupted = 130
  /// The other end of the output was closed.
  case brokenPipe = 141
}

/// The failure of a command: what happened, and what to do.
package struct CommandFailure: Error, Sendable {
  /// The exit status.
  package let status: ExitStatus
  /// A sentence that says what happened, and where.
  package let message: String
  /// A sentence that says what to do, or an empty text.
  package let remedy: String
  /// The underlying error, for `--verbose`.
  package let detail: String?
  /// Lines that show more, such as a predicate with a caret under the error.
  package let picture: String?

  /// Creates a failure.
  package init(
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
  /// Creates the failure for any error; one that is not expected is an error of the program.
  package init(describing error: any Error) {
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
        picture: error.excerpt
      )
    case let failure as SectionCacheFailure: self.init(.inputOutput, failure.description)
    case let error as InputFailure: self.init(.missingInput, error.description)
    default: self.init(.software, "\(error)", remedy: "Please report this.")
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
    if case .cannotOpen(let path, .missingTable(let entity, let similar)) = error, similar.isEmpty {
      self.init(
        error.status,
        "\(path) has no table \(entity).",
        remedy: "'add' or 'import' creates it, if it is not open for reading only.",
        detail: CommandFailure.plainForm(of: error)
      )
      return
    }
    if case .busy(let path, let waited, let holder) = error, waited > .zero {
      let writer = holder?.description ?? "another process"
      self.init(
        error.status,
        "\(path) is being written by \(writer); gave up after \(waited / .seconds(1)) s.",
        remedy: "Try again when it has finished, or wait longer with --busy-timeout 30s.",
        detail: CommandFailure.plainForm(of: error)
      )
      return
    }
    guard case .aborted(let inner) = error else {
      self.init(error.status, error.description, detail: CommandFailure.plainForm(of: error))
      return
    }
    self.init(describing: inner)
  }

  /// Returns the name of an error's case and its payload, which the message may leave out.
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
    case .row, .related(.row): self.init(.badData, error.description)
    case .notFetched, .ended, .related(.notPrefetched):
      self.init(.software, error.description)
    }
  }
}

extension StoreError {
  /// The exit status for this error.
  var status: ExitStatus {
    switch self {
    case .cannotOpen(_, let failure): failure.status
    case .readOnly: .cannotCreate
    case .busy, .conflict, .historyLost, .writeConflict, .commitOutcomeUnknown: .temporary
    case .unreachable: .unavailable
    case .diskFull, .inputOutput: .inputOutput
    case .damaged, .invalid, .alreadyExists, .referenced, .unexpectedValue: .badData
    case .request(let error): error.status
    case .notFound: .nothingMatched
    case .aborted, .closed, .unknownEntity, .unexpected: .software
    }
  }
}

extension RequestError {
  /// The exit status for this error; only some errors depend on the stored rows.
  var status: ExitStatus {
    switch self {
    case .sectionNotContiguous, .duplicateIdentity: .badData
    default: .usage
    }
  }
}

extension OpenFailure {
  /// The exit status for this error.
  var status: ExitStatus {
    switch self {
    case .isDirectory, .notAFile, .missingFile, .noPermission, .notWritable: .missingInput
    case .missingFolder, .cannotCreate, .pathTooLong, .needsRights: .cannotCreate
    case .unsupportedServer: .unavailable
    case .notADatabase, .damaged, .newerFormat, .otherApplication, .schemaMismatch,
      .tableChanged, .earlierVersion, .missingTable:
      .badData
    case .modelMismatch: .configuration
    }
  }
}

extension CommandFailure {
  /// Describes a name that is not an attribute, with the nearest known name.
  /// - Parameters:
  ///   - name: The unknown name.
  ///   - entity: The entity's name.
  ///   - known: The names to choose from.
  ///   - option: The option that the name was given to, if any.
  /// - Returns: The failure to throw.
  package static func unknownAttribute(
    _ name: String,
    of entity: String,
    known: [String],
    option: String? = nil
  ) -> CommandFailure {
    let hint = NearestName.of(name, among: known).map { " Did you mean “\($0)”?" } ?? ""
    return CommandFailure(
      .usage,
      (option.map { "\($0): " } ?? "") + "“\(name)” is not an attribute of \(entity).\(hint)",
      remedy: "The names are \(known.joined(separator: ", "))."
    )
  }
}
