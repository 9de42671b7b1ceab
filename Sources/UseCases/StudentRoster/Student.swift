public import ResultsDomain

/// One student.
///
/// The number is not the key, because random numbers collide.
public struct Student: Entity {
  /// The key; the store assigns it.
  public var id: Int64?
  /// The student's number.
  public var studentId: Int16
  /// The student's name.
  public var studentName: String
  /// The student's age in years.
  public var studentAge: Int16

  /// A student without a key.
  public init(studentId: Int16, studentName: String, studentAge: Int16) {
    self.studentId = studentId
    self.studentName = studentName
    self.studentAge = studentAge
  }

  /// An empty student, to be filled from a row.
  public init() { self.init(studentId: 0, studentName: "", studentAge: 0) }

  /// The student as one line: `number:name age:n`.
  public var line: String { "\(studentId):\(studentName) age:\(studentAge)" }

  /// The entity Student.
  public static let schema = EntitySchema<Student>("Student", identity: \.id) {
    Attribute(\.studentId, "studentId")
    Attribute(\.studentName, "studentName")
    Attribute(\.studentAge, "studentAge")
  }

  /// Returns a student with a random number from 0 to 32,766, a name that ends in a number below 100,000, and an age from 10 to 19.
  public static func random(using generator: inout some RandomNumberGenerator) -> Student {
    Student(
      studentId: Int16.random(in: 0...32_766, using: &generator),
      studentName: "student-\(Int.random(in: 0..<100_000, using: &generator))",
      studentAge: Int16.random(in: 10...19, using: &generator)
    )
  }
}
