/// An error of a store.
///
/// The set is closed: an adapter translates its own error codes, and a program maps each case to an exit code.
public enum StoreError: Error, Sendable {
  /// The store could not be opened; nothing in it was touched.
  case cannotOpen(path: String, OpenFailure)
  /// The store was opened for reading only.
  case readOnly(path: String)
  /// The store has been closed.
  case closed(path: String)
  /// Another writer blocked the store for longer than the time limit; `holder` is known if the system reports it.
  case busy(path: String, waited: Duration, holder: LockHolder? = nil)
  /// The disk is full; the transaction was rolled back.
  case diskFull(path: String)
  /// Reading or writing failed; the transaction was rolled back.
  case inputOutput(path: String, detail: String)
  /// The store's server cannot be reached; what was committed before is safe.
  case unreachable(path: String, detail: String)
  /// Another writer changed the same rows while the transaction ran; all its changes were rolled back.
  case writeConflict(path: String)
  /// The connection broke while the transaction committed, and whether it did is not known.
  case commitOutcomeUnknown(path: String)
  /// The store's file is damaged.
  case damaged(path: String, detail: String)
  /// An entity that the store was not opened with.
  case unknownEntity(String, known: [String])
  /// Values that the entity does not allow; nothing was written.
  case invalid([ValidationFailure])
  /// There is no such object.
  case notFound(ObjectID)
  /// An object with that identity already exists.
  case alreadyExists(ObjectID)
  /// The object has changed since the version that the edit was based on.
  case conflict(ObjectID, expected: Row, stored: Row)
  /// The object cannot be deleted while others name it through a relationship whose rule denies that; nothing was written.
  case referenced(ObjectID, by: [ObjectID], relationship: String)
  /// A stored value of another storage class than its attribute has.
  case unexpectedValue(ObjectID, what: String)
  /// The request is invalid.
  case request(RequestError)
  /// The transaction's body threw; all its changes were rolled back.
  case aborted(by: any Error)
  /// The content of an entity in an earlier version is no longer known.
  case historyLost(entity: String, GapReason)
  /// A failure that the adapter has no case for.
  case unexpected(path: String, detail: String)
}

extension StoreError: CustomStringConvertible {
  /// What happened, where, and what to do.
  public var description: String {
    switch self {
    case .cannotOpen(let path, let failure): failure.message(for: path)
    case .readOnly(let path):
      "\(path) was opened for reading only. Open it without the read-only option to change it."
    case .closed(let path): "\(path) has been closed. Open it again to continue."
    case .busy(let path, .zero, nil):
      "\(path) is in use by the transaction that contains this call. Finish that transaction first."
    case .busy(let path, let waited, let holder):
      "\(path) is being written by \(holder?.description ?? "another process"); gave up after"
        + " \(waited / .seconds(1)) s. Try again when it has finished, or raise the busy timeout."
    case .diskFull(let path):
      "The disk of \(path) is full. Nothing was written. Free some space and try again."
    case .inputOutput(let path, let detail):
      "\(path) could not be read or written (\(detail)). Nothing was changed. Check the disk."
    case .unreachable(let path, let detail):
      "\(path) cannot be reached (\(detail)). Nothing was changed. Check the server and the network, and try again."
    case .writeConflict(let path):
      "Another writer changed the same rows of \(path) at the same time. Nothing was written. Try again."
    case .commitOutcomeUnknown(let path):
      "The connection to \(path) broke while the transaction committed, so it is not known whether the changes were saved."
        + " Read the objects again before you repeat them."
    case .damaged(let path, let detail):
      "\(path) is damaged (\(detail)). Restore it from a copy, or recover it with sqlite3's .recover."
    case .unknownEntity(let name, let known):
      "The store has no entity named \(name). It has \(known.joined(separator: ", "))."
    case .invalid(let failures):
      ValidationFailure.description(of: failures) + " Nothing was written."
    case .notFound(let id): "There is no \(id). It may have been deleted."
    case .alreadyExists(let id): "\(id) already exists. Choose another key, or edit that object."
    case .conflict(let id, let expected, let stored):
      "\(id) was changed by someone else since it was read\(stored.difference(from: expected))."
        + " Nothing was written. Read it again, or let the last write win."
    case .referenced(let id, let referrers, let relationship):
      "\(id) cannot be deleted: \(referrers.prefix(3).map(\.description).joined(separator: ", "))"
        + (referrers.count > 3 ? " and \(referrers.count - 3) more" : "")
        + " name it as their \(relationship). Delete or change them first."
    case .unexpectedValue(let id, let what):
      "\(id) has a value in \(what) that is not of its type. Correct the stored value."
    case .request(let error): error.description
    case .aborted(let error): "The transaction was rolled back: \(error)"
    case .historyLost(let entity, let reason):
      "The earlier contents of \(entity) are no longer known (\(reason.words))."
        + " Read the current list."
    case .unexpected(let path, let detail):
      "\(path) failed in an unexpected way (\(detail)). Please report this."
    }
  }
}

extension GapReason {
  /// The reason, for a message.
  fileprivate var words: String {
    switch self {
    case .otherWriter: "another program has written to the store"
    case .trimmed: "the history does not go back that far"
    case .otherEpoch: "the store was replaced or reopened"
    case .schemaChanged: "the table was changed or recreated"
    }
  }
}

extension Row {
  /// The differences from an earlier row, for a message: ` (title is “B”, and was “A”)`.
  fileprivate func difference(from old: Row) -> String {
    let differences = zip(entity.attributes, zip(values, old.values)).compactMap {
      attribute,
      values in
      values.0 == values.1
        ? nil
        : "\(attribute.name) is \(attribute.words(for: values.0)),"
          + " and was \(attribute.words(for: values.1))"
    }
    return differences.isEmpty ? "" : " (\(differences.joined(separator: "; ")))"
  }
}

extension AttributeDescription {
  /// A value for a message, truncated if it is long.
  fileprivate func words(for value: Value) -> String {
    guard !value.isNull else { return "nothing" }
    let text = type.machineText(of: value)
    return text.utf8.count > 80 ? "“\(text.prefix(40))…”" : "“\(text)”"
  }
}

// MARK: - Lock holder

/// The process that blocks writes to a store, as far as the system reports it.
public struct LockHolder: Hashable, Sendable {
  /// The process id.
  public let processID: Int64
  /// The process name; empty if unknown.
  public let name: String
  /// Whether it is the current process, through another connection.
  public let isThisProcess: Bool

  /// Creates a description of a process.
  public init(processID: Int64, name: String, isThisProcess: Bool = false) {
    self.processID = processID
    self.name = name
    self.isThisProcess = isThisProcess
  }
}

extension LockHolder: CustomStringConvertible {
  /// The process, for a message.
  public var description: String {
    if isThisProcess { return "another connection of this process" }
    return name.isEmpty ? "process \(processID)" : "\(name) (process \(processID))"
  }
}
