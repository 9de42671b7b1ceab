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
}
