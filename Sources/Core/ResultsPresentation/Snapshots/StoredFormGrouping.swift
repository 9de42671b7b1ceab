import ResultsDomain

/// A grouping of dates, applied to the values by which another application stores them.
///
/// The bounds of a group are encoded by the form, whose values sort like their dates (R102). Values that are no dates of the form
/// belong to a group of their own, whose id is an empty text; where they stand between dates, the section key must merge sections.
struct StoredFormGrouping: SectionGrouping {
  private let form: StoredForm
  private let dates: any SectionGrouping

  init(_ form: StoredForm, _ dates: any SectionGrouping) {
    self.form = form
    self.dates = dates
  }

  func group(of stored: Value) -> SectionGroup {
    // Values of a form that is no date are grouped as they are stored.
    guard form.type == .date, !stored.isNull else { return dates.group(of: stored) }
    guard let date = form.date(notAfter: stored) else { return SectionGroup(id: .text("")) }
    let group = dates.group(of: .integer(date))
    return SectionGroup(
      id: group.id,
      first: group.first.flatMap(form.stored),
      next: group.next.flatMap(form.stored)
    )
  }

  func title(of id: Value) -> String { dates.title(of: id) }

  var groupingIdentity: String { "\(dates.groupingIdentity) of \(form)" }
  var titleIdentity: String { dates.titleIdentity }
  var dependencies: GroupingDependencies { dates.dependencies }
}
