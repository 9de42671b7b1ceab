public import ArgumentParser
import Foundation
import ResultsDomain
import TerminalFrontEnd

/// `doctor`: says how the store is.
public struct DoctorVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "doctor", abstract: "Say where the store is and how it is.")
  }

  @OptionGroup var store: StoreOptions
  @OptionGroup var reader: ReaderOptions

  /// Makes the verb.
  public init() {}

  /// Examines.
  public func run() async throws {
    let settings = try reader.settings()
    let opened = try Program.openStore(try store.place(of: Program.name))
    var lines = ["store      \(opened.identity.name)"]
    lines.append("identity   \(opened.identity.uniqueName)")
    let capabilities = opened.capabilities
    lines.append("durable    \(capabilities.isDurable ? "yes" : "no")")
    lines.append("writable   \(capabilities.isReadOnly ? "no" : "yes")")
    switch capabilities.historyCoverage {
    case .everyWriter: lines.append("history    row by row, of every writer")
    case .thisStore:
      lines.append("history    row by row, of this process; others are found by reading again")
    }
    for entity in opened.entities {
      let count = try opened.read { (snapshot) throws(StoreError) in
        try snapshot.count(of: entity, where: .all)
      }
      lines.append(
        "entity     \(entity.name), \(count) objects, \(entity.attributes.count) attributes"
      )
    }
    lines.append("locale     \(settings.locale?.identifier ?? "C, plain forms")")
    lines.append("time zone  \(settings.timeZone.identifier)")
    lines += try Program.diagnose(opened)
    try opened.close()
    for line in lines { try TerminalOutput.standard.write(SafeText.oneLine(line) + "\n") }
  }
}
