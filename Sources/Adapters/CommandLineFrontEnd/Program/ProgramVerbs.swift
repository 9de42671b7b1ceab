public import ArgumentParser

/// The verbs that every program has.
public enum ProgramVerbs {
  /// The shared verbs of a program, in the order of its help; its own verbs go beside them.
  public static func all<Program: ListProgram>(
    of program: Program.Type
  ) -> [any ParsableCommand.Type] {
    [
      ListVerb<Program>.self, ShowVerb<Program>.self, WatchVerb<Program>.self,
      AddVerb<Program>.self, EditVerb<Program>.self, RemoveVerb<Program>.self,
      ImportVerb<Program>.self, ExportVerb<Program>.self, DoctorVerb<Program>.self,
      CacheVerb<Program>.self,
      StoryVerb<Program>.self,
    ]
  }

  /// How a program's root command is called and explained.
  public static func configuration<Program: ListProgram>(
    of program: Program.Type,
    verbs: [any ParsableCommand.Type]
  ) -> CommandConfiguration {
    CommandConfiguration(
      commandName: Program.name,
      abstract: Program.abstract,
      discussion: """
        '\(Program.name) help where' explains the conditions that --where takes.

        Exit status:
          0    success; an empty list too
          1    nothing matched, or only a part was done
          64   the command line was not understood
          65   data that is not understood, or refused
          66   input or a store that is missing or cannot be read
          70   a fault of the program itself
          73   a file that cannot be created
          74   reading or writing failed, or the disk is full
          75   the store is in use or has changed; try again
          78   the program is not set up
          141  nobody reads the output any more
        A signal that ends the program gives 128 and its number.
        """,
      version: "\(Program.name) \(ProgramVersion.current)",
      subcommands: verbs
    )
  }
}

/// What `help where` prints: the language of conditions.
enum PredicateHelp {
  /// The text for a program of a name.
  static func text(of program: String) -> String {
    """
    A condition chooses rows by their attributes, for example:
      \(program) list --where "ATTRIBUTE == 'text' AND NOT OTHER > 1990"

    Comparisons   ==  !=  <  <=  >  >=   BETWEEN 1 AND 9   IN (1, 2, 3)   == NULL   != NULL
    Texts         BEGINSWITH 'a'   CONTAINS 'a'   ENDSWITH 'a'   LIKE 'a*'
                  With [c] behind the word, as in CONTAINS[c] 'a', upper and lower case are the same.
    LIKE          matches the whole text: * stands for any characters, ? for exactly one;
                  % and _ are ordinary characters. \\\\* and \\\\? are the characters themselves.
    Combinations  AND   OR   NOT   ( )
    Constants     'text' or "text"   12   3.5   TRUE   FALSE   NULL   '2026-11-03' for a date
    Functions     lowercase(x)   uppercase(x)   length(x)   prefix(x, n)   bucket(x, n)   ifnull(x, v)
    Objects       SELF IN {1, 2} chooses by the id.

    Words of the language may be in any case. A name that looks like one goes between backticks.
    '\(program) add --help' lists the attributes.

    """
  }
}
