import Foundation
import ResultsDomain

/// The mapping between the names of caches and of files.
///
/// A file name has only small letters, digits, `-`, `_`, `%` and the extension, so that names that differ in case, in composition or in
/// anything else that a file system folds have different files, and no name escapes the folder.
enum CacheFileName {
  private static let cacheExtension = ".sectioncache"
  private static let draftExtension = ".draft"
  /// File systems allow names of 255 bytes; a longer name is truncated and distinguished by a digest.
  private static let maximumLength = 200

  /// Returns the name of a cache's file.
  static func fileName(of name: String) -> String { bounded(name) + cacheExtension }

  /// Returns the name of the folder of a store that is not a file.
  static func folderName(of store: String) -> String { bounded(store) }

  /// Returns a name in the characters of file names, and no longer than they may be.
  private static func bounded(_ name: String) -> String {
    let encoded = encoded(name)
    guard encoded.utf8.count > maximumLength else { return encoded }
    var digest = RowDigest()
    digest.add(.text(name))
    let number = String(digest.value, radix: 16)
    return "\(String(decoding: encoded.utf8.prefix(maximumLength), as: UTF8.self))+\(number)"
  }

  /// Returns a unique name for a file that is being written.
  static func draftName() -> String { UUID().uuidString.lowercased() + draftExtension }

  static func isCache(_ file: String) -> Bool { file.hasSuffix(cacheExtension) }

  /// Returns whether a file name is one that `draftName()` returns.
  static func isDraft(_ file: String) -> Bool {
    guard file.hasSuffix(draftExtension) else { return false }
    let stem = String(file.dropLast(draftExtension.count))
    return UUID(uuidString: stem)?.uuidString.lowercased() == stem
  }

  /// The start of every cache file.
  static let headingStart = "section cache "

  /// Returns the heading of a cache's file: the full name, even if the file name is truncated.
  static func heading(of name: String) -> [UInt8] {
    Array("\(headingStart)\(encoded(name))\n".utf8)
  }

  /// Returns the name of the cache in a file, or `nil` if the file is not a cache.
  static func name(ofFile file: String, heading: () -> String?) -> String? {
    let stem = String(file.dropLast(cacheExtension.count))
    let text =
      stem.contains("+")
      ? heading().flatMap { line in
        line.hasPrefix(headingStart) ? String(line.dropFirst(headingStart.count)) : nil
      } : stem
    guard let name = text.flatMap(decoded), Value.text(fileName(of: name)) == .text(file) else {
      return nil
    }
    return name
  }

  private static func encoded(_ name: String) -> String {
    // The empty name needs a file name too; a single percent sign encodes nothing else.
    guard !name.isEmpty else { return "%" }
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        bytes.append(byte)
      default:
        let digits = Array("0123456789abcdef".utf8)
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func decoded(_ text: String) -> String? {
    guard text != "%" else { return "" }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2,
        let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(decoded)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
