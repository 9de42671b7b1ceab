import ArgumentParser
import Foundation
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// What a word of `add` or `edit` can become: names of attributes, and values that the store has.
///
/// The store is opened as `list` opens it. One that is missing, locked or damaged offers nothing, and nothing is said: a message would
/// stand in the middle of the line that is typed.
struct AssignmentCompletion<Program: ListProgram> {
  /// How long to wait for another writer.
  private static var busyTimeout: Duration { .milliseconds(100) }

  private let typed: String
  private let isAssignment: Bool
  private var usedNames: Set<String> = []
  private var storeOptions: [String] = []

  /// Reads a command line.
  /// - Parameters:
  ///   - words: The words before the one that is typed, beginning with the verb.
  ///   - typed: The word that is typed.
  init(words: [String], typed: String) {
    self.typed = typed
    let options = AssignmentCompletion.options(of: words.first)
    var (awaited, positionals, isTerminated): (String?, Int, Bool) = (nil, 0, false)
    for word in words.dropFirst() {
      let name = word.prefix { $0 != "=" }
      if let option = awaited {
        awaited = nil
        if StoreOption(rawValue: option) != nil { storeOptions += [option, word] }
      } else if isTerminated || !word.hasPrefix("-") {
        positionals += 1
        if name.count < word.count { usedNames.insert(String(name)) }
      } else if word == "--" {
        isTerminated = true
      } else if word == "--no-config" || StoreOption(rawValue: String(name)) != nil && name != word
      {
        storeOptions.append(word)
      } else if options.contains(word) {
        awaited = word
      }
    }
    let isFirst = words.first == "edit" && positionals == 0
    isAssignment =
      ["add", "edit"].contains(words.first) && awaited == nil && !isFirst
      && (isTerminated || !typed.hasPrefix("-"))
  }

  /// The options that decide which store is read, and have a value.
  private enum StoreOption: String {
    case store = "--store"
    case busyTimeout = "--busy-timeout"
  }

  /// The options of a verb that have a value.
  private static func options(of verb: String?) -> Set<String> {
    let command =
      verb == "edit"
      ? try? CommandDescription.of(EditVerb<Program>.self)
      : try? CommandDescription.of(AddVerb<Program>.self)
    let named = (command?.options ?? []).filter { !$0.isFlag && !$0.isPositional }
    return Set(named.compactMap(\.longName).map { "--\($0)" })
  }

  /// What the word can become: whole words, as the program would get them.
  var candidates: [String] {
    guard isAssignment else { return [] }
    let form = Program.fields.form
    guard let mark = typed.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      return form.attributes.map(\.name)
        .filter { !usedNames.contains($0) && $0.utf8.starts(with: typed.utf8) }.map { $0 + "=" }
    }
    let name = String(typed[..<mark])
    let text = String(typed[typed.utf8.index(after: mark)...])
    guard let index = form.index(of: name) else { return [] }
    switch form.attributes[index].type {
    case .text: return values(of: name, text).map { "\(name)=\($0)" }
    case .boolean:
      return ["false", "true"].filter { $0.hasPrefix(text) }.map { "\(name)=\($0)" }
    default: return []
    }
  }

  private func values(of name: String, _ text: String) -> [String] {
    let named = Program.fields.relationship(named: name)
    let related = named.flatMap {
      Program.entity.relationship(named: $0.relationship)?.destination
    }
    guard let named, let related else {
      let order = Program.definition(for: .machine).request.sortDescriptors
      return stored(name, of: Program.entity, text, orders: [order])
    }
    guard named.isToMany else { return stored(named.attribute, of: related, text) }
    let mark = text.utf8.lastIndex(of: UInt8(ascii: ";")).map { text.utf8.index(after: $0) }
    let start = mark.map { mark in text[mark...].firstIndex { $0 != " " } ?? text.endIndex }
    let before = String(text[..<(start ?? text.startIndex)])
    let used = Set(JoinedNames.names(in: before).map { Value.text($0) })
    return stored(named.attribute, of: related, String(text[(start ?? text.startIndex)...]))
      .filter { !used.contains(.text($0)) }
      .compactMap { JoinedNames.value(of: [$0]).text.map { before + $0 } }
  }

  private func stored(
    _ name: String,
    of entity: EntityDescription,
    _ beginning: String,
    orders: [[FetchSortDescriptor]] = []
  ) -> [String] {
    guard let location = try? location, !location.isInMemory,
      let store = try? Program.openStore(location)
    else { return [] }
    defer { try? store.close() }
    let values = try? store.read { (snapshot) throws(StoreError) in
      try StoredValues.of(
        name,
        of: entity,
        beginningWith: beginning,
        orders: orders,
        in: snapshot
      )
    }
    return values ?? []
  }

  /// The store of the command line, or of the configuration file; it must exist.
  private var location: StoreLocation {
    get throws {
      let arguments = try ConfigurationFile.arguments(
        addingTo: storeOptions,
        of: ListVerb<Program>.self,
        Program.self,
        environment: ProcessInfo.processInfo.environment
      )
      let options = try ReadingStoreOptions.parse(arguments + ["--read-only"])
      // For reading only, a default store that does not exist is an error instead of a message.
      let address = try options.existingLocation(of: Program.self).address
      var location = StoreLocation(address, isReadOnly: false, busyTimeout: Self.busyTimeout)
      location.onlyReads = true
      location.mayAsk = false
      return location
    }
  }
}

extension AssignmentCompletion {
  /// The completion of zsh and fish, which quote what they insert; bash asks `CompletionVerb` for quoted words.
  static var kind: CompletionKind {
    .custom { words, index, _ in
      guard let shell = CompletionShell.requesting, shell != .bash, words.indices.contains(index)
      else { return [] }
      let plain = words[...index].map { ShellWords($0).last.text }
      let candidates = AssignmentCompletion(
        words: Array(plain.dropFirst().dropLast()),
        typed: plain[index]
      ).candidates
      // In zsh a description follows a colon.
      return shell == .zsh ? candidates.map(ShellWords.beforeDescription) : candidates
    }
  }
}
