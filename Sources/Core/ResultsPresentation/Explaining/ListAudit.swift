/// What counting parts of a list again has found (R56, R58).
public struct ListAudit: Hashable, Sendable {
  /// How many blocks were counted again; none if the list holds its keys.
  public var checkedBlocks = 0
  /// How many of them had another number of rows than the list had counted; the list was then counted anew, and told as a reset.
  public var unsoundBlocks = 0

  /// Nothing was counted again.
  public init() {}
}
