import Foundation
import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// What `browse` remembers of a store in a file of its own: the order, the sections, the columns, the folds and the cursor.
struct SavedState {
  /// What the list shows without any choice; what was remembered for another list does not count.
  struct List: Codable, Hashable {
    var entity: String
    var sort: String?
    var sectionBy: String?
  }

  /// The file's path.
  let path: String
  private let store: String
  private let list: List

  private static let version = 1
  /// The number of folded sections above which none is remembered.
  private static let mostFolds = 10_000
  private static let largestSize = 1 << 24

  /// Creates the state of a store, or returns `nil` where the environment names no folder for it.
  init?(of store: StoreIdentity, _ list: List, program: String, environment: [String: String]) {
    guard let folder = UserFolder.state.path(of: program, environment) else { return nil }
    self.store = store.uniqueName
    self.list = list
    path = "\(folder)/\(SavedState.fileName(of: store.uniqueName))"
  }

  /// A store's name as a file's name; one with other characters than letters, digits and dashes is replaced by a digest.
  private static func fileName(of store: String) -> String {
    let isPlain = store.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == 0x2D
    }
    if isPlain, store.utf8.count <= 100 { return store + ".json" }
    let digest = store.utf8.reduce(14_695_981_039_346_656_037 as UInt64) {
      ($0 ^ UInt64($1)) &* 1_099_511_628_211
    }
    return "path-" + String(digest, radix: 16) + ".json"
  }

  // MARK: - Reading and writing

  private struct File: Codable {
    var version: Int
    var store: String
    var list: List
    var sort: String?
    var sectionBy: String?
    var columns: [String]?
    var folded: [Section]
    var cursor: [StoredValue]?
    var isCompound: Bool?

    struct Section: Codable {
      var value: StoredValue
      var occurrence: Int
    }
  }

  /// A value in a file, with its type.
  private struct StoredValue: Codable {
    var type: String
    var text: String

    init(_ value: Value) {
      switch value {
      case .null: (type, text) = ("null", "")
      case .integer(let number): (type, text) = ("integer", String(number))
      case .real(let number): (type, text) = ("real", String(number.bitPattern))
      case .text(let text): (type, self.text) = ("text", text)
      case .blob(let bytes): (type, text) = ("blob", Data(bytes).base64EncodedString())
      case .illFormedText(let bytes):
        (type, text) = ("text bytes", Data(bytes.bytes).base64EncodedString())
      }
    }

    var value: Value? {
      switch type {
      case "null": .null
      case "integer": Int64(text).map { .integer($0) }
      case "real": UInt64(text).map { .real(Double(bitPattern: $0)) }
      case "text": .text(text)
      case "blob": Data(base64Encoded: text).map { .blob(Array($0)) }
      case "text bytes": Data(base64Encoded: text).map { Value(textBytes: Array($0)) }
      default: nil
      }
    }
  }

  /// The error for a file that is damaged, or belongs to another store.
  struct Unreadable: Error {}

  /// Returns what is remembered, or `nil` if there is nothing for this list.
  /// - Throws: `Unreadable`.
  func read() throws(Unreadable) -> BrowserMemory? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    guard let data = FileManager.default.contents(atPath: path),
      data.count <= SavedState.largestSize,
      let file = try? JSONDecoder().decode(File.self, from: data),
      file.version == SavedState.version, file.store == store
    else { throw Unreadable() }
    guard file.list == list else { return nil }
    var memory = BrowserMemory()
    (memory.sort, memory.sectionBy) = (file.sort, file.sectionBy)
    memory.columns = file.columns
    memory.folded = file.folded.compactMap { section in
      section.value.value.map { SectionID($0, occurrence: section.occurrence) }
    }
    memory.cursor = key(of: file).map { ObjectID(entity: list.entity, key: $0) }
    return memory
  }

  private func key(of file: File) -> ObjectKey? {
    guard let values = file.cursor?.map(\.value), !values.contains(where: { $0 == nil }) else {
      return nil
    }
    let known = values.compactMap(\.self)
    if file.isCompound == true { return .compound(known) }
    switch known.first {
    case .integer(let number): return .integer(number)
    case .text(let text): return .text(text)
    default: return nil
    }
  }

  /// Writes what is to be remembered; the file is replaced as a whole.
  /// - Throws: The system's error.
  func write(_ memory: BrowserMemory) throws {
    var file = File(version: SavedState.version, store: store, list: list, folded: [])
    (file.sort, file.sectionBy) = (memory.sort, memory.sectionBy)
    file.columns = memory.columns
    if memory.folded.count <= SavedState.mostFolds {
      file.folded = memory.folded.map {
        File.Section(value: StoredValue($0.value), occurrence: $0.occurrence)
      }
    }
    switch memory.cursor?.key {
    case .integer(let number): file.cursor = [StoredValue(.integer(number))]
    case .text(let text): file.cursor = [StoredValue(.text(text))]
    case .compound(let values):
      file.cursor = values.map { StoredValue($0) }
      file.isCompound = true
    case nil: break
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    try encoder.encode(file).write(to: URL(fileURLWithPath: path), options: .atomic)
  }
}
