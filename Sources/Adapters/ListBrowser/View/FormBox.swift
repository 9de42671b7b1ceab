import TerminalFrontEnd

/// The lines of an open form, laid out for a width, before they are drawn on a screen.
struct FormBox {
  /// Something that a line shows.
  enum Part {
    /// A field, by the index of its entry.
    case field(Int, columns: Range<Int>, name: Int)
    /// A text that is wrapped and safe.
    case text(String, column: Int, style: Style)
  }

  /// The parts of each line; columns count from the left edge of the inside.
  private(set) var lines: [[Part]] = []
  /// Lines below the others, which do not scroll with them.
  private(set) var pinned: [[Part]] = []
  /// The line of the field with the caret.
  private(set) var focus = 0

  /// The most columns that a field takes.
  private static let widest = 90
  /// The scalars of a message that are laid out.
  static let mostScalars = 2000
  /// The blanks between two fields side by side.
  private static let gap = 2
  /// The cells around a field's text: a blank, a mark, two brackets.
  static let frame = 4

  /// Returns the number of fields side by side.
  static func columns(entries: Int, width: Int) -> Int {
    max(min(entries, width >= 150 ? 3 : width >= 72 ? 2 : 1), 1)
  }

  /// Lays out the fields of a form, with a message below each that has one.
  init(fieldsOf form: BrowserForm, width: Int, _ measure: DisplayWidth) {
    let count = FormBox.columns(entries: form.entries.count, width: width)
    let share = (width - FormBox.gap * (count - 1)) / count
    let names = (0..<count).map { column in
      let widest =
        stride(from: column, to: form.entries.count, by: count).map { index in
          measure.columns(of: SafeText.oneLine(form.fields[form.entries[index].field].name))
        }.max() ?? 0
      return min(widest, max(share / 3, 4))
    }
    for first in stride(from: 0, to: form.entries.count, by: count) {
      let row = first..<min(first + count, form.entries.count)
      if row.contains(form.index) { focus = lines.count }
      lines.append(
        row.map { index in
          let column = index - first
          let start = column * (share + FormBox.gap)
          // The last one has what is left over, but no text needs a line of a wide screen.
          let end = min(column == count - 1 ? width : start + share, start + FormBox.widest)
          return .field(index, columns: start..<end, name: names[column])
        }
      )
      for index in row {
        let others = form.entries[index].others.map { "Others have stored “\($0)”; ^R takes it." }
        guard let problem = form.entries[index].problem ?? others else { continue }
        let name = form.fields[form.entries[index].field].name
        let indent = index == first ? names[0] + 3 : 0
        let texts = FormBox.wrapped(
          SafeText.oneLine(
            problem.first?.isLowercase == true ? "\(name) \(problem)" : "\(name): \(problem)",
            atMost: FormBox.mostScalars
          ),
          max(width - indent, 8),
          measure
        )
        for text in texts {
          let column = index == first ? indent : width - measure.columns(of: text)
          lines.append([.text(text, column: min(column, max(width - 8, 0)), style: .deleted)])
        }
      }
    }
    let deleted = "Others have deleted it. Enter offers to add it again."
    let reasons = (form.isDeleted ? [deleted] : []) + (form.reason.isEmpty ? [] : [form.reason])
    let reason = SafeText.oneLine(
      reasons.joined(separator: " "),
      atMost: FormBox.mostScalars
    )
    pinned = FormBox.wrapped(reason, width, measure).map {
      [.text($0, column: 0, style: Style(bold: true))]
    }
  }

  /// Lays out the three versions of the fields that a form would change.
  init(versions: [FormConflict.Field], of form: BrowserForm, width: Int, _ measure: DisplayWidth) {
    let titles = ["you began with", "stored now", "you would write"]
    let widest = versions.map { measure.columns(of: form.fields[$0.field].name) }.max() ?? 0
    let names = min(widest, max(width / 4, 4))
    let share = (width - names - 2) / 3
    guard share >= 14 else {
      for version in versions {
        let sign = version.isChanged ? "  !" : ""
        lines.append([
          .text(form.fields[version.field].name + sign, column: 0, style: Style(bold: true))
        ])
        let texts = [version.begun, version.stored, version.wished]
        for (title, text) in zip(["began", "stored", "yours"], texts) {
          let line =
            measure.fit(title, columns: 8)
            + SafeText.oneLine(text, atMost: BrowserSetup.Column.mostScalars)
          lines.append([.text(measure.cut(line, columns: width - 1), column: 1, style: Style())])
        }
      }
      return
    }
    func line(_ texts: [String], name: String, style: Style) -> [Part] {
      let all =
        [(name, 0, names)]
        + texts.enumerated().map { ($1, names + 2 + $0 * share, share - 1) }
      return all.map { text, column, room in
        .text(
          measure.cut(
            SafeText.oneLine(text, atMost: BrowserSetup.Column.mostScalars),
            columns: room
          ),
          column: column,
          style: style
        )
      }
    }
    lines.append(line(titles, name: "", style: Style(dim: true)))
    for version in versions {
      let stored = version.isChanged ? "\(version.stored)  !" : version.stored
      let wished = version.isChanged ? "\(version.wished)  !" : version.wished
      lines.append(
        line(
          [version.begun, stored, wished],
          name: form.fields[version.field].name,
          style: Style(bold: version.isChanged)
        )
      )
    }
  }

  /// Lays out a text.
  init(text: String, width: Int, _ measure: DisplayWidth) {
    lines = FormBox.wrapped(SafeText.oneLine(text), width, measure).map {
      [.text($0, column: 0, style: Style())]
    }
  }

  /// Returns a text in lines of at most a number of columns, broken at blanks where there are some.
  /// - Complexity: O(*n*) in the clusters.
  static func wrapped(_ text: String, _ columns: Int, _ measure: DisplayWidth) -> [String] {
    var lines: [String] = []
    var (line, used) = ("", 0)
    func end() {
      lines.append(line)
      (line, used) = ("", 0)
    }
    for word in text.split(separator: " ") {
      let width = measure.columns(of: String(word))
      if !line.isEmpty, used + 1 + width <= columns {
        line += " " + word
        used += 1 + width
        continue
      }
      if !line.isEmpty { end() }
      for cluster in word {
        let width = measure.columns(of: cluster)
        if used + width > columns, !line.isEmpty { end() }
        line.append(cluster)
        used += width
      }
    }
    if !line.isEmpty { end() }
    return lines
  }
}
