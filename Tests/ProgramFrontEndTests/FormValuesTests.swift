import ResultsDomain
import ResultsStoreKit
import Testing

@testable import ProgramFrontEnd

/// The texts of values in a form.
@Suite("Values in a form")
struct FormValuesTests {
  private static let attributes = Member.entity.attributes

  /// R137: showing a value and reading its text gives the value, in every locale.
  @Test(arguments: [nil, "en_US", "de_DE", "fr_FR", "ja_JP", "de_CH"] as [String?])
  func `R137: the text of a value is read back as that value`(_ locale: String?) throws {
    let values = FormValues(.of(locale))
    let samples: [[Value]] = [
      ["", "Ann"], [0, -32768], [150, -123_456_789, 1_234_567],
      [
        0, 1_767_225_600_000_000, 1_767_225_661_000_000, 1_767_225_661_123_456,
      ], [0, 1], ["x@y"],
    ]
    for (attribute, all) in zip(Self.attributes, samples) {
      for value in all {
        let text = values.text(value, of: attribute)
        #expect(try values.value(text, of: attribute) == value, "\(attribute.name): \(text)")
      }
      #expect(values.text(.null, of: attribute).isEmpty)
    }
  }

  @Test func `R137: a text that is no value has a message with a remedy`() {
    let values = FormValues(.machine)
    func problem(_ text: String, _ index: Int) -> String? {
      values.problem(of: text, for: Self.attributes[index])
    }
    #expect(
      problem("old", 1)?.hasPrefix("must be a whole number from -32768 to 32767, not “old”.")
        == true
    )
    #expect(problem("40000", 1) != nil)
    #expect(problem("", 1) == nil && problem("", 0) == nil)
    #expect(problem("yes", 4)?.hasSuffix("Write true or false.") == true)
    let reading = values.read([0: "Ann", 1: "x", 2: ""], of: Club.self)
    #expect(reading.values == [0: "Ann", 2: .null] && Array(reading.problems.keys) == [1])
    #expect(
      values.problems(of: Club.values("Ann").map { _ in .null }, in: Member.entity) == [
        0: "needs a value."
      ]
    )
  }
}
