public import ResultsDomain
public import ResultsPresentation
import Synchronization

/// Which kind of store a model is kept in.
public enum StoreKind: String, Hashable, Sendable {
  /// A file that lasts.
  case file
  /// Memory, gone when the program ends.
  case memory
}

/// The managers of a program, one a model name: the same name gives the same manager, from any thread.
public final class StoreManagers: Sendable {
  private struct Known {
    var path: String
    var kind: StoreKind
    var manager: StoreManager
  }

  private let dataFolder: String
  private let caches: @Sendable (_ path: String, _ kind: StoreKind) -> (any SectionCacheStorage)?
  private let makeStore: @Sendable (_ path: String, _ kind: StoreKind) throws -> any Store
  /// By the bytes of the model's name.
  private let known = Mutex<[Value: Known]>([:])

  /// The managers of a program.
  /// - Parameters:
  ///   - dataFolder: The folder that a model's file is in unless told otherwise.
  ///   - caches: Where the caches of a store's live lists are; nowhere unless given.
  ///   - makeStore: Opens a store at a path, in the way of the program; it must not ask for a manager.
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

  /// The manager of a model, opened the first time it is asked for.
  /// - Parameters:
  ///   - model: The model's name.
  ///   - file: Its file; `<model>.sqlite` in the data folder unless told, and for a known model whichever it has.
  ///   - kind: Its kind of store; a file unless told, and for a known model whichever it has.
  /// - Returns: The same manager for the same name.
  /// - Throws: `StoreManagerError.otherStore` for a known model with another file or kind, `.invalidName`, or why the store cannot
  ///   be opened; the model is then not known, and can be asked for again.
  public func manager(
    of model: String,
    file: String? = nil,
    kind: StoreKind? = nil
  ) throws -> StoreManager {
    try known.withLock { known in
      if let there = known[.text(model)] {
        let isSameKind = kind.map { $0 == there.kind } ?? true
        let isSameFile = file.map { Value.text($0) == .text(there.path) } ?? true
        guard isSameKind, isSameFile else {
          throw StoreManagerError.otherStore(
            model: model,
            known: there.path,
            asked: try file ?? (kind == .memory ? ":memory:" : path(of: model))
          )
        }
        return there.manager
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

/// What a manager refuses.
public enum StoreManagerError: Error, Hashable, Sendable {
  /// The model is in use with another file or another kind of store.
  case otherStore(model: String, known: String, asked: String)
  /// A model's name that cannot be the name of its file.
  case invalidName(String)
  /// The model has no such entity.
  case unknownEntity(String, known: [String])
  /// The entity has no such attribute to sort by.
  case unknownKey(String, entity: String)
}

extension StoreManagerError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    switch self {
    case .otherStore(let model, let known, let asked):
      "The model \(model) is open as \(known), so it cannot be opened as \(asked)."
        + " Use the manager that is there, or another model name."
    case .invalidName(let name):
      "“\(name)” cannot name a model's file. Use a name without “/” that does not begin with a point,"
        + " or name the file."
    case .unknownEntity(let name, let known):
      "The model has no entity named \(name). It has \(known.joined(separator: ", "))."
    case .unknownKey(let key, let entity):
      "\(entity) has no attribute named \(key) to sort by. Name one of its attributes."
    }
  }
}
