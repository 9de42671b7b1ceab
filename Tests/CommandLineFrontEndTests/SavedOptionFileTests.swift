import Foundation
import Testing

@testable import CommandLineFrontEnd

/// R283: what is saved is read as it was, whatever scalars it has.
@Suite struct SavedOptionFileTests {
  @Test(arguments: [
    "a\u{2028}b", "\u{85}", "\"\u{301}x", "=\u{301}", " a ", "#x", "a\r\nb", "\"quoted\"", "",
    "\u{301}",
    "\u{A0}x", "x=y=z",
  ])
  func `R283: values and flags are read as they were saved`(value: String) throws {
    let path = NSTemporaryDirectory() + "saved-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    let saved = SavedOptions(
      verb: ["feeds", "list"],
      options: [
        TypedCommand.Option(name: "where", value: value), TypedCommand.Option(name: "reversed"),
        TypedCommand.Option(name: "sort", value: "title"),
      ]
    )
    try Data(saved.fileText.utf8).write(to: URL(fileURLWithPath: path))
    let read = try SavedOptions(at: path)
    #expect(read.verb == saved.verb)
    #expect(read.options.map(\.name) == ["where", "reversed", "sort"])
    #expect(
      read.options.map { $0.value.map { Array($0.utf8) } } == [
        Array(value.utf8), nil, Array("title".utf8),
      ]
    )
  }

  @Test func `R141, R283: an equals sign divides, whatever combines with it`() {
    #expect("a=\u{301}b".splitAtEqualsSign.name == "a")
    #expect(
      "a=\u{301}b".splitAtEqualsSign.value.map { Array($0.unicodeScalars) } == ["\u{301}", "b"]
    )
    #expect("a".splitAtEqualsSign.value == nil)
    #expect("=".splitAtEqualsSign.value == "")
  }
}
