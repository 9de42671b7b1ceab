/// Keeps texts of a file from being run as formulas by a spreadsheet that opens it.
enum FormulaGuard {
  /// The text, with an apostrophe in front if a spreadsheet could take it for a formula.
  static func guarded(_ text: String) -> String { beginsFormula(text) ? "'" + text : text }

  private static func beginsFormula(_ text: String) -> Bool {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "=", "+", "-", "@": return true
      // Their full-width and small forms, which spreadsheets take for them, and the minus sign.
      case "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return true
      case "\u{FE66}", "\u{FE62}", "\u{FE63}", "\u{FE6B}", "\u{2212}": return true
      // A tab or a line end in front is dropped by some of them.
      case "\u{0}"..."\u{1F}": return true
      // What is skipped or not seen.
      case "\u{200B}", "\u{2060}", "\u{FEFF}": continue
      case _ where scalar.properties.isWhitespace: continue
      default: return false
      }
    }
    return false
  }
}
