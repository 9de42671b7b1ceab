package import ResultsDomain
package import ResultsPresentation

/// A small list that changes at random: rows with a section, a sort key and a text.
package struct ListModel {
  package struct Item {
    package var section: Int
    package var key: Int
    package var text: Int
  }

  package static let entity: EntityDescription? = try? EntityDescription(
    name: "Item",
    attributes: [
      AttributeDescription("section", .integer64), AttributeDescription("key", .integer64),
      AttributeDescription("text", .integer64),
    ]
  )

  package var items: [Int: Item] = [:]
  package var sectionOrder = Array(0..<5)
  package var titles = Array(0..<5)
  package var isSectioned = true

  package init() {}

  package static func id(_ number: Int) -> ObjectID {
    ObjectID(entity: "Item", key: .integer(Int64(number)))
  }

  package static func number(of id: ObjectID) -> Int {
    if case .integer(let number) = id.key { Int(number) } else { -1 }
  }

  package func row(_ number: Int) -> Row? {
    guard let item = items[number], let entity = ListModel.entity else { return nil }
    let values = [item.section, item.key, item.text].map { Value.integer(Int64($0)) }
    return Row(entity: entity, id: ListModel.id(number), values: values)
  }

  package var content: ResultsContent {
    func rows(_ numbers: [Int]) -> [ObjectID] {
      numbers.sorted { (items[$0]?.key ?? 0, $0) < (items[$1]?.key ?? 0, $1) }.map(ListModel.id)
    }
    guard isSectioned else {
      let header = SectionHeader(id: SectionID(.null), title: "")
      return ResultsContent(sections: [.init(header: header, rows: rows(Array(items.keys)))])
    }
    let members = Dictionary(grouping: items.keys) { items[$0]?.section ?? 0 }
    return ResultsContent(
      sections: sectionOrder.compactMap { section in
        members[section].map { numbers in
          let id = SectionID(.integer(Int64(section)))
          let header = SectionHeader(id: id, title: "\(section)/\(titles[section])")
          return .init(header: header, rows: rows(numbers))
        }
      }
    )
  }

  package mutating func step(rows limit: Int, using random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let number = Int.random(in: 0..<limit, using: &random)
      let section = Int.random(in: 0..<sectionOrder.count, using: &random)
      let key = Int.random(in: 0..<6, using: &random)
      switch (Int.random(in: 0..<10, using: &random), items[number]) {
      case (0, _): sectionOrder.shuffle(using: &random)
      case (1, _): titles[section] = Int.random(in: 0..<3, using: &random)
      case (2, .some): items[number] = nil
      case (3...4, .some): items[number]?.key = key
      case (5...6, .some): items[number]?.section = section
      case (7, .some): items[number]?.text = key
      case (_, .some): continue
      case (_, nil): items[number] = Item(section: section, key: key, text: 0)
      }
    }
  }

  /// The reference delta from this state to a later one.
  package func delta(to later: ListModel, generation: Int = 1) -> ResultsDelta {
    ReferenceDelta.computed(
      from: content,
      to: later.content,
      generation: generation,
      rows: { id in
        let number = ListModel.number(of: id)
        return (row(number), later.row(number))
      },
      change: { id in
        let number = ListModel.number(of: id)
        guard let old = row(number), let new = later.row(number) else { return .none }
        let changed = new.changes(from: old)
        return .init(changed: changed, keyChanged: changed.contains(0) || changed.contains(1))
      }
    )
  }
}
