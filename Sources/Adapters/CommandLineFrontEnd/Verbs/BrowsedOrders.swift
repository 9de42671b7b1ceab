import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import ResultsPresentation

/// What an order means in a list with sections.
extension BrowsedLists {
  /// Returns what an order can mean that does not begin with the sections: an order within them, or one of all rows.
  @Sendable func orderOffers(_ choice: BrowserChoice) -> [BrowserOffer] {
    guard let sort = choice.sort, let definition = try? definition(of: choice),
      let key = definition.sectionKey
    else { return [] }
    let first = definition.request.sortDescriptors.first?.expression
    var within = choice
    switch key.source {
    case .expression(let expression, let order, _, _):
      guard first != expression, first != order else { return [] }
    case .transient(let source, _):
      // Such sections are made of rows that are in the order of a date.
      guard first?.description != source else { return [] }
      within.sort = "\(isAscending(source, in: choice) ? "" : "-")\(source),\(sort)"
    case .relationship: break
    }
    var without = choice
    without.sectionBy = "none"
    let sections = EnglishNoun.plural(of: key.name ?? sectionBy(choice) ?? "")
    return [
      BrowserOffer("within \(sections)", order: words(for: within), within),
      BrowserOffer("without sections", order: words(for: without), without),
    ]
  }

  /// Returns what sections can mean that do not fit the order that is chosen: they are made of rows in the order of a date or another
  /// attribute, with that order before the chosen one or in place of it.
  @Sendable func sectionOffers(_ choice: BrowserChoice) -> [BrowserOffer] {
    guard let sort = choice.sort ?? (try? base(of: choice))?.sort,
      let definition = try? definition(of: choice),
      case .transient(let source, _)? = definition.sectionKey?.source,
      definition.request.sortDescriptors.first?.expression.description != source
    else { return [] }
    let order = (isAscending(source, in: choice) ? "" : "-") + source
    var (both, alone) = (choice, choice)
    (both.sort, alone.sort) = ("\(order),\(sort)", order)
    return [
      BrowserOffer("order by \(order), then \(sort)", order: words(for: both), both),
      BrowserOffer("order by \(order) alone", order: words(for: alone), alone),
    ]
  }

  /// The section key and the order of a choice in words.
  private func words(for choice: BrowserChoice) -> String {
    guard let definition = try? definition(of: choice) else { return "" }
    return order(of: definition, sectionBy(choice), showing: []).words
  }

  private func sectionBy(_ choice: BrowserChoice) -> String? {
    choice.sectionBy ?? (try? base(of: choice))?.sectionBy
  }

  /// The saved lists with their order in words, or why they cannot be opened.
  var savedOffers: [BrowserOffer] {
    saved.map { list in
      var choice = BrowserChoice()
      choice.savedList = list.name
      do throws(BrowserSource.Refusal) {
        _ = try refusing { try definition(of: choice) }
        return BrowserOffer(list.name, order: words(for: choice), choice)
      } catch {
        return BrowserOffer(list.name, order: error.reason, choice)
      }
    }
  }

  /// Whether the sections of a choice ascend by an attribute while no order is chosen.
  private func isAscending(_ source: String, in choice: BrowserChoice) -> Bool {
    var usual = choice
    usual.sort = nil
    let first = (try? definition(of: usual))?.request.sortDescriptors.first
    return first?.expression.description == source && first?.direction == .ascending
  }
}

/// Words for several things, made of names in a schema.
enum EnglishNoun {
  /// Returns the plural of a name that is an ordinary word, and `each name` for any other.
  static func plural(of name: String) -> String {
    let letters = Array(name.utf8)
    let isWord = letters.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    guard isWord, let last = letters.last, last != UInt8(ascii: "s") else { return "each \(name)" }
    let vowels = "aeiou".utf8
    if last == UInt8(ascii: "y"), let before = letters.dropLast().last, !vowels.contains(before) {
      return name.dropLast() + "ies"
    }
    return name + (["x", "z", "ch", "sh"].contains { name.hasSuffix($0) } ? "es" : "s")
  }
}
