import Testing

@testable import ProgramFrontEnd

@Suite("Where a store is")
struct StoreAddressTests {
  @Test(arguments: [
    (":memory:", StoreAddress.memory),
    ("books.sqlite", .file(path: "books.sqlite")),
    ("/a/postgresql://b", .file(path: "/a/postgresql://b")),
    ("postgresql:books", .file(path: "postgresql:books")),
    ("postgresql://", .database(url: "postgresql://")),
    ("postgres:///books", .database(url: "postgres:///books")),
    ("PostgreSQL://Ann@H/b", .database(url: "postgresql://Ann@H/b")),
    (
      "postgresql://ann@a:5432,[::1]:5433/books?target_session_attrs=read-write",
      .database(url: "postgresql://ann@a:5432,[::1]:5433/books?target_session_attrs=read-write")
    ),
    (
      "postgresql://db:5432/books?user=ann%40site@server",
      .database(url: "postgresql://db:5432/books?user=ann%40site@server")
    ),
  ])
  func `R160: an address is memory, a URL or else a path`(
    _ text: String,
    _ address: StoreAddress
  ) throws {
    #expect(try StoreAddress(text) == address)
  }

  @Test func `R160: an empty address is refused`() {
    #expect { try StoreAddress("") } throws: { ($0 as? CommandFailure)?.status == .usage }
  }

  static let passwords = [
    "postgresql://ann:secret@db/books",
    "postgres://ann:secret@db",
    "POSTGRESQL://ann:secret@db",
    "postgresql://:secret@/books",
    "postgresql://ann:se/secret@db/books",
    "postgresql://ann:x?secret@db/books",
    "postgresql://ann:x@secret@db/books",
    "postgresql://ann@site:secret@db/books",
    "postgresql://ann:\u{301}secret@db/books",
    "postgresql://ann:secret@\u{301}db/books",
    "postgresql://db/books?\u{301}&password=\u{301}secret",
    "postgresql://db/books?password=secret",
    "postgresql://db/books?user=ann&PassWord=secret",
    "postgresql://db/books?pass%77ord=secret",
    "postgresql://db/books?sslpassword=secret",
  ]

  @Test(arguments: passwords)
  func `R161: a URL with a password is refused, and the message does not contain it`(
    _ text: String
  ) throws {
    let failure = try #require(throws: CommandFailure.self) { try StoreAddress(text) }
    #expect(failure.status == .usage)
    #expect(!"\(failure)".contains("secret"))
    #expect(failure.message.contains("password"))
    #expect(failure.remedy.contains("PGPASSWORD"))
  }

  @Test(arguments: passwords)
  func `R161: it is found in a command line before anything quotes it`(_ text: String) {
    #expect(DatabaseURL.refusal(ofArguments: ["roster", "list", "--store", text]) != nil)
    #expect(DatabaseURL.refusal(ofArguments: ["roster", "lst", "--stroe=\(text)"]) != nil)
    #expect(DatabaseURL.refusal(ofArguments: ["roster", "add", "name=\(text)"]) == nil)
  }

  @Test(arguments: [
    (":memory:", ":memory:"), ("/home/ann/books.sqlite", "books.sqlite"),
    ("postgresql://ann@db.example.org:5433/books?sslmode=disable", "db.example.org:5433/books"),
    ("postgresql://%2Fvar%2Frun/books", "/var/run/books"),
    ("postgresql:///books", "books"), ("postgresql://", "PostgreSQL"),
  ])
  func `R160: an address has a short name`(_ text: String, _ title: String) throws {
    #expect(try StoreAddress(text).title == title)
  }
}
