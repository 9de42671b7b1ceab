import Foundation
import Testing

/// R138, R139: values, matches and panes of the real programs, printed.
@Suite("What each program adds to the full-screen list", .timeLimit(.minutes(2)))
struct BrowsedProgramTests {
  private func screen(
    _ run: ProgramRun,
    _ program: String,
    keys: String,
    _ size: String = "80x24"
  ) throws -> [String] {
    let arguments = [
      "browse", "--print", "--store", "store.sqlite", "--size", size, "--keys", keys,
    ]
    let result = try run.run(program, arguments)
    #expect(result.status == 0, "\(result)")
    return result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private func cursor(_ lines: [String]) -> String {
    lines.first { $0.hasPrefix(">") }.map { String($0.dropFirst(3)) } ?? ""
  }

  private func ledger() throws -> ProgramRun {
    let run = try ProgramRun()
    let rows = [
      ("2026-01-05", "-12.50", "food"), ("2026-02-07", "-1200.00", "rent"),
      ("2026-02-09", "2400.10", "pay"), ("2026-02-09", "-3.20", "food"),
      ("2026-03-01", "-12.50", "travel"),
    ]
    for (date, amount, category) in rows {
      let values = [
        "date=\(date)", "amount=\(amount)", "category=\(category)", "payee=\(category)",
      ]
      _ = try run.run("household-ledger", ["add", "--store", "store.sqlite"] + values)
    }
    return run
  }

  @Test func `R139: headers of the ledger show sums, and the totals show groups`() throws {
    let run = try ledger()
    let days = try screen(run, "household-ledger", keys: "")
    #expect(days.contains { $0.hasPrefix("▾ 2026-02-09") && $0.hasSuffix(" 2396.90  2") })
    let months = try screen(run, "household-ledger", keys: "Smonth\\r")
    #expect(months.contains { $0.hasPrefix("▾ 2026-02 ") && $0.hasSuffix(" 1196.90  3") })
    let totals = try screen(run, "household-ledger", keys: "t")
    #expect(totals.contains { $0.hasPrefix(">  balance") && $0.hasSuffix("1171.90") })
    #expect(totals.contains { $0.hasSuffix("-15.70  (2)") })
  }

  @Test func `R301: chosen columns are shown and searched, also values of related objects`() throws
  {
    let run = try ProgramRun()
    let store = ["--store", "store.sqlite"]
    for (title, author, language) in [("Emma", "Austen", "en"), ("Solaris", "Lem", "pl")] {
      let values = [
        "publisher=P", "title=\(title)", "author=\(author)", "language=\(language)", "year=1961",
        "tags=\(language); sf",
      ]
      _ = try run.run("book-catalog", ["add"] + store + values)
    }
    let usual = try screen(run, "book-catalog", keys: "/pl\\r")
    #expect(usual.contains { $0.contains("No books match “pl”") })
    let chosen = try screen(run, "book-catalog", keys: "/pl\\rClang\\ryear\\r\\e")
    #expect(chosen[1].split(separator: " ") == ["title▲", "author", "language"])
    #expect(chosen.contains { $0.contains("Solaris") && $0.contains("Lem") })
    #expect(!chosen.contains { $0.contains("Emma") })
    // The author comes back, under another order too.
    let again = try screen(run, "book-catalog", keys: "s-title\\r\\rCauth\\rauth\\r\\e")
    #expect(again[1].split(separator: " ") == ["title▼", "year", "author"])
    #expect(again.contains { $0.contains("Emma") && $0.contains("Austen") })
    let tagged = try screen(run, "book-catalog", keys: "Ctags\\ryear\\r\\e")
    #expect(tagged[1].split(separator: " ") == ["title▲", "author", "tags"])
    #expect(tagged.contains { $0.contains("Solaris") && $0.contains("pl; sf") })
    // A balance is read for a list that shows it alone.
    let ledger = try ledger()
    let hidden = try screen(ledger, "household-ledger", keys: "Cbalance\\r\\e")
    #expect(!hidden[1].contains("balance"))
    let back = try screen(ledger, "household-ledger", keys: "Cbal\\rbal\\r\\e")
    #expect(back[1].hasSuffix("balance") && back.contains { $0.hasSuffix(" 1171.90") })
  }

  @Test func `R138: a month goes to its first row in the order of the list`() throws {
    let run = try ledger()
    #expect(cursor(try screen(run, "household-ledger", keys: ":2026-02\\r")).hasPrefix("pay"))
    #expect(cursor(try screen(run, "household-ledger", keys: ":2026-01\\r")).hasPrefix("food"))
    let wrong = try screen(run, "household-ledger", keys: ":soon\\r")
    #expect(wrong.contains { $0.contains("date") && $0.contains("soon") })
  }

  @Test func `R138: a name, the next match, and the next row with a value of this one`() throws {
    let run = try ProgramRun()
    for (publisher, title, tags) in [
      ("新潮社", "a", ""), ("早川書房", "b", "SF; 海"), ("早川書房", "c", ""), ("東京創元社", "d", "SF"),
    ] {
      let values = ["publisher=\(publisher)", "title=\(title)", "tags=\(tags)"]
      _ = try run.run("book-catalog", ["add", "--store", "store.sqlite"] + values)
    }
    #expect(cursor(try screen(run, "book-catalog", keys: ":早川書房\\r")).hasPrefix("b"))
    let found = try screen(run, "book-catalog", keys: "*publisher\\rn")
    #expect(found.contains { $0.contains("No further row matches publisher=\"新潮社\".") })
    let next = try screen(run, "book-catalog", keys: "3G*publisher\\r")
    #expect(next[0].contains("4 books"))
    let tagged = try screen(run, "book-catalog", keys: "2G\\r", "80x40")
    #expect(tagged.contains { $0.hasPrefix("  tags") && $0.hasSuffix("SF; 海") })
  }

  @Test func `R135: between two keys, --print waits until the list shows what the first one did`()
    throws
  {
    let run = try ProgramRun()
    for number in 0..<6 {
      let values = ["title=t\(number)", "publisher=P"]
      _ = try run.run("book-catalog", ["add", "--store", "store.sqlite"] + values)
    }
    let deleted = try screen(run, "book-catalog", keys: "jdld")
    #expect(deleted[0].contains("4 books in 1"))
    #expect(cursor(deleted).hasPrefix("t3"))
    let undone = try screen(run, "book-catalog", keys: "jdldu")
    #expect(undone[0].contains("3 books in 1"))
    let all = try screen(run, "book-catalog", keys: "\u{1}d")
    #expect(all[0].contains("0 books"))
  }

  /// A catalog whose books have years against the order of their titles.
  private func catalog() throws -> ProgramRun {
    let run = try ProgramRun()
    for (title, author, year) in [
      ("a", "Zola", 2003), ("b", "Yates", 2001), ("Café", "Xu", 2002),
    ] {
      let values = ["publisher=P", "title=\(title)", "author=\(author)", "year=\(year)"]
      _ = try run.run("book-catalog", ["add", "--store", "store.sqlite"] + values)
    }
    return run
  }

  @Test func `R207: dd deletes one book and says so, and Esc keeps the order and the sections`()
    throws
  {
    let run = try catalog()
    let sorted = try screen(run, "book-catalog", keys: "Snone\\rs-year\\r  \\e\\e\\e")
    #expect(sorted[0].contains("by -year"), "\(sorted[0])")
    #expect(sorted.contains { $0.hasPrefix(" - usual order") })
    let usual = try screen(run, "book-catalog", keys: "Snone\\rs-year\\r-")
    #expect(usual[0].contains("by publisher ▸ title"))
    let deleted = try screen(run, "book-catalog", keys: "jdd")
    #expect(deleted[0].contains("2 books in 1"))
    #expect(deleted.contains { $0.hasPrefix(" deleted 1 book: u undoes.") })
  }

  @Test func `R207: a key that finds nothing to do hides no message`() throws {
    for key in ["b", "\u{12}", "-", "\\e", "i"] {
      let deleted = try screen(try catalog(), "book-catalog", keys: "jd\(key)\(key)")
      #expect(deleted.contains { $0.hasPrefix(" deleted 1 book: u undoes.") }, "\(deleted)")
    }
  }

  @Test func `R211: an order that would stay within sections is offered without them too`() throws {
    let run = try catalog()
    let offer = try screen(run, "book-catalog", keys: "s-year\\r")
    #expect(offer.contains { $0.hasPrefix(">  within publishers ") }, "\(offer)")
    #expect(offer.contains { $0.hasSuffix("  by publisher ▸ -year") })
    #expect(offer.contains { $0.hasPrefix("   without sections") })
    let within = try screen(run, "book-catalog", keys: "s-year\\r\\r")
    #expect(within[0].contains("by publisher ▸ -year"))
    let without = try screen(run, "book-catalog", keys: "s-year\\rwithout\\rg")
    #expect(without[0].contains("by -year  "), "\(without[0])")
    #expect(cursor(without).hasPrefix("a "))
    let back = try screen(run, "book-catalog", keys: "s-year\\r\\e")
    #expect(back[0].contains("by publisher ▸ title"))
    // The order of the sections themselves, and the usual one, fit.
    for order in ["publisher", "the usual"] {
      let fitting = try screen(run, "book-catalog", keys: "s\(order)\\r")
      #expect(fitting[0].contains("by publisher"))
      #expect(!fitting.contains { $0.contains("without sections") })
    }
  }

  @Test func `R211: an order that the sections of the ledger do not allow is offered with one`()
    throws
  {
    let run = try ledger()
    let offer = try screen(run, "household-ledger", keys: "s-amount\\r")
    #expect(offer.contains { $0.hasPrefix(">  within days ") }, "\(offer)")
    #expect(offer.contains { $0.hasPrefix("   without sections") })
    let within = try screen(run, "household-ledger", keys: "s-amount\\r\\r")
    let day = try #require(within.firstIndex { $0.hasPrefix("▾ 2026-02-09") })
    #expect(within[day + 1].contains("pay ") && within[day + 2].contains("food "), "\(within)")
    let without = try screen(run, "household-ledger", keys: "s-amount\\rwithout\\rg")
    #expect(cursor(without).hasPrefix("pay "), "\(without)")
    let months = try screen(run, "household-ledger", keys: "Smonth\\rs-amount\\r")
    #expect(months.contains { $0.hasPrefix(">  within months") && $0.contains("date, -amount") })
  }

  @Test func `R227: sections that the order does not allow are offered with one`() throws {
    let run = try ledger()
    let sorted = "s-amount\\rwithout\\r"
    let offer = try screen(run, "household-ledger", keys: sorted + "Smonth\\r")
    #expect(
      offer.contains { $0.hasPrefix(">  order by -date, then -amount  by month ▸ -date, -amount") },
      "\(offer)"
    )
    #expect(offer.contains { $0.hasPrefix("   order by -date alone ") })
    let both = try screen(run, "household-ledger", keys: sorted + "Smonth\\r\\r")
    #expect(both[0].contains("by month ▸ -date, "), "\(both)")
    #expect(both.contains { $0.hasPrefix("▾ 2026-02 ") })
    let alone = try screen(run, "household-ledger", keys: sorted + "Sday\\ralone\\r")
    #expect(alone[0].contains("by day ▸ -date "), "\(alone)")
    // What was there stays if neither is chosen, and sections that fit are shown at once.
    let back = try screen(run, "household-ledger", keys: sorted + "Smonth\\r\\e")
    #expect(back[0].contains("by -amount "))
    let fitting = try screen(run, "household-ledger", keys: sorted + "Scategory\\r")
    #expect(fitting[0].contains("by category ▸ -amo"), "\(fitting)")
  }

  @Test func `R211: a word is searched in what the list shows, and all: in the rest`() throws {
    let run = try ProgramRun()
    for (title, language, tags) in [("Signal", "german", "sea"), ("Signal german", "", "")] {
      let values = ["publisher=Pegasus", "title=\(title)", "language=\(language)", "tags=\(tags)"]
      _ = try run.run("book-catalog", ["add", "--store", "store.sqlite"] + values)
    }
    func count(_ filter: String, _ options: [String] = []) throws -> String {
      let arguments = ["browse", "--print", "--store", "store.sqlite", "--keys", "/\(filter)\\r"]
      let result = try run.run("book-catalog", arguments + options)
      let title = try #require(result.output.split(separator: "\n").first, "\(result)")
      let words = title.split(separator: " ")
      let noun = try #require(words.firstIndex { $0 == "book" || $0 == "books" }, "\(title)")
      return String(words[noun - 1])
    }
    #expect(try count("german") == "1")
    #expect(try count("all:german") == "2")
    #expect(try count("german", ["--columns", "title,language"]) == "2")
    #expect(try count("sea") == "0")
    #expect(try count("all:sea") == "1")
    let empty = try screen(run, "book-catalog", keys: "/sea")
    #expect(empty.contains("   A word is searched in what is shown; all:word searches everything."))
    // The titles of sections are shown too.
    #expect(try count("pegasus") == "2")
    #expect(try count("pegasus", ["--section-by", "none"]) == "0")
    #expect(try count("all:pegasus", ["--section-by", "none"]) == "2")
  }

  @Test func `R211: menus offer the names of related objects, and their keys only when typed`()
    throws
  {
    let run = try catalog()
    for key in ["s", "S"] {
      let menu = try screen(run, "book-catalog", keys: key, "80x40")
      #expect(menu.contains { $0.hasSuffix("   author") || $0.hasSuffix("  author") }, "\(menu)")
      #expect(!menu.contains { $0.contains("authorID") })
      let typed = try screen(run, "book-catalog", keys: "\(key)authorID", "80x40")
      #expect(typed.contains { $0.contains("  authorID") })
    }
    let sorted = try screen(run, "book-catalog", keys: "Snone\\rsauthor\\rg")
    #expect(sorted.contains { $0.hasPrefix(">  Café") }, "\(sorted)")
  }

  @Test func `R211: a word is found without its accents, and a year is a value where years are`()
    throws
  {
    let run = try catalog()
    #expect(try screen(run, "book-catalog", keys: "/cafe")[0].contains("1 book in 1"))
    let byYear = "Snone\\rsyear\\r"
    #expect(cursor(try screen(run, "book-catalog", keys: byYear + ":2002\\r")).hasPrefix("Café"))
    #expect(cursor(try screen(run, "book-catalog", keys: byYear + ":#3\\r")).hasPrefix("a"))
    let ledger = try ledger()
    _ = try ledger.run(
      "household-ledger",
      [
        "add", "--store", "store.sqlite", "date=2025-06-01", "amount=1", "category=old",
        "payee=old",
      ]
    )
    #expect(cursor(try screen(ledger, "household-ledger", keys: ":2025\\r")).hasPrefix("old"))
  }

  @Test func `R211: the help names only commands that have something to do`() throws {
    let run = try catalog()
    #expect(try !screen(run, "book-catalog", keys: "?demo").contains { $0.contains("demo books") })
    let empty = try ProgramRun()
    #expect(try screen(empty, "book-catalog", keys: "?demo").contains { $0.contains("demo books") })
  }

  @Test func `R211: keys without --print are refused`() throws {
    let run = try catalog()
    let result = try run.run("book-catalog", ["browse", "--store", "store.sqlite", "--keys", "jj"])
    #expect(result.status == 64)
    #expect(result.errors.contains("--keys are played by --print alone. Add --print."))
  }
}
