#if Web
import Foundation
import Testing

@testable import WebFrontEnd

@Suite("The description of the server")
struct RouteTests {
  @Test func `R242: every route is described, and nothing else`() throws {
    let file = try #require(WebAssets.files.first { "\($0.name)" == "openapi.json" })
    let described = try #require(
      try JSONSerialization.jsonObject(with: Data("\(file.text)".utf8)) as? [String: Any]
    )
    let paths = try #require(described["paths"] as? [String: [String: Any]])
    #expect(Set(paths.keys) == Set(Route.allCases.map(\.rawValue)))
    for route in Route.allCases {
      let methods = paths[route.rawValue]?.keys.map { $0.uppercased() } ?? []
      #expect(Set(methods) == Set(route.methods), "\(route.rawValue)")
    }
  }
}
#endif
