import ResultsStoreKit
import ArgumentParser
import ProgramFrontEnd
import TerminalFrontEnd

/// The hidden verb that bash asks what the word at the cursor can become; `StoredValues` says how its reading is bounded.
struct CompletionVerb<Program: ListProgram>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: BashCompletion.verbName,
      abstract: "Print what the last word of a command line can become.",
      shouldDisplay: false
    )
  }

  @Argument(help: "The command line up to the cursor.")
  var line: String
  @Argument(help: "The end of it that bash replaces.")
  var replaced: String

  func run() throws {
    let line = ShellWords(line)
    let completion = AssignmentCompletion<Program>(
      words: Array(line.words.dropFirst()),
      typed: line.last.text
    )
    for word in completion.candidates {
      guard let insertion = line.insertion(of: word, replacing: replaced) else { continue }
      try TerminalOutput.standard.write(insertion + "\n")
    }
  }
}

/// What bash needs besides the script of the argument parser, which would split values at blanks and expand them.
enum BashCompletion {
  /// The name of the hidden verb that completes words.
  static let verbName = "complete-word"

  /// The functions for a program; they follow the script of the argument parser, and call it for all other words.
  static func script(for program: String) -> String {
    """

    __\(program)_complete_word() {
        local word
        COMPREPLY=()
        [[ "${COMP_WORDS[1]}" = add || "${COMP_WORDS[1]}" = edit ]] || return 1
        while IFS='' read -r word; do
            COMPREPLY+=("${word}")
        done < <("${1}" \(verbName) -- "${COMP_LINE:0:COMP_POINT}" "${2}" 2>/dev/null)
        [[ "${#COMPREPLY[@]}" -gt 0 ]] || return 1
        # The words are quoted already, and a value follows the name of an attribute.
        compopt +o filenames 2>/dev/null
        [[ "${COMPREPLY[0]}" != *= ]] || compopt -o nospace 2>/dev/null
        return 0
    }

    _\(program)_or_word() {
        __\(program)_complete_word "${@}" || _\(program) "${@}"
    }

    complete -o filenames -F _\(program)_or_word \(program)
    """
  }
}
