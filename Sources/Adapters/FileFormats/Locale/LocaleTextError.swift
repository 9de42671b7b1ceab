/// Why a text is not understood as a number or a date.
public struct LocaleTextError: Error, Hashable, Sendable {
  /// What is wrong, without the place it came from.
  public var message: String
  /// What to do.
  public var remedy: String

  /// Why a text is not understood.
  public init(message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }
}

extension LocaleTextError: CustomStringConvertible {
  /// What is wrong and what to do.
  public var description: String { "\(message) \(remedy)" }
}
