import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// Prints what happened to a list as lines: a sign, the place, the row, and why it stands there now.
struct ChangePrinter {
  let columns: [ListColumn]
  let isColored: Bool
  let reader: ReaderSettings
  let output: TerminalOutput

  /// Prints one change.
  /// - Throws: `TerminalOutputError`.
  func print(_ change: ResultsChange<Row>) throws {
    let delta = change.delta
    for section in delta.sections.deletes {
      try line("-", .deleted, "section \(name(section.old))")
    }
    for section in delta.sections.inserts {
      try line("+", .inserted, "section \(name(section.new))")
    }
    for section in delta.sections.moves {
      try line(
        "→",
        .moved,
        "section \(name(section.new)) from \(section.from + 1) to \(section.to + 1)"
      )
    }
    for section in delta.sections.updates {
      try line("~", .updated, "section \(name(section.old)) is now \(name(section.new))")
    }
    for row in delta.rows.deletes {
      try line("-", .deleted, place(row.from.path, change.before), text(row.old, row.id))
    }
    for row in delta.rows.moves {
      let origin = sectionTitle(row.from.path, change.before)
      let here = sectionTitle(row.to.path, change.after)
      let reason = origin == here ? "from \(row.from.path)" : "from \(origin)"
      try line("→", .moved, place(row.to.path, change.after), text(row.new, row.id), reason)
    }
    for row in delta.rows.inserts {
      try line("+", .inserted, place(row.to.path, change.after), text(row.new, row.id))
    }
    for row in delta.rows.updates {
      let names = row.changed?.names(in: change.after.snapshot.entity)
      let reason = names.map { "changed \($0.joined(separator: ", "))" } ?? "changed"
      try line("~", .updated, place(row.to.path, change.after), text(row.new, row.id), reason)
    }
    try output.flush()
  }

  private func line(_ sign: String, _ style: Style, _ parts: String...) throws {
    let text = "\(sign) " + parts.filter { !$0.isEmpty }.joined(separator: "  ")
    let safe = SafeText.oneLine(text)
    try output.write((isColored ? style.applied(to: safe) : safe) + "\n")
  }

  private func name(_ header: SectionHeader) -> String {
    header.title.isEmpty ? "(none)" : header.title
  }

  private func sectionTitle(_ path: RowPath, _ results: ResultsList<Row>) -> String {
    results.snapshot.header(ofSection: path.section).map(name) ?? ""
  }

  private func place(_ path: RowPath, _ results: ResultsList<Row>) -> String {
    results.isSectioned ? "\(path) \(sectionTitle(path, results))" : "\(path)"
  }

  private func text(_ row: Row?, _ id: ObjectID) -> String {
    guard let row else { return id.description }
    let printer = ValuePrinter(for: reader)
    return columns.map { $0.text(row, printer) }.filter { !$0.isEmpty }.joined(separator: " · ")
  }
}
