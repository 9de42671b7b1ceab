import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// How shown sections correspond to stored ones where they are related objects (R106).
///
/// The stored sections are in the order of the foreign key; each is a run of rows with the same one. The shown ones are in the order of the
/// objects. Two counted lists connect the two: the keys of the shown objects, and the runs of the rows without an object, which share one
/// section.
struct ObjectOrder: Sendable {
  let objects: SectionObjects
  /// The keys of the objects that have rows; not used where all objects are shown.
  private var present = SortedKeyList()
  /// The runs of the rows without an object, as the lower bounds of their keys.
  private var runs = SortedKeyList()
  /// The lengths of those runs.
  private var runLengths = SectionCounts()

  private var plan: ObjectSectionsPlan { objects.plan }
  /// The keys of the shown objects.
  private var shown: SortedKeyList { plan.showsEmpty ? objects.keys : present }
  /// Whether rows without an object are shown.
  private var hasWithout: Bool { !runs.isEmpty }
  /// The first section of an object.
  private var objectStart: Int { hasWithout && plan.hasWithoutFirst ? 1 : 0 }
  /// The section of the rows without an object, or `nil` if there are none.
  private var without: Int? {
    guard hasWithout else { return nil }
    return plan.hasWithoutFirst ? 0 : shown.count
  }

  /// The number of shown sections.
  var count: Int { shown.count + (hasWithout ? 1 : 0) }

  private init(_ objects: SectionObjects) { self.objects = objects }

  /// Finds the sections of a generation.
  /// - Returns: The sections, and the number of rows of each, those beyond its limit included.
  /// - Complexity: O(*s* log *n*) for *s* stored sections.
  static func make(
    _ objects: SectionObjects,
    of snapshot: ResultsSnapshot
  ) -> (order: ObjectOrder, lengths: [Int]) {
    var order = ObjectOrder(objects)
    let keys = objects.keys
    var present: [(position: Int, rows: Int)] = []
    var (runs, runLengths) = (KeyBatch(), [Int]())
    snapshot.forEachStoredSection { value, rows in
      if let position = objects.position(of: value) {
        present.append((position, rows))
      } else if objects.destination(of: value) == .without,
        let run = snapshot.extent(ofRun: value)
      {
        runs.append(run.lower)
        runLengths.append(rows)
      }
    }
    order.runs = (try? SortedKeyList(sorted: runs)) ?? SortedKeyList()
    order.runLengths = SectionCounts(runLengths)
    var lengths: [Int]
    if order.plan.showsEmpty {
      lengths = Array(repeating: 0, count: keys.count)
      for (position, rows) in present { lengths[position] = rows }
    } else {
      present.sort { $0.position < $1.position }
      var batch = KeyBatch()
      for (position, _) in present { batch.append(keys.key(at: position)) }
      order.present = (try? SortedKeyList(sorted: batch)) ?? SortedKeyList()
      lengths = present.map(\.rows)
    }
    if let without = order.without { lengths.insert(order.runLengths.total, at: without) }
    return (order, lengths)
  }
}

// MARK: - Sections

extension ObjectOrder {
  /// The key of the object that a shown section is, or `nil` for the section of rows without an object.
  func key(ofShown section: Int) -> [UInt8]? {
    let index = section - objectStart
    return index >= 0 && index < shown.count ? shown.key(at: index) : nil
  }

  /// The value that a shown section's rows share, or null for the section of rows without an object.
  func id(ofShown section: Int) -> Value {
    key(ofShown: section).map { $0.withUnsafeBytes { objects.value(of: $0) } } ?? .null
  }

  /// The title of a shown section.
  func title(ofShown section: Int, by key: SectionKey?) -> String {
    guard let object = self.key(ofShown: section) else { return plan.sections.without.title ?? "" }
    let value = object.withUnsafeBytes { objects.title(of: $0) }
    return key?.title(of: value) ?? ""
  }

  /// The shown section of an object, or of the rows without one for null; `nil` if there is none.
  func shown(ofID value: Value) -> Int? {
    if value.isNull { return without }
    return objects.key(of: value).flatMap { shown.position(of: $0) }.map { objectStart + $0 }
  }

  /// The shown section in which rows with a foreign key stand, and the number of rows before them in it; `nil` if they are hidden.
  func location(ofRun value: Value, in snapshot: ResultsSnapshot) -> (section: Int, start: Int)? {
    switch objects.destination(of: value) {
    case .hidden: return nil
    case .object: return shown(ofID: value).map { ($0, 0) }
    case .without:
      guard let without, let lower = snapshot.extent(ofRun: value)?.lower else { return nil }
      return (without, runLengths.start(of: runs.rank(of: lower)))
    }
  }

  /// The positions among all keys of some rows of a shown section, in their order.
  /// - Complexity: O(*r* log *n*) for *r* runs.
  func positions(
    ofShown section: Int,
    rows: Range<Int>,
    in snapshot: ResultsSnapshot
  ) -> [Range<Int>] {
    guard section == without else {
      guard let run = snapshot.run(of: id(ofShown: section)) else { return [] }
      return [run.lowerBound + rows.lowerBound..<run.lowerBound + rows.upperBound]
    }
    var found: [Range<Int>] = []
    var next = rows.lowerBound
    while next < rows.upperBound, let (run, offset) = runLengths.run(containing: next) {
      let count = min(rows.upperBound - next, runLengths[run] - offset)
      let start = snapshot.keys.positions(of: SectionExtent(lower: runs.key(at: run))).lowerBound
      found.append(start + offset..<start + offset + count)
      next += count
    }
    return found
  }

  /// The number of rows of a shown section, those beyond its limit included.
  func matchingCount(ofShown section: Int, in snapshot: ResultsSnapshot) -> Int {
    section == without ? runLengths.total : snapshot.run(of: id(ofShown: section))?.count ?? 0
  }

  /// The number of rows of each shown section, those beyond their limits included.
  /// - Complexity: O(*s* log *n*) in the sections.
  func matchingCounts(in snapshot: ResultsSnapshot) -> [Int] {
    (0..<count).map { matchingCount(ofShown: $0, in: snapshot) }
  }

  /// The stored sections of which a shown one consists, in order.
  /// - Complexity: O(*r* log *n*) for *r* runs.
  func stored(ofShown section: Int, in snapshot: ResultsSnapshot) -> [Int] {
    guard section == without else {
      return snapshot.storedSection(of: SectionID(id(ofShown: section))).map { [$0] } ?? []
    }
    var found: [Int] = []
    runs.forEachKey(in: 0..<runs.count) { _, lower in
      let start = snapshot.keys.positions(of: SectionExtent(lower: Array(lower))).lowerBound
      let run = snapshot.storedCounts.run(containing: start - snapshot.window.lowerBound)
      if let run { found.append(run.run) }
    }
    return found
  }
}

// MARK: - Landing

extension ObjectOrder {
  /// Finds where a row would be shown, without limits, if it were written with a foreign key (R122).
  /// - Parameters:
  ///   - row: The row's number in the run of its foreign key after the change.
  ///   - value: The foreign key.
  ///   - leaving: The path without limits that the row has now, or `nil` if it is not in the list or hidden.
  ///   - created: The key of the object that the foreign key names, if that would be stored with the row.
  ///   - snapshot: The generation as the keys have it.
  /// - Returns: `nil` if the row would be hidden.
  func landingPath(
    row: Int,
    ofRun value: Value,
    leaving: RowPath?,
    creating created: [UInt8]?,
    in snapshot: ResultsSnapshot
  ) -> (id: Value, section: Int, row: Int)? {
    /// Whether the section that the row leaves is gone then.
    var emptied: Int?
    if let leaving, matchingCount(ofShown: leaving.section, in: snapshot) == 1,
      leaving.section == without || !plan.showsEmpty
    {
      emptied = leaving.section
    }
    switch created == nil ? objects.destination(of: value) : .object {
    case .hidden: return nil
    case .object:
      guard let key = created ?? objects.key(of: value) else { return nil }
      let section = objectStart + shown.rank(of: key)
      let isLeftBefore = emptied.map { $0 < section } ?? false
      return (value, section - (isLeftBefore ? 1 : 0), row)
    case .without:
      let last = shown.count - (emptied.map { $0 != without } ?? false ? 1 : 0)
      let section = plan.hasWithoutFirst ? 0 : last
      guard let lower = snapshot.extent(ofRun: value)?.lower else { return nil }
      let rank = runs.rank(of: lower)
      var start = rank < runs.count ? runLengths.start(of: rank) : runLengths.total
      // The row itself no longer stands in an earlier run.
      if let leaving, leaving.section == without, leaving.row < start { start -= 1 }
      return (.null, section, start + row)
    }
  }
}

// MARK: - Advancing

/// How the sections of a list that are objects differ from those of the generation before.
struct ObjectTransition {
  var order: ObjectOrder
  /// The sections before that left.
  var left: [Int] = []
  /// The sections after that came.
  var came: [Int] = []
  /// The sections whose object has another key, before and after.
  var rekeyed: [(old: Int, new: Int)] = []
  /// The sections after whose rows or title may differ.
  var touched: Set<Int> = []
  /// The runs whose rows stand in another section, or are shown or hidden, though their foreign key is the same.
  var regrouped: [Value] = []
}

extension ObjectOrder {
  /// Finds the sections of the next generation.
  /// - Parameters:
  ///   - values: The foreign keys of the runs and objects that changed in any way.
  ///   - next: The objects of the next generation.
  ///   - snapshots: The two generations as the keys have them.
  /// - Returns: The sections of the next generation, and how they differ.
  /// - Complexity: O(*c* log *n*) for *c* values.
  func advanced(
    by values: Set<Value>,
    to next: SectionObjects,
    _ snapshots: (old: ResultsSnapshot, next: ResultsSnapshot)
  ) -> ObjectTransition {
    var order = ObjectOrder(next)
    (order.present, order.runs, order.runLengths) = (present, runs, runLengths)
    /// What a value stood for before and after.
    struct Fate {
      var old: [UInt8]?
      var new: [UInt8]?
    }
    var fates: [Fate] = []
    var regrouped: [Value] = []
    var touchesWithout = false
    for value in values {
      let (oldKey, newKey) = (objects.key(of: value), next.key(of: value))
      let hadRows = snapshots.old.run(of: value) != nil
      let newRun = snapshots.next.run(of: value)
      let fate = Fate(
        old: plan.showsEmpty || hadRows ? oldKey : nil,
        new: plan.showsEmpty || newRun != nil ? newKey : nil
      )
      if fate.old != nil || fate.new != nil { fates.append(fate) }
      if !plan.showsEmpty, fate.old != fate.new {
        if let key = fate.old { _ = order.present.remove(key) }
        if let key = fate.new { _ = order.present.insert(key) }
      }
      let (from, to) = (objects.destination(of: value), next.destination(of: value))
      if from == .without || to == .without,
        let lower = snapshots.next.extent(ofRun: value)?.lower
      {
        touchesWithout = true
        order.setRun(lower, length: to == .without ? newRun?.count ?? 0 : 0)
      }
      if from != to, hadRows, newRun != nil { regrouped.append(value) }
    }
    var transition = ObjectTransition(order: order, regrouped: regrouped)
    if let without, order.without == nil { transition.left.append(without) }
    if let section = order.without {
      if without == nil { transition.came.append(section) }
      if touchesWithout { transition.touched.insert(section) }
    }
    for fate in fates {
      let old = fate.old.flatMap { shown.position(of: $0) }.map { objectStart + $0 }
      let new = fate.new.flatMap { order.shown.position(of: $0) }.map { order.objectStart + $0 }
      if let new { transition.touched.insert(new) }
      switch (old, new) {
      case (let old?, let new?):
        if fate.old != fate.new { transition.rekeyed.append((old, new)) }
      case (let old?, nil): transition.left.append(old)
      case (nil, let new?): transition.came.append(new)
      case (nil, nil): break
      }
    }
    return transition
  }

  /// Sets the length of a run of rows without an object; one without rows is removed.
  private mutating func setRun(_ lower: [UInt8], length: Int) {
    let rank = runs.rank(of: lower)
    if runs.position(of: lower) != nil {
      guard length > 0 else {
        runs.remove(at: rank)
        _ = runLengths.remove(at: rank)
        return
      }
      runLengths.add(length - runLengths[rank], at: rank)
    } else if length > 0 {
      _ = runs.insert(lower)
      runLengths.insert(length, at: rank)
    }
  }
}

extension ResultsSnapshot {
  /// The range of the keys whose first column has a value, or `nil` for a value that the column cannot have.
  func extent(ofRun value: Value) -> SectionExtent? {
    var writer = KeyWriter()
    guard writer.append(value, layout.order[0]) else { return nil }
    return SectionExtent(prefix: writer.bytes)
  }

  /// The positions of the keys whose first column has a value, or `nil` if there are none.
  /// - Complexity: O(log *n*)
  func run(of value: Value) -> Range<Int>? {
    guard let extent = extent(ofRun: value) else { return nil }
    let positions = keys.positions(of: extent).clamped(to: window)
    return positions.isEmpty ? nil : positions
  }
}
