/// The version of the programs of this package.
public enum ProgramVersion {
  /// What `--version` prints.
  public static let current = "0.1.0"
}
