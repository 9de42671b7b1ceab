#if PostgreSQL
import Foundation
import Testing

/// R164: a network that is cut without a word.
///
/// The follower runs in a network of its own, which is joined to this one by a pair of virtual devices; that takes Linux and the rights
/// of root.
@Suite(
  "A cut network",
  .serialized,
  .enabled(if: getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/sbin/ip")),
  .timeLimit(.minutes(5))
)
struct PostgreSQLNetworkTests {
  @Test func `R164: after a cut of the network nothing is missed`() throws {
    let id = getpid() % 200
    let (network, device, here) = ("results\(id)", "rs\(id)", "10.231.\(id).1")
    defer { _ = try? ServerRun.shell("ip netns del \(network); ip link del \(device)") }
    try ServerRun.shell(
      """
      ip netns add \(network) && ip link add \(device) type veth peer name inside netns \(network) \
      && ip addr add \(here)/24 dev \(device) && ip link set \(device) up \
      && ip -n \(network) addr add 10.231.\(id).2/24 dev inside && ip -n \(network) link set inside up
      """
    )
    let server = try ServerRun(on: "tests-network", settings: ["listen_addresses='\(here)'"])
    defer { _ = try? ServerRun.script(["remove", server.server]) }
    try ServerRun.shell(
      "echo 'host all all 10.231.\(id).0/24 trust' >> \"$0\"",
      argument: try server.psql("SHOW hba_file")
    )
    try server.psql("SELECT pg_reload_conf()")
    try server.run("book-catalog", "demo")
    let name = try #require(URLComponents(string: server.url)?.path)
    let book = try ProgramFolder.executable("book-catalog")
    let watch = try server.run.start(
      "/usr/sbin/ip",
      "netns",
      "exec",
      network,
      book,
      "watch",
      "--format",
      "jsonl",
      "--store",
      "postgresql://results@\(here)\(name)?sslmode=disable"
    )
    var follower = try Follower(server.run, watch, store: server.url)
    try server.psql("DELETE FROM \"Book\" WHERE id = 1")
    try follower.takeList()
    try ServerRun.shell("ip link set \(device) down")
    try server.psql("UPDATE \"Book\" SET publisher = 'cut' WHERE id < 6")
    // Longer than the time after which a connection without an answer is given up (`tcp_user_timeout`).
    let waiting = try server.startPsql("SELECT pg_sleep(12)")
    _ = try waiting.finish()
    try server.psql("DELETE FROM \"Book\" WHERE id = 9")
    try ServerRun.shell("ip link set \(device) up")
    try follower.takeList(within: 60)
    #expect(!follower.kinds.contains("reset"))
  }
}
#endif
