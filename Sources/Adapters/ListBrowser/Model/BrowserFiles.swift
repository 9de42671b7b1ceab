/// What a program does for files: it writes a list to one, and adds the rows of one to its store.
package struct BrowserFiles: Sendable {
  /// The formats in which lists are written, by the suffixes of their files' names.
  package var exportFormats: [String]
  /// The formats that are read, by the suffixes of their files' names; none if nothing can be added.
  package var importFormats: [String]
  /// Returns the names of the imports whose options are saved, such as how columns become fields.
  package var mappings: @Sendable () -> [String] = { [] }
  /// Writes a list; it blocks while it reads, and throws `BrowserSource.Refusal` or the error of its output.
  package var export: @Sendable (BrowserExport, Output) async throws -> Void
  /// Adds the rows of a file in one transaction; it blocks, and throws `BrowserSource.Refusal` if nothing was added.
  package var add: @Sendable (BrowserImport, Progress) throws -> BrowserImport.Summary

  /// Takes the next part of a file; it may wait, and throws to end the writing.
  package typealias Output = @Sendable (String) throws -> Void
  /// Takes the number of records that have been read so far.
  package typealias Progress = @Sendable (Int) -> Void

  /// Creates the description of what a program does for files.
  package init(
    exportFormats: [String],
    importFormats: [String],
    export: @escaping @Sendable (BrowserExport, Output) async throws -> Void,
    add: @escaping @Sendable (BrowserImport, Progress) throws -> BrowserImport.Summary
  ) {
    (self.exportFormats, self.importFormats) = (exportFormats, importFormats)
    (self.export, self.add) = (export, add)
  }
}

/// A list to be written to a file.
package struct BrowserExport: Sendable {
  /// The list.
  package var choice: BrowserChoice
  /// One of the program's export formats.
  package var format: String
  /// Whether texts that a spreadsheet would run as formulas get an apostrophe.
  package var guardsFormulas: Bool

  /// Creates a request.
  package init(_ choice: BrowserChoice, format: String, guardsFormulas: Bool = false) {
    (self.choice, self.format, self.guardsFormulas) = (choice, format, guardsFormulas)
  }
}

/// A file whose rows are to be added.
package struct BrowserImport: Sendable {
  /// The content.
  package var bytes: [UInt8]
  /// The name of the file, for messages.
  package var name: String
  /// One of the program's import formats, or `nil` to go by the name and the content.
  package var format: String?
  /// The name of the saved import whose options are used, or `nil` for none.
  package var mapping: String?
  /// Whether nothing is added, and only what would be is said.
  package var isDryRun: Bool
  /// Whether records that are not valid are left out, rather than refusing the file.
  package var skipsInvalid: Bool

  /// Creates a request.
  package init(
    _ bytes: [UInt8],
    name: String,
    format: String? = nil,
    mapping: String? = nil,
    isDryRun: Bool = false,
    skipsInvalid: Bool = false
  ) {
    (self.bytes, self.name, self.format) = (bytes, name, format)
    self.mapping = mapping
    (self.isDryRun, self.skipsInvalid) = (isDryRun, skipsInvalid)
  }

  /// What was done with a file.
  package struct Summary: Sendable {
    /// What was done, in a line.
    package var message: String
    /// What was left out, and why: texts of the file, which need not be safe for a terminal.
    package var notes: [String]
    /// The number of rows that were added, or would be.
    package var added: Int

    /// Creates a summary.
    package init(_ message: String, notes: [String], added: Int) {
      (self.message, self.notes, self.added) = (message, notes, added)
    }
  }
}
