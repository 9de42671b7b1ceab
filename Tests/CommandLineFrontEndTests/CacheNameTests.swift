import ResultsDomain
import ResultsPresentation
import Testing

@testable import CommandLineFrontEnd

/// R88: only a program's own list is kept.
@Suite struct CacheNameTests {
  private static let changes: [@Sendable (inout ListOptions) -> Void] = [
    { $0.predicate = "age > 3" }, { $0.sort = "-age" }, { $0.sectionBy = "age" },
    { $0.sectionBy = "none" }, { $0.limit = 3 }, { $0.offset = 3 },
  ]

  @Test(arguments: changes.indices)
  func `a list that an option changes has no cache name`(place: Int) throws {
    var options = CacheNameTests.none
    CacheNameTests.changes[place](&options)
    let definition = try options.definition(of: Roster.self, for: .machine)
    #expect(definition.cacheName == nil)
  }

  @Test func `a program's own list has its name, unless it is frozen`() throws {
    let options = CacheNameTests.none
    #expect(try options.definition(of: Roster.self, for: .machine).cacheName == "roster")
    let frozen = try options.definition(of: Roster.self, for: .machine, isFrozen: true)
    #expect(frozen.cacheName == nil)
  }

  /// No option at all; each is set, as the parser does.
  private static var none: ListOptions {
    var options = ListOptions()
    (options.predicate, options.sort, options.sectionBy) = (nil, nil, nil)
    (options.limit, options.offset) = (nil, nil)
    return options
  }
}
