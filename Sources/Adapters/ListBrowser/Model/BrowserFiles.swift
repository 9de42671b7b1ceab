/// What a program does for files: it writes a list to one, and adds the rows of one to its store.
public struct BrowserFiles: Sendable {
  /// The formats in which lists are written, by the suffixes of their files' names.
  public var exportFormats: [String]
  /// The formats that are read, by the suffixes of their files' names; none if nothing can be added.
  public var importFormats: [String]
  /// Writes a list; it blocks while it reads, and throws `BrowserSource.Refusal` or the error of its output.
  public var export: @Sendable (BrowserExport, Output) async throws -> Void
  /// Adds the rows of a file in one transaction; it blocks, and throws `BrowserSource.Refusal` if nothing was added.
  public var add: @Sendable (BrowserImport, Progress) throws -> BrowserImport.Summary

  /// Takes the next part of a file; it may wait, and throws to end the writing.
  public typealias Output = @Sendable (String) throws -> Void
  /// Takes the number of records that have been read so far.
  public typealias Progress = @Sendable (Int) -> Void

  /// Creates the description of what a program does for files.
  public init(
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
public struct BrowserExport: Sendable {
  /// The list.
  public var choice: BrowserChoice
  /// One of the program's export formats.
  public var format: String
  /// Whether texts that a spreadsheet would run as formulas get an apostrophe.
  public var guardsFormulas: Bool

  /// Creates a request.
  public init(_ choice: BrowserChoice, format: String, guardsFormulas: Bool = false) {
    (self.choice, self.format, self.guardsFormulas) = (choice, format, guardsFormulas)
  }
}

/// A file whose rows are to be added.
public struct BrowserImport: Sendable {
  /// The content.
  public var bytes: [UInt8]
  /// The name of the file, for messages.
  public var name: String
  /// One of the program's import formats, or `nil` to go by the name and the content.
  public var format: String?
  /// Whether nothing is added, and only what would be is said.
  public var isDryRun: Bool
  /// Whether records that are not valid are left out, rather than refusing the file.
  public var skipsInvalid: Bool

  /// Creates a request.
  public init(
    _ bytes: [UInt8],
    name: String,
    format: String? = nil,
    isDryRun: Bool = false,
    skipsInvalid: Bool = false
  ) {
    (self.bytes, self.name, self.format) = (bytes, name, format)
    (self.isDryRun, self.skipsInvalid) = (isDryRun, skipsInvalid)
  }

  /// What was done with a file.
  public struct Summary: Sendable {
    /// What was done, in a line.
    public var message: String
    /// What was left out, and why: texts of the file, which need not be safe for a terminal.
    public var notes: [String]
    /// The number of rows that were added, or would be.
    public var added: Int

    /// Creates a summary.
    public init(_ message: String, notes: [String], added: Int) {
      (self.message, self.notes, self.added) = (message, notes, added)
    }
  }
}
