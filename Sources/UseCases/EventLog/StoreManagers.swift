import ResultsDomain
public import ResultsStoreKit
public import ResultsPresentation
import Synchronization

/// The kind of store that a model uses.
public enum StoreKind: String, Hashable, Sendable {
  /// A file.
  case file
  /// Memory; the objects are lost when the program ends.
  case memory
}

/// The managers of a program, one per model name: the same name returns the same manager, from any thread.
public final class StoreManagers: Sendable {
  private struct Known {
    var path: String
    var kind: StoreKind
    var manager: StoreManager
  }

  private let dataFolder: String
  private let caches: @Sendable (_ path: String, _ kind: StoreKind) -> (any SectionCacheStorage)?
  private let makeStore: @Sendable (_ path: String, _ kind: StoreKind) throws -> any Store
  /// The open managers, by the bytes of the model's name.
  private let known = Mutex<[Value: Known]>([:])

  /// The managers of a program.
  /// - Parameters:
  ///   - dataFolder: The default folder for the files of models.
  ///   - caches: Returns the storage for caches of a store's live lists; by default there is none.
  ///   - makeStore: Opens a store at a path; it must not call `manager(of:file:kind:)`.
  public init(
    dataFolder: String,
    caches:
      @escaping @Sendable (_ path: String, _ kind: StoreKind) -> (any SectionCacheStorage)? = {
        _,
        _ in nil
      },
    makeStore: @escaping @Sendable (_ path: String, _ kind: StoreKind) throws -> any Store
  ) {
    self.dataFolder = dataFolder
    self.caches = caches
    self.makeStore = makeStore
  }

  /// Returns the manager of a model; the first call opens its store.
  /// - Parameters:
  ///   - model: The model's name.
  ///   - file: The file of the model; by default that of the open model, or `<model>.sqlite` in the data folder.
  ///   - kind: The kind of store; by default that of the open model, or a file.
  /// - Returns: The same manager for the same name.
  /// - Throws: `StoreManagerError.otherStore` if the model is open with another file or kind, `.invalidName`, or the error of
  ///   opening the store; the next call then tries again.
  public func manager(
    of model: String,
    file: String? = nil,
    kind: StoreKind? = nil
  ) throws -> StoreManager {
    try known.withLock { known in
      if let open = known[.text(model)] {
        let isSameKind = kind.map { $0 == open.kind } ?? true
        let isSameFile = file.map { Value.text($0) == .text(open.path) } ?? true
        guard isSameKind, isSameFile else {
          throw StoreManagerError.otherStore(
            model: model,
            known: open.path,
            requested: try file ?? (kind == .memory ? ":memory:" : path(of: model))
          )
        }
        return open.manager
      }
      let path = kind == .memory ? ":memory:" : try file ?? path(of: model)
      let store = try makeStore(path, kind ?? .file)
      let manager = StoreManager(model: model, store: store, caches: caches(path, kind ?? .file))
      known[.text(model)] = Known(path: path, kind: kind ?? .file, manager: manager)
      return manager
    }
  }

  private func path(of model: String) throws(StoreManagerError) -> String {
    let isName =
      !model.isEmpty && !model.hasPrefix(".")
      && model.unicodeScalars.allSatisfy { $0.value >= 32 && $0 != "/" && $0 != "\\" }
    guard isName else { throw .invalidName(model) }
    return dataFolder.isEmpty ? "\(model).sqlite" : "\(dataFolder)/\(model).sqlite"
  }
}

/// An error of a store manager.
public enum StoreManagerError: Error, Hashable, Sendable {
  /// The model is open with another file or another kind of store.
  case otherStore(model: String, known: String, requested: String)
  /// The name of the model cannot be a file name.
  case invalidName(String)
  /// The model has no such entity.
  case unknownEntity(String, known: [String])
  /// The entity has no attribute of this name.
  case unknownKey(String, entity: String)
}

extension StoreManagerError: CustomStringConvertible {
  /// What happened, and the remedy.
  public var description: String {
    switch self {
    case .otherStore(let model, let known, let requested):
      "The model \(model) is open as \(known), so it cannot be opened as \(requested)."
        + " Use the open manager, or another model name."
    case .invalidName(let name):
      "“\(name)” cannot be the name of a model's file. Use a name without “/” that does not begin with a dot,"
        + " or give a file."
    case .unknownEntity(let name, let known):
      "The model has no entity named \(name). It has \(known.joined(separator: ", "))."
    case .unknownKey(let key, let entity):
      "\(entity) has no attribute named \(key) to sort by. Name one of its attributes."
    }
  }
}
