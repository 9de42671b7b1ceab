import FileFormats
import Foundation
import ProgramFrontEnd

/// A file that a user may write: settings in lines, and comments.
enum UserFile {
  /// The largest file that is read, in bytes.
  private static let largestSize = 1 << 20

  /// Reads the lines of a file, without those that are empty or comments.
  /// - Parameters:
  ///   - path: The whole path.
  ///   - remedy: What to do instead of mending the file, as the end of a sentence.
  /// - Returns: The lines without blanks at their ends, with their numbers from 1.
  /// - Throws: `CommandFailure` for a file that cannot be read, or is no text.
  static func lines(
    of path: String,
    or remedy: String
  ) throws(CommandFailure) -> [(number: Int, text: String)] {
    var bytes: [UInt8]?
    do {
      bytes = try RecordFile.read(path: path, maximumBytes: largestSize).bytes
    } catch  where error.code != 0 {
      throw CommandFailure(
        .configuration,
        "\(path) cannot be read.",
        remedy: "Make it a file that you may read, or \(remedy)."
      )
    } catch {}
    guard let bytes, let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure(
        .configuration,
        "\(path) is not a text in UTF-8 of at most a megabyte.",
        remedy: "Write it again, or \(remedy)."
      )
    }
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line in
      let content = line.last == 0x0D ? line.dropLast() : line
      let trimmed = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespaces)
      let isText = trimmed.utf8.first.map { $0 != UInt8(ascii: "#") } ?? false
      return isText ? (index + 1, trimmed) : nil
    }
  }
}

extension String {
  /// What stands before the first equals sign and behind it; `nil` behind it if there is none.
  var splitAtEqualsSign: (name: String, value: String?) {
    let parts = utf8.split(
      separator: UInt8(ascii: "="),
      maxSplits: 1,
      omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    return (parts[0], parts.count == 2 ? parts[1] : nil)
  }
}

/// The folders of a user's own files, as the XDG specification names them.
enum UserFolder {
  case data, configuration, state

  /// The variable of the environment that names the folder.
  var variable: String {
    switch self {
    case .data: "XDG_DATA_HOME"
    case .configuration: "XDG_CONFIG_HOME"
    case .state: "XDG_STATE_HOME"
    }
  }

  /// The folder below the home folder where the variable is not set.
  private var usual: String {
    switch self {
    case .data: ".local/share"
    case .configuration: ".config"
    case .state: ".local/state"
    }
  }

  /// The folder as the help shows it.
  var shown: String { "~/\(usual)" }

  /// Returns a program's folder, or `nil` where the environment names none; a path that is not whole does not count.
  func path(of program: String, _ environment: [String: String]) -> String? {
    if let folder = environment[variable], folder.hasPrefix("/") { return "\(folder)/\(program)" }
    if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/\(usual)/\(program)" }
    return nil
  }
}
