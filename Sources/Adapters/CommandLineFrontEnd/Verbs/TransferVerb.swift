package import ArgumentParser
package import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// `transfer AMOUNT from=… to=…`: adds both sides of a transfer, in one transaction.
package struct TransferVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "transfer",
      abstract: "Move an amount from one \(party) to another.",
      usage:
        "\(Program.command) transfer AMOUNT from=\(party.uppercased()) to=\(party.uppercased()) [options]",
      discussion: Program.discussion(
        """
        It adds two \(Program.nouns.many) that belong together: they are changed and removed together. Other values are given as for \
        'add'; without a date it is that of today.
        """,
        examples: "transfer 50 from=bank to=cash",
        "transfer 50 from=bank to=cash date=2026-11-20 memo=holidays"
      )
    )
  }

  private static var party: String { Program.fields.linked?.party ?? "party" }

  @Argument(help: "The amount, more than zero.")
  var amount: String
  @Argument(
    help: "from=NAME, to=NAME, and other values as ATTRIBUTE=VALUE.",
    completion: AssignmentCompletion<Program>.kind
  )
  var values: [String] = []

  @OptionGroup var store: StoreOptions
  @OptionGroup var locale: LocaleOptions

  /// Creates the verb.
  package init() {}

  /// Adds both sides.
  package func run() async throws {
    let fields = Program.fields
    let form = fields.form
    guard let linked = fields.linked, let party = form.index(of: linked.party),
      let number = form.index(of: linked.number), let sum = form.index(of: linked.amount)
    else { return }
    let settings = try locale.settings()
    let (from, to) = (try name("from"), try name("to"))
    guard !from.hasSameBytes(as: to) else {
      throw CommandFailure(
        .usage,
        "A transfer is from one \(linked.party) to another, and both are “\(from)”.",
        remedy: "Name two."
      )
    }
    var words = values.filter {
      !$0.utf8.starts(with: "from=".utf8) && !$0.utf8.starts(with: "to=".utf8)
    }
    if let time = Program.timeAttribute,
      !words.contains(where: { $0.utf8.starts(with: "\(time)=".utf8) })
    {
      words.append("\(time)=today")
    }
    let assignments = try Assignments(
      words + ["\(linked.amount)=\(amount)"],
      of: form,
      for: settings
    )
    try assignments.check(for: Program.self)
    var row = form.attributes.map { $0.isOptional || $0.type != .text ? Value.null : .text("") }
    assignments.apply(to: &row)
    guard case .integer(1...) = row[sum], let negative = LinkedRows.opposite(of: row[sum]) else {
      throw CommandFailure(
        .usage,
        "A transfer is of more than zero, not of \(amount).",
        remedy: "Exchange from and to for the other direction."
      )
    }
    let sides = [(from, to, negative), (to, from, row[sum])].map { own, other, units in
      var side = row
      (side[party], side[sum]) = (.text(own), units)
      for (index, attribute) in form.attributes.enumerated()
      where attribute.name == Program.columns.first && side[index] == .text("") {
        side[index] = .text(other)
      }
      return side
    }
    let opened = try Program.openStore(try store.location(of: Program.name))
    let title = "added a transfer: \(([amount] + values).joined(separator: " "))"
    let ids = try Program.command(title, in: opened).commit(origin: .unnamed) { transaction in
      let next = try fields.nextNumber(in: transaction)
      var objects = NamedObjects()
      var sides = sides
      try fields.shareQualifiers(of: &sides, in: transaction, finding: &objects)
      let ids = try sides.map { side throws(StoreError) -> ObjectID in
        var side = side
        side[number] = .integer(next)
        return try fields.insert(side, key: nil, into: transaction, finding: &objects)
      }
      let stored = try transaction.rows(ids.map(\.key), of: Program.entity).compactMap(\.self)
      let shown = try fields.rows(stored, in: transaction)
      for qualifier in fields.named where qualifier.isQualifier {
        guard shown[0][qualifier.name] == shown[1][qualifier.name] else {
          throw CommandFailure(
            .usage,
            "\(from) and \(to) have different values of \(qualifier.name), which are not converted.",
            remedy: "Nothing was added. Add one \(Program.nouns.one) for each with 'add'."
          )
        }
      }
      return ids
    }.result
    try opened.close()
    let added = ids.map { "\($0)" }.joined(separator: " and ")
    try TerminalOutput.standard.write("added \(SafeText.oneLine(added))\n")
  }

  private func name(_ word: String) throws(CommandFailure) -> String {
    let found = values.filter { $0.utf8.starts(with: "\(word)=".utf8) }
    guard found.count == 1, found[0].utf8.count > word.utf8.count + 1 else {
      throw CommandFailure(
        .usage,
        "A transfer needs one \(word)=NAME.",
        remedy: "For example: \(Program.command) transfer 50 from=bank to=cash"
      )
    }
    return String(decoding: found[0].utf8.dropFirst(word.utf8.count + 1), as: UTF8.self)
  }
}
