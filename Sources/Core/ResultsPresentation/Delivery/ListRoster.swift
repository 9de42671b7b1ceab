import ResultsDomain
import ResultsStoreKit

/// The lists of a scheduler, and which of them a commit may concern.
///
/// A list whose predicate demands a constant of an attribute is filed under it once a turn has advanced it. The filed lists are all at
/// `version`. A turn withdraws and asks those that are filed under a value that a changed row had or has, and moves `version` on, which
/// moves the others on without touching them. A list that is not filed is asked in every turn.
struct ListRoster {
  /// A list that may be gone.
  ///
  /// A class, since copies of a weak reference are costly with a thousand lists.
  final class Entry: Sendable {
    weak let list: LiveList?
    let number: Int
    let isAutomatic: Bool

    init(_ list: LiveList) {
      self.list = list
      number = list.number
      isAutomatic = list.isAutomatic
    }
  }

  /// Where a list is filed.
  private struct Filing {
    let entry: Entry
    /// The index of the entity's file.
    let file: Int
    let demand: ListDemand
  }

  /// The filed lists of one entity: their numbers by attribute and value.
  private struct File {
    let entity: EntityDescription
    var count = 0
    var numbers: [Int: [Value: Set<Int>]] = [:]

    /// How often a list will be asked in vain, roughly: beside few lists, and by an attribute of many values, least.
    func cost(of demand: ListDemand) -> (neighbours: Int, otherValues: Int) {
      let known = numbers[demand.attribute] ?? [:]
      let neighbours = demand.values.reduce(0) { $0 + 1 + (known[$1]?.count ?? 0) }
      return (neighbours, -known.count)
    }

    mutating func insert(_ number: Int, _ demand: ListDemand) {
      count += 1
      for value in demand.values {
        numbers[demand.attribute, default: [:]][value, default: []].insert(number)
      }
    }

    mutating func remove(_ number: Int, _ demand: ListDemand) {
      count -= 1
      for value in demand.values {
        numbers[demand.attribute]?[value]?.remove(number)
        if numbers[demand.attribute]?[value]?.isEmpty ?? false {
          numbers[demand.attribute]?[value] = nil
        }
      }
      if numbers[demand.attribute]?.isEmpty ?? false { numbers[demand.attribute] = nil }
    }

    /// The lists that some commits may concern.
    func concerned(by records: [CommitRecord]) -> Set<Int> {
      var found: Set<Int> = []
      for (attribute, lists) in numbers {
        for change in records.lazy.flatMap(\.changes) {
          let old = change.before.map { ListDemand.filed(attribute, of: $0) }
          let new = change.after.map { ListDemand.filed(attribute, of: $0) }
          if let old, let lists = lists[old] { found.formUnion(lists) }
          if let new, new != old, let lists = lists[new] { found.formUnion(lists) }
        }
      }
      return found
    }
  }

  /// The most values under which a list is filed; one that demands more is asked in every turn.
  private static let mostValues = 256

  /// The version of all filed lists; without filed lists it has no meaning.
  private(set) var version: StoreVersion?
  /// The lists that are not filed, by ascending number.
  private var unfiled: [Entry] = []
  private var filed: [Int: Filing] = [:]
  private var files: [File] = []
  private var automaticCount = 0

  /// Whether a list follows the store's notifications.
  var hasAutomaticLists: Bool { automaticCount > 0 }

  /// Whether a list is filed.
  var hasFiledLists: Bool { !filed.isEmpty }

  /// The lists that are asked in every turn, oldest first.
  var unfiledLists: [Entry] { unfiled }

  /// The entities with filed lists.
  var filedEntities: [EntityDescription] { files.lazy.filter { $0.count > 0 }.map(\.entity) }

  /// Whether a list has been added and not removed.
  func contains(_ list: LiveList) -> Bool {
    filed[list.number] != nil || position(of: list.number).isPresent
  }

  /// Adds a list, which is not filed yet.
  mutating func add(_ list: LiveList) {
    guard !contains(list) else { return }
    let entry = Entry(list)
    if entry.isAutomatic { automaticCount += 1 }
    insert(entry)
  }

  /// Removes a list.
  mutating func remove(_ number: Int) {
    guard let entry = takeFiled(number) ?? takeUnfiled(number) else { return }
    if entry.isAutomatic { automaticCount -= 1 }
  }

  /// Withdraws the filed lists that a turn has to ask.
  /// - Parameters:
  ///   - histories: What happened to each entity with filed lists since their version; `nil` where it could not be read.
  ///   - requester: A list that is asked in any case.
  /// - Returns: The lists that were filed.
  /// - Complexity: O(*c* + *a*) for *c* changed rows and *a* lists to ask.
  mutating func withdraw(
    concernedBy histories: [(entity: EntityDescription, history: StoreHistory?)],
    _ requester: Int?
  ) -> [Entry] {
    var numbers: Set<Int> = []
    for (index, file) in files.enumerated() where file.count > 0 {
      guard let found = histories.first(where: { $0.entity == file.entity }) else { continue }
      if case .commits(let records) = found.history {
        numbers.formUnion(file.concerned(by: records))
      } else {
        // Only the lists themselves know how to go on without a history.
        for (number, filing) in filed where filing.file == index { numbers.insert(number) }
      }
    }
    if let requester { numbers.insert(requester) }
    return numbers.compactMap { withdraw($0) }
  }

  /// Takes a list out of its file.
  /// - Returns: The list, if it was filed.
  mutating func withdraw(_ number: Int) -> Entry? {
    guard let entry = takeFiled(number) else { return nil }
    insert(entry)
    return entry
  }

  /// Takes all lists out of their files.
  /// - Returns: The lists that were filed.
  mutating func withdrawAll() -> [Entry] {
    let entries = filed.values.map(\.entry)
    unfiled = (unfiled + entries).sorted { $0.number < $1.number }
    (filed, files) = ([:], [])
    return entries
  }

  /// Ends a turn: files lists, and moves all filed ones on.
  /// - Parameters:
  ///   - lists: Lists that have reached the version, with their plans.
  ///   - version: The version that the turn has reached.
  mutating func file(_ lists: [(number: Int, plan: ListPlan)], at version: StoreVersion) {
    for (number, plan) in lists {
      guard let (file, demand) = bestFile(for: plan), let entry = takeUnfiled(number) else {
        continue
      }
      files[file].insert(number, demand)
      filed[number] = Filing(entry: entry, file: file, demand: demand)
    }
    self.version = version
  }

  /// Removes all lists.
  /// - Returns: The lists, oldest first.
  mutating func removeAll() -> [Entry] {
    _ = withdrawAll()
    defer { self = ListRoster() }
    return unfiled
  }
}

// MARK: - Files

extension ListRoster {
  /// The file of a plan's entity, and the demand by which a list is asked least; `nil` if its predicate demands nothing.
  private mutating func bestFile(for plan: ListPlan) -> (file: Int, demand: ListDemand)? {
    let demands = plan.demands.filter { $0.values.count <= ListRoster.mostValues }
    guard !demands.isEmpty else { return nil }
    let index: Int
    if let known = files.firstIndex(where: { $0.entity == plan.entity }) {
      index = known
    } else {
      index = files.count
      files.append(File(entity: plan.entity))
    }
    return demands.min { files[index].cost(of: $0) < files[index].cost(of: $1) }
      .map { (index, $0) }
  }

  private mutating func takeFiled(_ number: Int) -> Entry? {
    guard let filing = filed.removeValue(forKey: number) else { return nil }
    files[filing.file].remove(number, filing.demand)
    return filing.entry
  }

  private mutating func insert(_ entry: Entry) {
    unfiled.insert(entry, at: position(of: entry.number).index)
  }

  private mutating func takeUnfiled(_ number: Int) -> Entry? {
    let (index, isPresent) = position(of: number)
    return isPresent ? unfiled.remove(at: index) : nil
  }

  /// Where a list is, or would be, among those that are not filed, by binary search.
  private func position(of number: Int) -> (index: Int, isPresent: Bool) {
    var (low, high) = (0, unfiled.count)
    while low < high {
      let middle = (low + high) / 2
      if unfiled[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return (low, low < unfiled.count && unfiled[low].number == number)
  }
}
