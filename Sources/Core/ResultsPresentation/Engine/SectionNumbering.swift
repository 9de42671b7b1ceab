import OrderStatistics
import ResultsDomain

/// The keys of a list whose sections are merged or split, each with the number of its section in front (R04).
///
/// The numbers follow the first appearance of each section, so that sorting by them gathers what belongs together.
struct SectionNumbering {
  var keys: SortedKeyList
  /// Occurrence numbers of split sections, by section number; absent means 0.
  var occurrences: [Int64: Int] = [:]

  static let column = KeyColumn(.integer)

  /// Numbers the sections of some keys.
  /// - Returns: `nil` if the plan neither merges nor splits.
  /// - Complexity: O(*n* log *n*)
  init?(_ storeKeys: SortedKeyList, _ plan: ListPlan) throws(StoreError) {
    guard let contiguity = plan.sectionKey?.contiguity, contiguity != .error else { return nil }
    var numbers: [Value: Int64] = [:]
    var runs: [Value: Int] = [:]
    var occurrences: [Int64: Int] = [:]
    var numbered: [[UInt8]] = []
    var last: Value?
    var number: Int64 = -1
    var nextNumber: Int64 = 0
    storeKeys.forEachKey(in: 0..<storeKeys.count) { _, key in
      let id = plan.rule.id(of: key, plan.layout)
      if id != last {
        if contiguity == .merge, let known = numbers[id] {
          number = known
        } else {
          number = nextNumber
          nextNumber += 1
          numbers[id] = number
          let run = runs[id] ?? 0
          runs[id] = run + 1
          if run > 0 { occurrences[number] = run }
        }
        last = id
      }
      var writer = KeyWriter()
      writer.append(number, SectionNumbering.column)
      numbered.append(writer.bytes + key)
    }
    numbered.sort { KeyOrder.compare($0, $1) < 0 }
    do {
      keys = try SortedKeyList(sorted: numbered)
    } catch {
      throw .unexpected(path: plan.entity.name, detail: "\(error)")
    }
    self.occurrences = occurrences
  }

  /// The layout of numbered keys.
  static func layout(of plan: ListPlan) -> KeyLayout {
    KeyLayout(order: [column] + plan.layout.order, keyTypes: plan.entity.keyTypes)
  }

  /// How sections are read off numbered keys.
  static func rule(of plan: ListPlan) -> SectionRule {
    switch plan.rule {
    case .single: .single
    case .columns(_, let idColumn): .columns(count: 1, idColumn: idColumn + 1)
    case .grouping(let grouping), .numbered(let grouping): .numbered(grouping)
    }
  }
}
