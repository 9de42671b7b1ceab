import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit

@testable import ResultsPresentation

/// Volumes of series, written as text: `A: x y | B: z`.
struct Volume: Entity {
  var id: Int64?
  var series: String? = ""
  var title = ""
  var pages = 0

  static let schema = EntitySchema<Volume>("Volume", identity: \.id) {
    Attribute(\.series, "series")
    Attribute(\.title, "title")
    Attribute(\.pages, "pages")
  }

  static func store(_ volumes: (String?, String)...) throws -> WatchedStore {
    let store = WatchedStore(try InMemoryStore(entities: [Volume.entity]))
    try store.add(volumes)
    return store
  }

  static func bySeries(limit: Int? = nil) -> ResultsDefinition<Volume> {
    ResultsDefinition(
      FetchRequest<Volume>(sortedBy: [.ascending(\.title)], fetchLimit: limit, fetchBatchSize: 20),
      sectionedBy: .attribute("series")
    )
  }
}

extension WatchedStore {
  func add(_ volumes: [(String?, String)]) throws {
    _ = try commit(origin: .unnamed) { transaction in
      for (series, title) in volumes {
        try transaction.insert(Volume(series: series, title: title))
      }
    }
  }

  func change(_ title: String, _ edit: (inout Volume) -> Void) throws {
    _ = try commit(origin: .unnamed) { transaction in
      let request = FetchRequest<Volume>(where: \.title == title, sortedBy: [.ascending(\.title)])
      for var volume in try transaction.fetch(request) {
        edit(&volume)
        try transaction.update(volume)
      }
    }
  }

  func remove(_ title: String) throws {
    _ = try commit(origin: .unnamed) { transaction in
      let request = FetchRequest<Volume>(where: \.title == title, sortedBy: [.ascending(\.title)])
      for volume in try transaction.fetch(request) { try transaction.delete(volume) }
    }
  }
}

extension ResultsList where Object == Volume {
  /// The list as text: sections with their titles and rows.
  func picture() throws -> String {
    try sections.map { section in
      let rows = try section.map { try $0.object.title }
      return "\(section.title): \(rows.joined(separator: " "))"
    }.joined(separator: " | ")
  }
}

extension ResultsDelta {
  /// The delta as text, in canonical order.
  var picture: String {
    var words = sections.deletes.map { "-s\($0.from)" }
    words += sections.moves.map { "~s\($0.from)>\($0.to)" }
    words += sections.inserts.map { "+s\($0.to)" }
    words += sections.updates.map { "=s\($0.to) \($0.new.title)" }
    words += rows.deletes.map { "-\($0.from.path)" }
    words += rows.moves.map { "~\($0.from.path)>\($0.to.path)\($0.contentChanged ? "*" : "")" }
    words += rows.inserts.map { "+\($0.to.path)" }
    words += rows.updates.map { "=\($0.to.path)" }
    return words.joined(separator: " ")
  }
}
