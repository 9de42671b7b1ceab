/// When output is coloured.
public enum ColorChoice: String, CaseIterable, Hashable, Sendable {
  /// On a terminal that can, unless the environment says otherwise.
  case auto
  /// Also on a pipe.
  case always
  /// Not at all.
  case never

  /// Whether to colour, given the environment and where the output goes.
  ///
  /// For ``auto``, in this order: `NO_COLOR` with any content forbids colour (no-color.org), `CLICOLOR_FORCE` other
  /// than empty or `0` demands it (bixense.com/clicolors), `TERM` missing or `dumb` and `CLICOLOR=0` forbid it;
  /// otherwise a terminal is coloured.
  public func isEnabled(environment: [String: String], isTerminal: Bool) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty } ?? false }
    if isSet("NO_COLOR") { return false }
    if isSet("CLICOLOR_FORCE"), environment["CLICOLOR_FORCE"] != "0" { return true }
    guard isTerminal, isSet("TERM"), environment["TERM"] != "dumb" else { return false }
    return environment["CLICOLOR"] != "0"
  }
}
