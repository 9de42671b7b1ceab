#if PostgreSQL
import Foundation
import Testing

/// R175: programs and a server on another address, whose certificate is checked unless the URL says otherwise.
///
/// The address is a second one of this machine, which only Linux has without being asked; it counts as another machine.
@Suite(
  "Certificates of a server of PostgreSQL",
  .serialized,
  .enabled(if: ServerRun.hasCertificates),
  .timeLimit(.minutes(5))
)
struct PostgreSQLCertificateTests {
  private static let address = "127.0.7.1"

  /// A server on the address, with a certificate for it by an authority of its own.
  private func secured() throws -> (server: ServerRun, folder: String) {
    let server = try ServerRun(
      on: "tests-certificates",
      settings: ["listen_addresses='\(Self.address)'"]
    )
    try server.run("book-catalog", "demo")
    let folder = server.run.folder
    try ServerRun.shell(
      """
      cd "$0" && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem \
      && openssl req -newkey rsa:2048 -nodes -subj /CN=results -keyout server.key -out server.csr \
      && for name in \(Self.address) 127.0.7.2; do printf "subjectAltName=IP:$name\\n" > $name.ext \
      && openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile $name.ext -out $name.pem \
      || exit 1; done
      """,
      argument: folder
    )
    try use(Self.address, of: folder, on: server)
    return (server, folder)
  }

  /// Lets the server show the certificate for an address.
  private func use(_ certificate: String, of folder: String, on server: ServerRun) throws {
    let data = try server.psql("SHOW data_directory")
    try ServerRun.shell(
      """
      cp \(folder)/\(certificate).pem "$0/server.crt" && cp \(folder)/server.key "$0/server.key" \
      && chown "$(stat -c %U "$0")" "$0/server.crt" "$0/server.key" && chmod 600 "$0/server.key" "$0/server.crt"
      """,
      argument: data
    )
    try server.psql("ALTER SYSTEM SET ssl = on")
    try server.psql("SELECT pg_reload_conf()")
    // Connections that begin after a reload can still have the settings before it.
    try server.wait("the certificate") {
      let shown = try server.run.start(
        "/bin/sh",
        "-c",
        """
        openssl s_client -starttls postgres -connect \(Self.address):5432 </dev/null 2>/dev/null \
        | openssl x509 -noout -ext subjectAltName | grep -q \(certificate)
        """
      )
      return try shown.finish().status == 0
    }
  }

  @Test func `R175: the certificate of another machine is checked, and its name`() throws {
    let (server, folder) = try secured()
    defer { _ = try? ServerRun.script(["stop", server.server]) }
    let name = try #require(URLComponents(string: server.url)?.path)
    let url = "postgresql://results@\(Self.address)\(name)"
    let known = url + "?sslrootcert=\(folder)/ca.pem"

    let unknown = try server.run.run("book-catalog", ["list", "--store", url])
    #expect(unknown.status == 69, "\(unknown)")
    #expect(unknown.errors.contains("certificate verify failed"), "\(unknown)")
    #expect(unknown.errors.contains("sslrootcert"), "\(unknown)")

    let listed = try server.run.run("book-catalog", ["list", "--store", known])
    #expect(listed.status == 0 && listed.lines.count > 10, "\(listed)")
    var follower = try Follower(server.run, store: known)
    #expect(
      try server.psql(
        """
        SELECT bool_and(s.ssl) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
        WHERE a.application_name = 'fetched-results' AND a.client_addr IS NOT NULL
        """
      ) == "t"
    )
    try server.psql("DELETE FROM \"Book\" WHERE id = 3")
    try follower.takeList()

    let plain = try server.run.run("book-catalog", ["list", "--store", url + "?sslmode=disable"])
    #expect(plain.status == 0, "\(plain)")

    try use("127.0.7.2", of: folder, on: server)
    let misnamed = try server.run.run("book-catalog", ["list", "--store", known])
    #expect(misnamed.status == 69, "\(misnamed)")
    #expect(misnamed.errors.contains("does not match host name"), "\(misnamed)")
  }
}
#endif
