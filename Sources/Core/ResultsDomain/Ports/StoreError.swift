/// Everything that a store can answer instead of a result.
///
/// The set is closed: an adapter translates its own codes at its border, and a program maps each case to an exit code.
public enum StoreError: Error, Sendable {
  /// The store could not be opened; nothing in it was touched.
  case cannotOpen(path: String, OpenFailure)
  /// The store was opened for reading only.
  case readOnly(path: String)
  /// The store has been closed.
  case closed(path: String)
  /// Another writer held the store for longer than the limit; who it is, if the system tells.
  case busy(path: String, waited: Duration, holder: LockHolder? = nil)
  /// The disk is full; the transaction was undone.
  case diskFull(path: String)
  /// Reading or writing failed; the transaction was undone.
  case inputOutput(path: String, detail: String)
  /// The store's file is damaged.
  case damaged(path: String, detail: String)
  /// An entity that the store was not opened with.
  case unknownEntity(String, known: [String])
  /// Values that the entity does not allow; nothing was written.
  case invalid([ValidationFailure])
  /// There is no such object.
  case notFound(ObjectID)
  /// There is already an object with that identity.
  case alreadyExists(ObjectID)
  /// The object is no longer what the edit was based on.
  case conflict(ObjectID, expected: Row, stored: Row)
  /// A stored value of another storage class than its attribute has.
  case unexpectedValue(ObjectID, what: String)
  /// The request cannot be answered by any store.
  case request(RequestError)
  /// The transaction's body threw; everything it did was undone.
  case aborted(by: any Error)
  /// What was in an entity in an earlier version cannot be told any more.
  case historyLost(entity: String, GapReason)
  /// The adapter met a failure it has no word for.
  case unexpected(path: String, detail: String)
}

extension StoreError: CustomStringConvertible {
  /// What happened, where, and what to do.
  public var description: String {
    switch self {
    case .cannotOpen(let path, let failure): failure.message(for: path)
    case .readOnly(let path):
      "\(path) was opened for reading only. Open it without the read-only option to change it."
    case .closed(let path): "\(path) has been closed. Open it again to go on."
    case .busy(let path, .zero, nil):
      "\(path) is in use by the transaction that this call is made in. Finish that one first."
    case .busy(let path, let waited, let holder):
      "\(path) is being written by \(holder?.description ?? "another process"); gave up after"
        + " \(waited / .seconds(1)) s. Try again, or wait longer."
    case .diskFull(let path):
      "The disk that holds \(path) is full. Nothing was written. Free some room and try again."
    case .inputOutput(let path, let detail):
      "\(path) could not be read or written (\(detail)). Nothing was changed. Check the disk."
    case .damaged(let path, let detail):
      "\(path) is damaged (\(detail)). Restore it from a copy, or recover it with sqlite3's .recover."
    case .unknownEntity(let name, let known):
      "The store has no entity named \(name). It has \(known.joined(separator: ", "))."
    case .invalid(let failures):
      failures.map(\.description).joined(separator: " ") + " Nothing was written."
    case .notFound(let id): "There is no \(id). It may have been removed."
    case .alreadyExists(let id): "\(id) exists already. Choose another key, or edit that one."
    case .conflict(let id, let expected, let stored):
      "\(id) was changed by someone else since it was read\(stored.difference(from: expected))."
        + " Nothing was written. Read it again, or say that the last write wins."
    case .unexpectedValue(let id, let what):
      "\(id) holds a value of an unexpected kind in \(what). Correct the stored value."
    case .request(let error): error.description
    case .aborted(let error): "The transaction was undone: \(error)"
    case .historyLost(let entity, let reason):
      "What was listed of \(entity) in an earlier version cannot be told any more (\(reason.words))."
        + " Read the present list."
    case .unexpected(let path, let detail):
      "\(path) failed in an unexpected way (\(detail)). Please report this."
    }
  }
}

extension GapReason {
  /// The reason for a message.
  fileprivate var words: String {
    switch self {
    case .otherWriter: "another program has written"
    case .trimmed: "the history does not reach back so far"
    case .otherEpoch: "the store was replaced or opened anew"
    case .schemaChanged: "the table was changed or made anew"
    }
  }
}

extension Row {
  /// In what a row differs from an earlier one, for a message: ` (title is “B”, and was “A”)`.
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
  /// A value for a message; only the beginning of a long one.
  fileprivate func words(for value: Value) -> String {
    guard !value.isNull else { return "nothing" }
    let text = type.machineText(of: value)
    return text.utf8.count > 80 ? "“\(text.prefix(40))…”" : "“\(text)”"
  }
}

// MARK: - Lock holder

/// Who keeps a store from being written, as far as the system tells.
public struct LockHolder: Hashable, Sendable {
  /// The system's number of the process.
  public let processID: Int64
  /// What the system calls the process; empty if it does not tell.
  public let name: String
  /// Whether it is the process that asks, such as by another connection of its own.
  public let isThisProcess: Bool

  /// A process that keeps a store from being written.
  public init(processID: Int64, name: String, isThisProcess: Bool = false) {
    self.processID = processID
    self.name = name
    self.isThisProcess = isThisProcess
  }
}

extension LockHolder: CustomStringConvertible {
  /// What to call it in a message.
  public var description: String {
    if isThisProcess { return "another connection of this process" }
    return name.isEmpty ? "process \(processID)" : "\(name) (process \(processID))"
  }
}
