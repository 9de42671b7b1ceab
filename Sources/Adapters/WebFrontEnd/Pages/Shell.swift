#if Web
import ListBrowser
import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// Text of HTML that is made of markup written here and values that are always escaped.
struct HTMLText: ExpressibleByStringInterpolation, Sendable {
  /// The markup.
  private(set) var text: String

  /// Markup, written here.
  init(stringLiteral markup: String) { text = markup }

  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Puts markup and escaped values together.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends a value as text: nothing in it is markup.
    mutating func appendInterpolation(_ value: String) {
      for scalar in value.unicodeScalars {
        switch scalar {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "\"": text += "&quot;"
        case "'": text += "&#39;"
        case "\t": text += "\u{2409}"
        case "\n": text += "\u{240A}"
        case "\u{7F}": text += "\u{2421}"
        case "\u{0}"..."\u{1F}":
          text.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value) ?? " ")
        case "\u{80}"..."\u{9F}": text += "\u{FFFD}"
        default: text.unicodeScalars.append(scalar)
        }
      }
    }

    /// Appends markup.
    mutating func appendInterpolation(_ markup: HTMLText) { text += markup.text }

    /// Appends markup of several parts.
    mutating func appendInterpolation(_ markup: [HTMLText]) {
      for part in markup { text += part.text }
    }
  }
}

/// The pages that the server writes as HTML: the shell of the live page, and the list for paper.
enum Pages {
  /// Returns the page in which the script shows a list.
  static func shell(of site: Site) -> String {
    let hash = "\(WebAssets.hash)"
    let page: HTMLText = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(site.setup.file)</title>
      <link rel="icon" href="/assets/\(hash)/icon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="/assets/\(hash)/app.css">
      <script type="module" src="/assets/\(hash)/app.js"></script>
      </head>
      <body data-site="\(site.id)">
      <noscript><p>This page shows a live list by script. Without it, the list can be read
      <a href="/print?site=\(site.id)">as a table</a>.</p></noscript>
      <div id="app"></div>
      </body>
      </html>

      """
    return page.text
  }

  /// Returns a list as a table for paper.
  static func print(
    _ list: ResultsList<Row>,
    _ rows: [Row],
    running: [String]?,
    of setup: BrowserSetup,
    order: String
  ) -> String {
    let headings = setup.columns.map { column -> HTMLText in
      "<th scope=\"col\">\(column.title)</th>"
    }
    var body: [HTMLText] = []
    var section = -1
    for (position, row) in rows.enumerated() {
      if list.isSectioned, let index = list.snapshot.path(ofFlatPosition: position)?.section,
        index != section, let header = list.snapshot.header(ofSection: index)
      {
        let last = section
        section = index
        let count = "\(list.snapshot.rowCount(inSection: index) ?? 0)"
        let columns = "\(setup.columns.count)"
        if let group = list.snapshot.group(ofSection: index),
          group != list.snapshot.group(ofSection: last),
          let header = list.snapshot.header(ofGroup: group)
        {
          body.append(
            "<tr><th class=\"groupname\" scope=\"rowgroup\" colspan=\"\(columns)\">\(header.title.isEmpty ? "(none)" : header.title) <small>\("\(header.rowCount)")</small></th></tr>\n"
          )
        }
        body.append(
          "<tr><th scope=\"rowgroup\" colspan=\"\(columns)\">\(header.title.isEmpty ? "(none)" : header.title) <small>\(count)</small></th></tr>\n"
        )
      }
      let cells = setup.columns.enumerated().map { index, column -> HTMLText in
        let isRunning = setup.running?.index == index && running?.indices.contains(position) == true
        let text = WindowLines.bounded(isRunning ? running?[position] ?? "" : column.text(row))
        return column.alignment == .trailing
          ? "<td class=\"number\"><bdi>\(text)</bdi></td>" : "<td><bdi>\(text)</bdi></td>"
      }
      body.append("<tr>\(cells)</tr>\n")
    }
    let shown =
      rows.count == list.count
      ? "\(list.count) \(list.count == 1 ? setup.nouns.one : setup.nouns.many)"
      : "the first \(rows.count) of \(list.count) \(setup.nouns.many)"
    let page: HTMLText = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(setup.file)</title>
      <link rel="stylesheet" href="/assets/\("\(WebAssets.hash)")/app.css">
      </head>
      <body class="print">
      <h1>\(setup.file)</h1>
      <p>\(shown), \(order)</p>
      <table>
      <thead><tr>\(headings)</tr></thead>
      <tbody>
      \(body)</tbody>
      </table>
      </body>
      </html>

      """
    return page.text
  }
}
#endif
