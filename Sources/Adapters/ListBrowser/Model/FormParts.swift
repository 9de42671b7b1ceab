package import ResultsDomain
package import ResultsStoreKit

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

/// A row as a form knows it.
package struct FormRow: Hashable, Sendable {
  /// The row as it was stored; an edit is based on it.
  package var stored: Row
  /// Its values as the fields show them, such as names of related objects in place of their keys.
  package var shown: Row

  /// Creates a row.
  package init(stored: Row, shown: Row) { (self.stored, self.shown) = (stored, shown) }
}

/// What a form shows besides what is typed in it: at first, and whenever the store has changed.
package struct FormContent: Sendable {
  /// The rows on which edits are based; none for a new row.
  ///
  /// They are those that are stored, but fields that are typed in have the values that they had when typing began.
  package var rows: [FormRow]
  /// The text of each field but the key; `nil` where the rows have several values.
  package var texts: [String?]
  /// What others have stored in fields that are typed in too, by the fields' positions.
  package var conflicts: [Int: String]
  /// Whether the row has been deleted by others.
  package var isDeleted: Bool

  /// Creates the content of a form.
  package init(
    rows: [FormRow],
    texts: [String?],
    conflicts: [Int: String] = [:],
    isDeleted: Bool = false
  ) {
    self.rows = rows
    self.texts = texts
    self.conflicts = conflicts
    self.isDeleted = isDeleted
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
  package var begun: [FormRow]
  /// The texts of changed fields, by the fields' positions.
  package var texts: [Int: String]
  /// What to do about changes of others.
  package var policy: Policy

  /// Creates a submission.
  package init(
    _ subject: FormSubject,
    begun: [FormRow],
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
  case changed([Field], stored: FormRow)
  /// The row was deleted.
  case deleted
  /// Some of several rows were changed or deleted.
  /// - Parameters:
  ///   - changed: The number of those rows.
  ///   - stored: All rows of the form that are still there, as they are stored now.
  case several(changed: Int, stored: [FormRow])
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

/// What is typed in a form, in its draft.
package struct FormDraft: Sendable {
  /// A row of the draft, for finding where it would stand.
  package struct Edited: Sendable {
    /// The row, with the values of its entity.
    package var row: Row
    /// Its identity in the list: that of a new row without a key comes after all others.
    package var id: ObjectID
    /// The draft, which has related objects that are new too; `nil` if there are none.
    package var store: DraftStore?
    /// Returns the title of a section of the list.
    package var title: @Sendable (Value) -> String

    /// Creates a row of a draft.
    package init(
      _ row: Row,
      as id: ObjectID,
      in store: DraftStore?,
      title: @escaping @Sendable (Value) -> String
    ) {
      self.row = row
      self.id = id
      self.store = store
      self.title = title
    }
  }

  /// What the form shows besides what is typed.
  package var content: FormContent
  /// The row as it would be stored, or the reason why there is none.
  package var edited: Result<Edited, BrowserSource.Refusal>

  /// Creates what is typed in a form.
  package init(_ content: FormContent, _ edited: Result<Edited, BrowserSource.Refusal>) {
    self.content = content
    self.edited = edited
  }
}

/// An open form: what is typed in it is in a draft over the store, which ends with it.
///
/// Every closure but the last blocks while the store is read or written.
package struct OpenForm: Sendable {
  /// Reads what the form begins with.
  package var begin: @Sendable () throws -> FormContent
  /// Writes what is typed into the draft, for the list of a choice.
  package var draft: @Sendable (FormSubmission, BrowserChoice) throws -> FormDraft
  /// Commits a submission, unless others have changed the rows.
  package var save: @Sendable (FormSubmission) throws -> FormOutcome
  /// Returns a stream of notifications that the store may have changed.
  package var changes: @Sendable () -> AsyncStream<Void>

  /// Creates an open form; the closures throw `BrowserSource.Refusal` with a reason for the user.
  package init(
    begin: @escaping @Sendable () throws -> FormContent,
    draft: @escaping @Sendable (FormSubmission, BrowserChoice) throws -> FormDraft,
    save: @escaping @Sendable (FormSubmission) throws -> FormOutcome,
    changes: @escaping @Sendable () -> AsyncStream<Void>
  ) {
    self.begin = begin
    self.draft = draft
    self.save = save
    self.changes = changes
  }
}

/// What a program does for the forms of a browser.
package struct BrowserForms: Sendable {
  /// Opens a form.
  package let open: @Sendable (FormSubject) -> OpenForm

  /// Creates the forms of a program.
  /// - Parameter open: Opens a form; nothing is read yet.
  package init(open: @escaping @Sendable (FormSubject) -> OpenForm) { self.open = open }

  /// Reads what a form begins with.
  /// - Throws: `BrowserSource.Refusal` with a reason for the user.
  package func begin(_ subject: FormSubject) throws -> FormContent { try open(subject).begin() }

  /// Writes a submission, unless others have changed the rows.
  /// - Throws: `BrowserSource.Refusal` with a reason for the user.
  package func save(_ submission: FormSubmission) throws -> FormOutcome {
    try open(submission.subject).save(submission)
  }
}
