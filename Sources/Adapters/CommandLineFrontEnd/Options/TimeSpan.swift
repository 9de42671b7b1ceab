public import ArgumentParser

/// A length of time as people write it: `500ms`, `2s`, `1.5s`, `1m`, or a number of seconds.
public struct TimeSpan: ExpressibleByArgument, Sendable, CustomStringConvertible {
  /// The length of time.
  public let duration: Duration

  /// A length of time.
  public init(_ duration: Duration) { self.duration = duration }

  /// Reads a length of time, or gives `nil` if it is none.
  public init?(argument: String) {
    let units: [(suffix: String, milliseconds: Double)] = [
      ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("", 1000),
    ]
    for unit in units where argument.hasSuffix(unit.suffix) {
      let number = argument.dropLast(unit.suffix.count)
      // Plain digits only: Double would also take 0x10, 1e3 and nan.
      guard number.utf8.first != UInt8(ascii: "."),
        number.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
        let value = Double(number), value * unit.milliseconds < 1e12
      else { continue }
      duration = .microseconds(Int64(value * unit.milliseconds * 1000))
      return
    }
    return nil
  }

  /// The length of time in seconds.
  public var description: String { "\(duration)" }
  /// What help shows as the default.
  public var defaultValueDescription: String { "\(duration.components.seconds)s" }
}
