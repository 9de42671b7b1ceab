#if PostgreSQL
import Foundation
import Testing

/// R174: programs behind a pooler that gives a connection to a client for each transaction: PgBouncer, which uses its connections in turns.
@Suite(
  "Programs behind a pooler",
  .serialized,
  .enabled(if: ServerRun.hasPooler, "PgBouncer is not installed"),
  .timeLimit(.minutes(5))
)
struct PostgreSQLPoolerTests {
  private static let pooler = "tests-programs-pooler"

  /// A database, and its URL behind the pooler.
  private func pooled() throws -> (server: ServerRun, url: String) {
    let server = try ServerRun()
    let line = try ServerRun.script(["pooler", Self.pooler, server.server]).output
    let host = try #require(line.split(separator: "host=").last?.prefix { $0 != "&" })
    let direct = try #require(server.url.split(separator: "host=").last)
    return (server, server.url.replacing(direct, with: host) + "&pooled=1")
  }

  @Test func `R174: a list follows every writer, also when the pooler is started again`() throws {
    let (server, url) = try pooled()
    defer { _ = try? ServerRun.script(["remove", Self.pooler]) }
    let demo = try server.run.run("book-catalog", ["demo", "--store", url])
    #expect(demo.status == 0, "\(demo)")
    var follower = try Follower(server.run, store: url)
    try server.psql("UPDATE \"Book\" SET publisher = 'x' || id WHERE id < 4")
    try follower.takeList()
    let added = try server.run.run(
      "book-catalog",
      ["add", "publisher=p", "title=t", "--store", url]
    )
    #expect(added.status == 0, "\(added)")
    try follower.takeList()
    try ServerRun.script(["stop", Self.pooler])
    try server.psql("DELETE FROM \"Book\" WHERE id = 5")
    try ServerRun.script(["pooler", Self.pooler, server.server])
    try server.psql("DELETE FROM \"Book\" WHERE id = 7")
    try follower.takeList(within: 60)
    #expect(!follower.kinds.contains("reset"))
  }

  @Test func `R174: a URL that does not name the pooler is refused with what to add`() throws {
    let (server, url) = try pooled()
    defer { _ = try? ServerRun.script(["remove", Self.pooler]) }
    let plain = url.replacing("&pooled=1", with: "")
    try #require(try server.run.run("book-catalog", ["demo", "--store", url]).status == 0)
    // The first clients may find connections on which nothing is prepared.
    var refused = try server.run.run("book-catalog", ["list", "--store", plain])
    for _ in 0..<20 where refused.status == 0 {
      refused = try server.run.run("book-catalog", ["list", "--store", plain])
    }
    #expect(refused.status == 69, "\(refused)")
    #expect(refused.errors.contains("add pooled=1 to it"), "\(refused)")
  }
}
#endif
