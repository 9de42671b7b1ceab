import ResultsDomain
import ResultsPresentation
import ResultsStoreKit

/// What forms ask for: reading, storing, and finding where a row would stand.
extension BrowserWork {
  /// Performs an effect of a form.
  func perform(_ effect: FormEffect, ofForm number: Int) {
    guard let forms = source.forms else {
      return send(.form(number: number, .refused("There are no forms here.")))
    }
    let wait: WriterWait? = if case .save = effect { beginWait() } else { nil }
    Task(executorPreference: executor) { [send] in
      send(.form(number: number, await BrowserWork.answer(to: effect, wait, forms)))
    }
  }

  @concurrent private static func answer(
    to effect: FormEffect,
    _ wait: WriterWait?,
    _ forms: BrowserForms
  ) async -> FormEvent {
    switch effect {
    case .begin(let subject):
      do { return .begun(try forms.begin(subject)) } catch { return .refused(reason(of: error)) }
    case .save(let submission):
      do {
        let outcome = try WriterWait.$current.withValue(wait) { try forms.save(submission) }
        return .saved(outcome, of: submission)
      } catch {
        return .saved(.failed(reason(of: error)), of: submission)
      }
    case .land(let submission, let revision, _, let list, let choice):
      let landing: FormLanding
      do {
        landing = try FormLanding(of: try forms.draft(submission, choice), in: list)
      } catch {
        landing = .unknown(reason(of: error))
      }
      return .landed(landing, revision: revision, in: list.position)
    case .edit: return .notEdited("There is no terminal for an editor here.")
    }
  }

  private static func reason(of error: any Error) -> String {
    (error as? BrowserSource.Refusal)?.reason ?? "\(error)"
  }
}

extension FormLanding {
  /// Finds where a row would stand in a list.
  /// - Throws: `ResultsError` where the list cannot be read.
  /// - Complexity: That of `ResultsList.landingPath(of:)`; two rows are read.
  init(of draft: FormDraft, in list: ResultsList<Row>) throws(ResultsError) {
    guard let path = try list.landingPath(of: draft.row) else {
      self = .outside
      return
    }
    let old = list.path(of: draft.row.id)
    // The path counts sections and rows without the row itself.
    let vanishing = old.flatMap { path in
      list.isSectioned && list.section(at: path.section)?.count == 1 ? path.section : nil
    }
    let section = path.section + (vanishing.map { path.section >= $0 ? 1 : 0 } ?? 0)
    let isNew =
      list.isSectioned && path.row == 0
      && (list.section(at: section).map { section in
        draft.section.map { $0.id != section.id.value } ?? false
      } ?? true)
    if isNew {
      let title = draft.section?.title ?? ""
      if let vanishing, path.section == vanishing, list.section(at: vanishing)?.title == title {
        self = .same
        return
      }
      let next = list.section(at: section)?.title
      let before = section - 1 == vanishing ? section - 2 : section - 1
      self = .newSection(title, between: list.section(at: before)?.title, and: next)
      return
    }
    if let old, old.section == section, old.row == path.row {
      self = .same
      return
    }
    guard let shown = list.section(at: section) else {
      self = .between(nil, nil, section: nil)
      return
    }
    // The rows beside it, without the row itself.
    let own = old.flatMap { $0.section == section ? $0.row : nil }
    let rows = try [path.row - 1, path.row].map { row throws(ResultsError) -> Row? in
      let index = row + (own.map { row >= $0 ? 1 : 0 } ?? 0)
      guard row >= 0, index < shown.count else { return nil }
      return try shown.rows.objects(at: index..<index + 1).first
    }
    self = .between(rows[0], rows[1], section: list.isSectioned ? shown.title : nil)
  }
}
