public import ResultsDomain
public import ResultsPresentation

/// A roster of students, in sections by age and by number within them: its commands and live queries.
public struct StudentRoster: Sendable {
  /// The store the students are in.
  public let store: any Store

  /// A roster over a store that was opened with the entity Student.
  public init(_ store: any Store) { self.store = store }

  /// What the roster lists: at most two hundred, by number, read fifty at a time.
  ///
  /// The age comes first by itself, because it divides.
  public static func request<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> FetchRequest<Object> {
    FetchRequest<Object>(
      entity: Student.entity,
      sortedBy: [.ascending("studentId")],
      fetchLimit: 200,
      fetchBatchSize: 50
    )
  }

  /// What divides the roster unless told otherwise.
  public static let sectionKey = SectionKey.attribute("studentAge")

  /// The roster in its sections, kept under the name `StudentTable` where there is a place for caches.
  public static func definition<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> ResultsDefinition<Object> {
    ResultsDefinition(request(kind), sectionedBy: sectionKey, cacheName: "StudentTable")
  }

  /// The live list of students.
  public func students(
    options: ResultsOptions = ResultsOptions()
  ) -> FetchedResultsController<Student> {
    FetchedResultsController(Self.definition(Student.self), in: store, options: options)
  }

  /// Adds a random student.
  /// - Returns: The identity it was given.
  /// - Throws: `StoreError`.
  @discardableResult
  public func addRandom(
    using generator: inout some RandomNumberGenerator
  ) throws(StoreError) -> ObjectID {
    let student = Student.random(using: &generator)
    return try store.commit(origin: .unnamed) { try $0.insert(student) }.result
  }

  /// Removes the student at a path of what a list shows.
  /// - Returns: Whether there was one.
  /// - Throws: `StoreError`.
  @discardableResult
  public func remove(
    at path: RowPath,
    of results: ResultsList<some FetchedObject>
  ) throws(StoreError) -> Bool {
    guard let id = results.objectID(at: path) else { return false }
    return try store.commit(origin: .unnamed) { try $0.delete(id, of: Student.entity) }.result
  }
}
