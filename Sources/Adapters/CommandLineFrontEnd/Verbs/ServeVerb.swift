package import ArgumentParser
import Foundation
import ListBrowser
package import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd

#if Web
import WebFrontEnd
import WireFormat
#endif

/// `serve`: shows the list in a browser, live.
package struct ServeVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "serve",
      abstract: "Show the \(Program.nouns.many) in a browser, live.",
      discussion: Program.discussion(
        ServeOptions.discussion,
        takesList: true,
        examples: "serve",
        "serve --read-only --port 0",
        "serve --where \"\(Program.examples.condition)\""
      )
    )
  }

  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var times: TimeOptions<Program>
  @OptionGroup var rows: RowOptions
  @OptionGroup var locale: LocaleOptions
  @OptionGroup var server: ServeOptions

  /// Creates the verb.
  package init() {}

  /// Serves the list until it is interrupted.
  package func run() async throws {
    try await BrowseRun<Program>(
      store: store,
      list: list,
      rows: rows,
      locale: locale,
      times: times,
      showsPages: true
    )
    .serve(server)
  }
}

/// The options of a server.
package struct ServeOptions: ParsableArguments {
  /// What the help of a verb that serves says.
  package static let discussion = """
    It prints an address with a token. Anyone who opens that address sees the list, and every change of it by any process. \
    The browser gets a cookie, which is valid until the program ends or, with --token-file, until the token changes. \
    The program listens on this machine only, without encryption. To let other machines in, give --listen, --allow-network \
    and --host, and put a proxy with TLS in front of it that passes on the Host header. ^C ends it.
    """

  /// The port to listen on.
  @Option(help: "The port; 0 for any that is free.")
  package var port = 8421

  /// The address to listen at.
  @Option(help: "The address of this machine to listen at.")
  package var listen = "127.0.0.1"

  /// Whether another address than this machine's own may be listened at.
  @Flag(help: "Allow --listen to name an address that other machines reach.")
  package var allowNetwork = false

  /// Further names of the machine.
  @Option(
    help:
      "Another name by which browsers reach this server, NAME or NAME:PORT; may be given several times."
  )
  package var host: [String] = []

  /// The file of the token.
  @Option(
    help: "The file with the token; it is created if it does not exist.",
    completion: .file()
  )
  package var tokenFile: String?

  /// The streams that are open at once.
  @Option(help: "The number of pages that may be open at once.")
  package var maxStreams = 256

  /// The megabytes of a file that is imported.
  @Option(help: "The size of a file that a page may import, in megabytes.")
  package var maxImport = 256

  /// Creates the options with their defaults.
  package init() {}

  /// Refuses numbers that no server has, and an address for others that was not allowed.
  package func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port must be 0 to 65535, not \(port).")
    }
    guard (1...100_000).contains(maxStreams) else {
      throw ValidationError("--max-streams must be 1 to 100000, not \(maxStreams).")
    }
    guard (1...1024).contains(maxImport) else {
      throw ValidationError("--max-import must be 1 to 1024, not \(maxImport).")
    }
    guard ServeOptions.isLoopback(listen) || allowNetwork else {
      throw ValidationError(
        "--listen: other machines reach \(listen), and nothing is encrypted. Add --allow-network if that is meant."
      )
    }
    for name in host where !ServeOptions.isHost(name) {
      throw ValidationError(
        "--host: “\(name)” is not the name of a machine, with or without a port."
      )
    }
  }
}

extension ServeOptions {
  /// Whether a text is what a request may name as its host.
  static func isHost(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
      return false
    }
    // The address of IPv6 has colons of its own, and stands in brackets.
    let end = text.utf8.lastIndex(of: UInt8(ascii: "]")).map { text.utf8.index(after: $0) }
    let parts = text.utf8[(end ?? text.utf8.startIndex)...].split(
      separator: UInt8(ascii: ":"),
      omittingEmptySubsequences: false
    )
    guard parts.count <= 2, text.utf8.starts(with: "[".utf8) == (end != nil),
      parts[0].isEmpty == (end != nil)
    else { return false }
    return parts.count == 1
      || (1...65_535).contains(Int(String(decoding: parts[1], as: UTF8.self)) ?? 0)
  }

  /// Whether an address is one that no other machine reaches; a name that only begins like one may mean any machine.
  static func isLoopback(_ address: String) -> Bool {
    let isNumeric = address.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    return ["::1", "localhost"].contains(address)
      || isNumeric && address.utf8.starts(with: "127.".utf8)
  }
}

extension BrowseRun {
  /// Shows the list to browsers until the program is interrupted.
  /// - Throws: `Interruption` when it is; `CommandFailure` where this build has no server, or where it cannot listen; the store's error.
  package func serve(_ options: ServeOptions) async throws {
    #if Web
    let browsed = try prepare(try ScreenOptions.parse([]), remembers: false)
    let lists = browsed.lists
    let settings = try locale.settings(for: .jsonl)
    let program = WebProgram(
      browsed.setup,
      openWhole: { choice in try await WholeStream(lists, settings).open(choice) },
      makeSource: { lists.source }
    )
    let server = WebServer(program, options: try options.server())
    let note =
      browsed.setup.canWrite
      ? "^C ends; with this address the list can be changed" : "^C ends; read-only"
    let outcome = await InterruptibleWork.outcome(
      endingBy: { server.end(because: "the program was ended") }
    ) {
      do {
        try await server.run { address, port in
          // Behind another server, browsers use the port of that one.
          let listening = port.map { "listening on port \($0); " } ?? ""
          try? TerminalOutput.standard.write(
            "\(Program.name): \(address)   (\(listening)\(note))\n"
          )
          try? TerminalOutput.standard.flush()
        }
      } catch WebServerError.cannotListen(let address, let port, let code) {
        let reason =
          code == EADDRINUSE ? "another program does" : String(cString: strerror(code)).lowercased()
        throw CommandFailure(
          .unavailable,
          "Cannot listen on port \(port) of \(address): \(reason).",
          remedy: "Give another --port, or 0 for any that is free."
        )
      } catch let failure as WebFailure {
        throw CommandFailure(.usage, failure.message, remedy: failure.remedy)
      }
    }
    try lists.store.close()
    try outcome.get()
    #else
    throw CommandFailure(
      .unavailable,
      "\(Program.name) was built without the web front end.",
      remedy: "Build it with: swift build --traits Web"
    )
    #endif
  }
}

#if Web
extension ServeOptions {
  /// The options of the server.
  /// - Throws: `CommandFailure` for a file of a token that cannot be read or created, or holds none.
  fileprivate func server() throws -> WebServerOptions {
    var options = WebServerOptions()
    (options.address, options.port, options.mostStreams) = (listen, port, maxStreams)
    options.mostImportBytes = maxImport << 20
    options.hostNames = host
    if let tokenFile {
      options.token = try TokenFile(tokenFile).token()
      options.isTokenKept = true
    }
    return options
  }
}

/// A file in which a server's token outlives the server; only its owner can read it.
private struct TokenFile {
  private let path: String

  init(_ path: String) { self.path = path }

  /// Returns the token of the file, which is created if it does not exist.
  func token() throws -> SecretText {
    // A pipe or a device must not be waited for.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor < 0 else {
      return try read(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }
    guard errno == ENOENT else { throw failure(.missingInput) }
    return try create()
  }

  private func read(_ file: FileHandle) throws -> SecretText {
    var status = stat()
    guard fstat(file.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure(.badData, "\(path) is no ordinary file.", remedy: "Name another one.")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw CommandFailure(
        .badData,
        "Other users can read or change the token in \(path).",
        remedy: "Run chmod 600 on it, or remove the file, and it is created again."
      )
    }
    let line = (try file.read(upToCount: 1024) ?? Data()).prefix { $0 > 0x20 }
    let isToken = line.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    guard (16...512).contains(line.count), isToken else {
      throw CommandFailure(
        .badData,
        "\(path) holds no token of 16 to 512 letters and digits.",
        remedy: "Remove the file, and it is created again."
      )
    }
    return SecretText(String(decoding: line, as: UTF8.self))
  }

  private func failure(_ status: ExitStatus) -> CommandFailure {
    CommandFailure(
      status,
      "\(path): \(String(cString: strerror(errno))).",
      remedy: "Name a file in a folder of yours."
    )
  }

  private func create() throws -> SecretText {
    let token = SecretText.random()
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(.cannotCreate) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try handle.write(contentsOf: Data((token.text + "\n").utf8))
    return token
  }
}

/// A whole list and all its changes as lines of the wire form: those that `watch --format jsonl` prints.
private struct WholeStream<Program: ListProgram> {
  private let lists: BrowsedLists<Program>
  private let settings: LocaleSettings
  /// The rows up to which a list is sent whole.
  private static var mostRows: Int { 100_000 }

  init(_ lists: BrowsedLists<Program>, _ settings: LocaleSettings) {
    (self.lists, self.settings) = (lists, settings)
  }

  /// Fetches a list.
  /// - Returns: What sends its lines until its task is cancelled.
  func open(
    _ choice: BrowserChoice
  ) async throws -> @Sendable (WebProgram.SendLine) async throws -> Void {
    let definition = try lists.refusing { try lists.printedDefinition(of: choice, for: settings) }
    let controller = FetchedResultsController(
      definition,
      in: lists.store,
      options: ResultsOptions(wallClock: PresentTime.clock)
    )
    try await controller.performFetch()
    let count = try controller.results.count
    guard count <= Self.mostRows else {
      controller.cancel()
      throw WebFailure(
        413,
        "The list has \(count) rows, and is sent whole up to \(Self.mostRows).",
        remedy: "Ask for a window of it."
      )
    }
    return { send in
      defer { controller.cancel() }
      try await withTaskCancellationHandler {
        try await Self.run(controller, send)
      } onCancel: {
        controller.cancel()
      }
    }
  }

  private static func run(
    _ controller: FetchedResultsController<Row>,
    _ send: WebProgram.SendLine
  ) async throws {
    var (line, wire, events) = try await whole(controller, because: nil)
    try await send(line)
    while let event = await events.next() {
      switch event {
      case .change(let change): line = wire.encoder.delta(change.delta)
      case .failure(let failure):
        let generation = (try? controller.results.generation) ?? 0
        line = wire.encoder.error("\(failure)", generation: generation)
      case .snapshot: (line, wire, events) = try await whole(controller, because: nil)
      case .reset(let reason, _):
        (line, wire, events) = try await whole(controller, because: reason)
      }
      try await send(line)
    }
  }

  /// Reads a list in one version.
  private static func whole(
    _ controller: FetchedResultsController<Row>,
    because reason: ResultsResetReason?
  ) async throws -> (String, WireLines, ResultsChanges<Row>.AsyncIterator) {
    try await controller.printing(again: true) { reading in
      let events = reading.subscribe()
      let wire = WireLines(reading.results.snapshot)
      let list = ListContent(reading)
      let line = try reason.map { try wire.reset(list, because: $0) } ?? wire.snapshot(list)
      return (line, wire, events)
    }
  }
}
#endif
