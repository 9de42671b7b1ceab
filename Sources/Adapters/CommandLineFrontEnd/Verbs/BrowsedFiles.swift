import FileFormats
import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Synchronization

/// Writes the lists of a program to files and adds files to its store, as the verbs `export` and `import` do.
struct BrowsedFiles<Program: ListProgram>: Sendable {
  let lists: BrowsedLists<Program>

  /// What the program does for files.
  var files: BrowserFiles {
    let canAdd = !lists.location.isReadOnly && !Program.isReadOnly
    let formats = ImportFormatOption.allCases.filter {
      ($0 != .feed || Program.importsFeeds) && ($0 != .journal || Program.fields.linked != nil)
        && ($0 != .marc || Program.importsMARC)
    }
    var files = BrowserFiles(
      exportFormats: ExportFormatOption.allCases.filter {
        $0 != .journal || Program.fields.linked != nil
      }.map(\.rawValue),
      importFormats: canAdd ? formats.map(\.rawValue) : [],
      export: { export, output in
        do {
          try await write(export, to: output)
        } catch ResultsError.rowGone {
          throw BrowserSource.Refusal(CommandFailure.printedListChanged.message)
        } catch let error as StoreError {
          try lists.refusing { throw error }
        } catch ResultsError.store(let error) {
          try lists.refusing { throw error }
        }
      },
      add: { file, progress in try lists.refusing { try add(file, progress) } }
    )
    if canAdd { files.mappings = { SavedImport<Program>.names } }
    return files
  }

  private func write(_ export: BrowserExport, to output: BrowserFiles.Output) async throws {
    guard let format = ExportFormatOption(rawValue: export.format) else {
      throw BrowserSource.Refusal("“\(export.format)” is no format of an export.")
    }
    let definition = try lists.refusing { try lists.exportedDefinition(of: export.choice) }
    // The rows are read in one version, for which the lists of one store wait; so a list in a database is read by a store of its own.
    let isShared = lists.location.isInMemory
    let store = isShared ? lists.store : try open()
    defer { if !isShared { try? store.close() } }
    let controller = FetchedResultsController(
      definition,
      in: store,
      detectsExternalChanges: false,
      options: ResultsOptions(delivery: .onDemand, wallClock: PresentTime.clock)
    )
    defer { controller.cancel() }
    try await controller.performFetch()
    let content = ListExport<Program>(format, guardsFormulas: export.guardsFormulas)
    _ = try controller.read { try content.write($0, to: output) }
  }

  private func open() throws -> any Store {
    let location = lists.location
    var reading = StoreLocation(
      location.address,
      isReadOnly: true,
      busyTimeout: location.busyTimeout
    )
    (reading.onlyReads, reading.mayAsk) = (true, false)
    return try Program.openStore(reading)
  }

  private func add(
    _ file: BrowserImport,
    _ progress: BrowserFiles.Progress
  ) throws -> BrowserImport.Summary {
    let format = file.format.flatMap(ImportFormatOption.init(rawValue:))
    guard file.format == nil || format != nil else {
      throw CommandFailure(.usage, "“\(file.format ?? "")” is no format of an import.")
    }
    var content = RecordFile(source: file.name, bytes: file.bytes)
    var settings = lists.fileSettings
    var mapping = ImportMapping()
    var skipsBad = file.skipsInvalid
    if let name = file.mapping {
      let options = try SavedImport<Program>.options(of: name)
      if options.locale.locale != nil { settings = try options.locale.settings() }
      (content, mapping) = try options.reading(content, as: format, into: Program.self, &settings)
      if options.skipBad { skipsBad = true }
    }
    var records: any RecordReader = try content.reader(format: format?.format)
    var run = ImportRun<Program>(source: file.name, settings: settings, skipsBad: skipsBad)
    run.mapping = mapping
    run.namesOptions = false
    let name = CommandName("imported \(file.name)", of: Program.name, by: "browse")
    do throws(StoreError) {
      try lists.store.commit(origin: name.origin) { transaction in
        try run.take(&records, into: transaction, progress: progress)
        if file.isDryRun { throw ImportRun<Program>.DryRun() }
      }
    } catch {
      guard file.isDryRun, case .aborted(by: is ImportRun<Program>.DryRun) = error else {
        throw error
      }
    }
    let summary = run.summary(isDryRun: file.isDryRun)
    return BrowserImport.Summary(
      String(decoding: summary.utf8.dropLast(), as: UTF8.self),
      notes: run.notes,
      added: run.addedCount
    )
  }
}
