import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Synchronization
import Testing

/// R87, R110, R112: the SQLite store fulfils every promise of the ports, however its database is opened.
@Suite struct `SQLite store conformance` {
  @Test(arguments: StoreConformance.cases)
  func `a store in a file conforms`(_ testCase: StoreConformance.Case) async throws {
    let folder = try TemporaryFolder()
    let files = Files(folder)
    let provider = StoreProvider(
      open: { try SQLiteStore(at: files.next(), entities: $0, options: files.options()) },
      reopen: { store in
        try store.close()
        return try SQLiteStore(at: store.identity.name, entities: store.entities)
      },
      openForReading: { store in
        try SQLiteStore(
          at: store.identity.name,
          entities: store.entities,
          options: SQLiteStoreOptions(isReadOnly: true, pollInterval: .milliseconds(20))
        )
      },
      openWithHistory: { entities, rows in
        try SQLiteStore(at: files.next(), entities: entities, options: files.options(rows))
      }
    )
    try await testCase.run(with: provider)
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: StoreConformance.cases)
  func `a store whose triggers write the log conforms`(
    _ testCase: StoreConformance.Case
  ) async throws {
    let folder = try TemporaryFolder()
    let files = Files(folder)
    var options = files.options()
    options.usesPreUpdateHook = false
    try await testCase.run { [options] in
      try SQLiteStore(at: files.next(), entities: $0, options: options)
    }
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: StoreConformance.cases)
  func `a borrowed pool with a log conforms`(
    _ testCase: StoreConformance.Case
  ) async throws {
    let folder = try TemporaryFolder()
    let files = Files(folder)
    var options = files.options()
    options.maintainsChangeLog = true
    options.createsTables = true
    try await testCase.run { [options] in
      try SQLiteStore(
        writer: DatabasePool(path: files.next()),
        entities: $0,
        options: options
      )
    }
    withExtendedLifetime(folder) {}
  }

  /// R109, R269, R270: a draft is a store like any other.
  @Test(arguments: StoreConformance.cases)
  func `a draft over a store in a file conforms`(
    _ testCase: StoreConformance.Case
  ) async throws {
    let folder = try TemporaryFolder()
    let files = Files(folder)
    try await testCase.run { entities in
      KeyedDraft(
        over: try SQLiteStore(at: files.next(), entities: entities, options: files.options())
      )
    }
    withExtendedLifetime(folder) {}
  }

  /// R109: also where the base has no log, so that its commits are compared.
  @Test(arguments: StoreConformance.cases)
  func `a draft over a borrowed pool conforms`(
    _ testCase: StoreConformance.Case
  ) async throws {
    let folder = try TemporaryFolder()
    let files = Files(folder)
    try await testCase.run { entities in
      KeyedDraft(
        over: try SQLiteStore(
          writer: DatabasePool(path: files.next()),
          entities: entities,
          options: .making
        )
      )
    }
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: casesOfOneConnection)
  func `a store in memory conforms`(_ testCase: StoreConformance.Case) async throws {
    try await testCase.run { try SQLiteStore.inMemory(entities: $0) }
  }

  @Test(arguments: StoreConformance.cases)
  func `a borrowed pool conforms`(_ testCase: StoreConformance.Case) async throws {
    let folder = try TemporaryFolder()
    let files = Files(folder)
    try await testCase.run {
      try SQLiteStore(writer: DatabasePool(path: files.next()), entities: $0, options: .making)
    }
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: casesOfOneConnection)
  func `a borrowed queue conforms`(_ testCase: StoreConformance.Case) async throws {
    try await testCase.run {
      try SQLiteStore(writer: DatabaseQueue(), entities: $0, options: .making)
    }
  }

  @Test(arguments: casesOfOneConnection)
  func `a store over tables of another program conforms`(_ testCase: StoreConformance.Case)
    async throws
  {
    try await testCase.run { entities in
      let queue = try DatabaseQueue()
      try queue.write { database in
        for entity in entities { try database.execute(sql: entity.looseTable) }
      }
      return try SQLiteStore(writer: queue, entities: entities, options: .making)
    }
  }

  @Test(arguments: casesOfOneConnection)
  func `a library without the pre-update hook conforms`(
    _ testCase: StoreConformance.Case
  ) async throws {
    var options = SQLiteStoreOptions()
    options.usesPreUpdateHook = false
    try await testCase.run { [options] in
      try SQLiteStore(at: ":memory:", entities: $0, options: options)
    }
  }
}

/// A database in memory has one connection, on which readers and the writer take turns: the two promises that neither waits for the other
/// hold for files only.
let casesOfOneConnection = StoreConformance.cases.filter { testCase in
  ![
    "a reader sees nothing of a transaction that has not committed",
    "a reader sees one version from its first read to its last",
  ].contains(testCase.name)
}

/// New file names in a folder.
private final class Files: Sendable {
  private let folder: TemporaryFolder
  private let count = Mutex(0)

  init(_ folder: TemporaryFolder) { self.folder = folder }

  func next() -> String {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return folder.file("store-\(number).sqlite")
  }

  func options(_ historyCapacity: Int = 65_536) -> SQLiteStoreOptions {
    SQLiteStoreOptions(
      pollInterval: .milliseconds(20),
      historyCapacity: historyCapacity,
      logCapacity: min(historyCapacity, 10_000)
    )
  }
}

extension EntityDescription {
  /// The table as a program that does not know strict tables might have created it.
  fileprivate var looseTable: String {
    func quoted(_ name: String) -> String {
      "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
    var lines: [String] = []
    switch identity {
    case .integer(let column): lines.append(quoted(column) + " INTEGER PRIMARY KEY")
    case .text(let column): lines.append(quoted(column) + " VARCHAR(200) PRIMARY KEY NOT NULL")
    case .compound: break
    }
    for attribute in attributes.reversed() {
      let type =
        switch attribute.type {
        case .integer16, .integer32, .integer64: "BIGINT"
        case .boolean: "BOOLEAN"
        case .date: "DATETIME"
        case .decimal: "DECIMAL(10, 2)"
        case .real: "DOUBLE"
        case .text where attribute.storage == .integer: "INTEGER"
        case .text: "VARCHAR(300) COLLATE NOCASE"
        case .blob: "BLOB"
        }
      lines.append("\(quoted(attribute.name)) \(type)\(attribute.isOptional ? "" : " NOT NULL")")
    }
    if case .compound(let names) = identity {
      let keys = names.map { name in
        attribute(named: name)?.type == .text ? quoted(name) + " COLLATE BINARY" : quoted(name)
      }
      lines.append("PRIMARY KEY (\(keys.joined(separator: ", ")))")
    }
    return "CREATE TABLE \(quoted(name)) (\(lines.joined(separator: ", ")))"
  }
}
