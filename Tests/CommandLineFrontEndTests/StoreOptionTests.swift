import ResultsStoreKit
import ArgumentParser
import Foundation
import ProgramFrontEnd
import Testing

@testable import CommandLineFrontEnd

@Suite("The options that name a store")
struct StoreOptionTests {
  private static let url = "postgresql://ann@db.example.org/members"

  @Test func `R160: a database need not exist before its server was asked`() throws {
    let options = try StoreOptions.parse(["--store", Self.url])
    for location in [
      try options.location(of: Roster.name), try options.existingLocation(of: Roster.self),
    ] {
      #expect(location.address == .database(url: Self.url))
      #expect(!location.isReadOnly)
    }
    let reading = try ReadingStoreOptions.parse(["--store", Self.url, "--read-only"])
    let location = try reading.locationToRead(of: Roster.self)
    #expect(location.isReadOnly && location.onlyReads)
  }

  @Test func `R160: a configuration file names a database`() throws {
    let argument = try Setting.store.argument(for: Self.url, home: nil, of: Roster.self)
    #expect(argument == "--store=\(Self.url)")
    let failure = try #require(throws: CommandFailure.self) {
      try Setting.store.argument(
        for: "postgresql://ann:secret@db/members",
        home: nil,
        of: Roster.self
      )
    }
    #expect(!"\(failure)".contains("secret"))
  }
}
