/// Something in which a browser's program runs, such as a value that belongs to one of several lists.
package protocol BrowserScope: Sendable {
  /// Runs a closure.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result
  /// Runs an asynchronous closure.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  func run<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result
}

extension BrowserVisit {
  /// Returns the visit, with all that it asks of its program run in a scope.
  package func within(_ scope: some BrowserScope) -> BrowserVisit {
    var visit = self
    visit.setup = setup.within(scope)
    visit.source = source.within(scope)
    visit.close = { [close] in scope.run { close() } }
    return visit
  }
}

extension BrowserSetup {
  fileprivate func within(_ scope: some BrowserScope) -> BrowserSetup {
    var setup = self
    setup.isYear = { [isYear] text, choice in scope.run { isYear(text, choice) } }
    setup.orderOffers = { [orderOffers] choice in scope.run { orderOffers(choice) } }
    setup.sectionOffers = { [sectionOffers] choice in scope.run { sectionOffers(choice) } }
    setup.isOffered = { [isOffered] call in scope.run { isOffered(call) } }
    setup.isDimmed = { [isDimmed] row in scope.run { isDimmed(row) } }
    return setup
  }
}

extension BrowserSource {
  fileprivate func within(_ scope: some BrowserScope) -> BrowserSource {
    let forms = forms.map { forms in
      BrowserForms { subject in
        let form = scope.run { forms.open(subject) }
        return OpenForm(
          begin: { try scope.run { try form.begin() } },
          draft: { submission, choice in try scope.run { try form.draft(submission, choice) } },
          save: { submission in try scope.run { try form.save(submission) } },
          changes: form.changes
        )
      }
    }
    var source = BrowserSource(
      perform: { [perform] request in try scope.run { try perform(request) } },
      forms: forms
    ) { [define] choice in try scope.run { try define(choice) } }
    source.files = files.map { files in
      BrowserFiles(
        exportFormats: files.exportFormats,
        importFormats: files.importFormats,
        export: { export, output in
          try await scope.run { try await files.export(export, output) }
        },
        add: { file, progress in try scope.run { try files.add(file, progress) } }
      )
    }
    source.details = { [details] id in try scope.run { try details(id) } }
    source.row = { [row] choice, text in try scope.run { try row(choice, text) } }
    source.matches = { [matches] choice, text, ids in
      try scope.run { try matches(choice, text, ids) }
    }
    source.links = { [links] id in try scope.run { try links(id) } }
    source.visit = { [visit] id, link in try scope.run { try visit(id, link) } }
    source.writer = { [writer] in scope.run { writer() } }
    source.stop = { [stop] in scope.run { stop() } }
    return source
  }
}
