package import ResultsDomain

/// A field of the forms in which rows are added and changed.
package struct FormField: Sendable {
  /// The name that the field has in the form and in the text for an editor.
  package var name: String
  /// Whether the field is the row's key, which is given when the row is added and never changes.
  package var isKey: Bool
  /// Returns what is wrong with a text and what to write instead, or `nil` for a text that is a value of the field.
  package var problem: @Sendable (String) -> String?

  /// Creates a field.
  package init(
    _ name: String,
    isKey: Bool = false,
    problem: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.name = name
    self.isKey = isKey
    self.problem = problem
  }
}

/// What a form is for.
package enum FormSubject: Hashable, Sendable {
  /// A new row.
  case new
  /// Rows that are in the store.
  case rows([ObjectID])
  /// All rows of a list.
  case all(BrowserChoice)
}

/// What a form begins with.
package struct FormContent: Sendable {
  /// The rows as they are stored, with a value for each field but the key; none for a new row.
  package var rows: [Row]
  /// The text of each field but the key; `nil` where the rows have several values.
  package var texts: [String?]

  /// Creates the content of a form.
  package init(rows: [Row], texts: [String?]) {
    self.rows = rows
    self.texts = texts
  }
}

/// The changed fields of a form, to be written.
package struct FormSubmission: Sendable {
  /// What is written where others have changed the rows since.
  package enum Policy: Hashable, Sendable {
    /// Nothing at all.
    case refuse
    /// The rows that others have not changed.
    case skip
    /// The row that others have deleted is added again.
    case addDeleted
  }

  /// What the form is for.
  package var subject: FormSubject
  /// The rows as the form knows them.
  package var begun: [Row]
  /// The texts of changed fields, by the fields' positions.
  package var texts: [Int: String]
  /// What to do about changes of others.
  package var policy: Policy

  /// Creates a submission.
  package init(
    _ subject: FormSubject,
    begun: [Row],
    texts: [Int: String],
    policy: Policy = .refuse
  ) {
    self.subject = subject
    self.begun = begun
    self.texts = texts
    self.policy = policy
  }
}

/// What became of a submission.
package enum FormOutcome: Sendable {
  /// It is stored. The message is a sentence; a row that was added is named.
  case saved(String, added: ObjectID? = nil)
  /// Nothing was written because of these fields, each with what is wrong and what to do.
  case invalid([Int: String])
  /// Nothing was written because others have changed the rows since.
  case conflict(FormConflict)
  /// Nothing was written, for a reason that is no field's.
  case failed(String)
}

/// What others did to rows while a form was open.
package enum FormConflict: Sendable {
  /// A field that the form changes, in the three versions.
  package struct Field: Hashable, Sendable {
    /// The position of the field.
    package var field: Int
    /// The text that the form began with, the text of what is stored now, and the text that the form would write.
    package var begun, stored, wished: String
    /// Whether others have changed it too.
    package var isChanged: Bool

    /// Creates a field in three versions.
    package init(_ field: Int, begun: String, stored: String, wished: String, isChanged: Bool) {
      self.field = field
      self.begun = begun
      self.stored = stored
      self.wished = wished
      self.isChanged = isChanged
    }
  }

  /// The row has other values now in fields that the form changes; all changed fields are given.
  case changed([Field], stored: Row)
  /// The row was deleted.
  case deleted
  /// Some of several rows were changed or deleted.
  /// - Parameters:
  ///   - changed: The number of those rows.
  ///   - stored: All rows of the form that are still there, as they are stored now.
  case several(changed: Int, stored: [Row])
}

/// Where a row would stand in a list after a form was saved.
package enum FormLanding: Hashable, Sendable {
  /// Between two rows of a section; `nil` where there is no row, and no section where the list has none.
  case between(Row?, Row?, section: String?)
  /// In a new section between two others, which are `nil` at the ends of the list.
  case newSection(String, between: String?, and: String?)
  /// Where it is.
  case same
  /// Nowhere: the list would not have it.
  case outside
  /// The reason why it cannot be said.
  case unknown(String)
}

/// A row as a form would store it, for finding where it would stand.
package struct FormDraft: Sendable {
  /// The row, with the values of its entity.
  package var row: Row
  /// The identity and the title of the section that it belongs to, if they are known.
  package var section: (id: Value, title: String)?

  /// Creates a draft.
  package init(_ row: Row, section: (id: Value, title: String)?) {
    self.row = row
    self.section = section
  }
}

/// What a program does for the forms of a browser; every closure blocks while the store is read or written.
package struct BrowserForms: Sendable {
  /// Reads what a form begins with.
  package let begin: @Sendable (FormSubject) throws -> FormContent
  /// Writes a submission.
  package let save: @Sendable (FormSubmission) throws -> FormOutcome
  /// Returns the row that a submission would store, for the list of a choice.
  package let draft: @Sendable (FormSubmission, BrowserChoice) throws -> FormDraft

  /// Creates the forms of a program; the closures throw `BrowserSource.Refusal` with a reason for the user.
  /// - Parameters:
  ///   - begin: Reads what a form begins with.
  ///   - save: Writes a submission, unless others have changed the rows.
  ///   - draft: Returns the row that a submission would store, without storing it.
  package init(
    begin: @escaping @Sendable (FormSubject) throws -> FormContent,
    save: @escaping @Sendable (FormSubmission) throws -> FormOutcome,
    draft: @escaping @Sendable (FormSubmission, BrowserChoice) throws -> FormDraft
  ) {
    self.begin = begin
    self.save = save
    self.draft = draft
  }
}
