#if PostgreSQL
import Testing

@testable import PostgreSQLPersistence

@Suite struct ConnectionTests {
  @Test func `a flight returns a result for each statement, in binary form`() throws {
    let connection = try TestServer.connect()
    let results = try connection.run([
      Statement("SELECT $1::bigint + 1, $2::text", [.integer(41), .text("Zoë")]),
      Statement("SELECT NULL::text, $1::float8, $2::bytea", [.real(-0.5), .blob([0, 255])]),
      Statement(
        "SELECT x FROM unnest($1::bigint[]) x",
        [.integers([1, nil, -3])]
      ),
    ])
    #expect(results[0].integer(0, 0) == 42)
    #expect(results[0].text(0, 1) == "Zoë")
    #expect(results[1].isNull(0, 0))
    #expect(Array(results[1].bytes(0, 2)) == [0, 255])
    #expect((0..<3).map { results[2].integer($0, 0) } == [1, nil, -3])
    #expect(connection.flightCount == 1)
  }

  @Test func `after a failed statement the connection can be used again`() throws {
    let connection = try TestServer.connect()
    #expect {
      try connection.run([
        Statement("SELECT 1"), Statement("SELECT 1 / $1::bigint", [.integer(0)]),
        Statement("SELECT 3"),
      ])
    } throws: { ($0 as? PostgreSQLFailure)?.state == "22012" }
    #expect(try connection.run("SELECT 3").integer(0, 0) == 3)
  }

  @Test func `statements that a pooler mixes up are an error that names the remedy`() {
    for state in ["26000", "42P05"] {
      let failure = PostgreSQLFailure(state: state, message: "prepared statement \"s1\"")
      let error = failure.storeError(path: "books", waited: .zero)
      #expect("\(error)".contains("pooled=1"))
    }
  }

  @Test func `what is posted is dropped, and its errors too`() throws {
    let connection = try TestServer.connect()
    try connection.run([.begin(.readCommitted)])
    try connection.post([Statement("SELECT 1 / 0"), .commit])
    #expect(connection.isInTransaction)
    try connection.run([.rollback])
    try connection.post([.begin(.readCommitted), .commit])
    #expect(!connection.isInTransaction)
    #expect(try connection.run("SELECT 7").integer(0, 0) == 7)
  }

  @Test func `empty values, empty arrays and many statements`() throws {
    let connection = try TestServer.connect()
    let result = try connection.run(
      "SELECT $1::text, $2::bytea, $3::text[]",
      [.text(""), .blob([]), .texts([])]
    )
    #expect(result.text(0, 0) == "")
    #expect(!result.isNull(0, 1))
    #expect(result.texts(0, 2) == [])
    for number in 0..<600 {
      #expect(try connection.run("SELECT \(number)").integer(0, 0) == Int64(number))
    }
    #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
  }

  @Test func `a server that cannot be reached is named without a password`() throws {
    let url = "postgresql://someone:secret@localhost:1/nowhere?connect_timeout=2"
    let settings = try ConnectionSettings(url: url)
    #expect(settings.containsPassword)
    #expect(settings.name == "postgresql://someone@localhost:1/nowhere")
    #expect {
      try Connection(settings)
    } throws: { error in
      guard let failure = error as? PostgreSQLFailure else { return false }
      return failure.isConnectionLost && !failure.message.contains("secret")
    }
  }

  @Test(arguments: [
    ("postgresql://h:port/d?nonsense=1", "nonsense"), ("postgresql://[::1", "IPv6"),
    ("postgresql://a/%zz", "percent"),
  ])
  func `R160: a malformed URL is refused with the reason of libpq`(_ url: String, _ word: String) {
    #expect(ConnectionURL.refusal(of: url)?.contains(word) == true)
    #expect(ConnectionURL.refusal(of: "postgresql://ann@a:1,b:2/d?sslmode=prefer&pooled=1") == nil)
  }

  @Test func `R161: a server that asks for a password says so, and a typed one is kept secret`()
    throws
  {
    let settings = try ConnectionSettings(url: "postgresql://someone@localhost:1/nowhere")
    let known = settings.settingPassword("secret")
    #expect(known.value(of: "password") == "secret")
    #expect(known.name == settings.name)
  }
}
#endif
