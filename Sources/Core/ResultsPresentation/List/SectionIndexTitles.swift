import ResultsDomain

/// The index titles of a list, such as the letters beside an address book, and the sections they jump to (R23, R24).
public struct SectionIndexTitles: Hashable, Sendable {
  /// The titles in the order of the sections; equal neighbours share one entry.
  public let titles: [String]
  /// For each title, the index of the first section it stands for.
  public let sections: [Int]

  /// Collects the index titles of sections in order.
  ///
  /// - Parameters:
  ///   - sectionTitles: The index title of each section.
  ///   - collapsesRepeats: Whether neighbouring sections with one index title share an entry.
  public init(of sectionTitles: [String], collapsesRepeats: Bool = true) {
    var (titles, sections) = ([String](), [Int]())
    for (section, title) in sectionTitles.enumerated()
    where !collapsesRepeats || titles.last.map({ Value.text($0) != .text(title) }) ?? true {
      titles.append(title)
      sections.append(section)
    }
    self.titles = titles
    self.sections = sections
  }

  /// Returns the section an index title jumps to: its first, or for a title that is not listed the nearest before it.
  ///
  /// ```swift
  /// let titles = SectionIndexTitles(of: results.sections.map(\.indexTitle))
  /// if let section = titles.section(forIndexTitle: "N") { draw(section) }
  /// ```
  /// - Returns: `nil` only if there are no sections.
  public func section(forIndexTitle title: String) -> Int? {
    if let index = titles.firstIndex(where: { Value.text($0) == .text(title) }) {
      return sections[index]
    }
    var best: (title: String, section: Int)?
    for (candidate, section) in zip(titles, sections)
    where Value.compare(.text(candidate), .text(title)) == .ascending {
      if best.map({ Value.compare(.text($0.title), .text(candidate)) == .ascending }) ?? true {
        best = (candidate, section)
      }
    }
    return best?.section ?? sections.first
  }

  /// Returns the default index title of a section title: its first character, uppercased, or `#` if it is not a letter.
  public static func standard(forTitle title: String) -> String {
    guard let first = title.first, first.isLetter else { return "#" }
    return first.uppercased()
  }
}

extension ResultsList {
  /// The index titles of the sections.
  /// - Complexity: O(*s* log *n*) in the sections, and their titles' own cost.
  public var sectionIndexTitles: SectionIndexTitles {
    SectionIndexTitles(of: sections.map(\.indexTitle))
  }

  func indexTitle(forTitle title: String) -> String {
    snapshot.plan.sectionKey?.indexTitle?(title) ?? SectionIndexTitles.standard(forTitle: title)
  }
}
