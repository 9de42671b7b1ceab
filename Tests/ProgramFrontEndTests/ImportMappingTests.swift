import ProgramFrontEnd
import ResultsDomain
import Testing

/// R282: the columns of a file get the names of attributes.
@Suite struct ImportMappingTests {
  private func mapping(_ maps: [String], _ constants: [String] = []) throws -> ImportMapping {
    try ImportMapping(maps, constants: constants, form: Member.entity, for: .machine)
  }

  private func record(_ fields: (String, String)...) -> Record {
    Record(
      line: 2,
      fields: fields.enumerated().map {
        RecordField(name: $1.0, value: .text($1.1), column: $0 + 1)
      }
    )
  }

  private func texts(_ record: Record) -> [String] {
    record.fields.map { "\($0.name)=\($0.value)" }
  }

  @Test func `R282: a column gives its values to an attribute, and a name may have commas`() throws
  {
    let mapping = try mapping(["NAME=Full, official,age = Years", "email=Full, official"])
    #expect(mapping.pairs.map(\.field) == ["name", "age", "email"])
    #expect(mapping.pairs.map(\.column) == ["Full, official", " Years", "Full, official"])
  }

  @Test func `R282: a sign that combines with the one before it belongs to the column's name`()
    throws
  {
    let mapping = try mapping(["name=\u{301}a,age=\u{308}b"], ["email=\u{301}"])
    #expect(mapping.pairs.map(\.field) == ["name", "age"])
    #expect(
      mapping.pairs.map { Array($0.column.unicodeScalars) } == [
        ["\u{301}", "a"], ["\u{308}", "b"],
      ]
    )
    #expect(mapping.constants.first?.value == .text("\u{301}"))
  }

  @Test
  func `R282: mapped columns stand before the others, and take the attributes' own columns away`()
    throws
  {
    let mapping = try mapping(["name=Nom"], ["age=41"])
    let applied = try mapping.applied(
      to: record(("Name", "x"), ("nom", "Ann"), ("age", "7"), ("email", "a@b")),
      isWhole: true
    )
    #expect(texts(applied) == ["name='Ann'", "email='a@b'", "age=41"])
    #expect(applied.line == 2)
  }

  @Test func `R282: a missing column is an error with those that there are, but for lines of JSON`()
    throws
  {
    let mapping = try mapping(["name=Nom"])
    let error = #expect(throws: RecordError.self) {
      try mapping.applied(to: record(("Non", "x"), ("b", "y")), isWhole: true)
    }
    #expect(
      error?.description
        == ":1: there is no column “Nom” for name. Did you mean “Non”? The file has Non, b."
    )
    #expect(error?.isRecoverable == false)
    #expect(try texts(mapping.applied(to: record(("b", "y")), isWhole: false)) == ["b='y'"])
  }

  @Test(
    arguments: [
      (["nane=X"], [], "--map: “nane” is no attribute of Member. Did you mean “name”?"),
      (["name"], [], "--map takes FIELD=COLUMN, not “name”."),
      (["name="], [], "--map names no column for name."),
      (["name=a,name=b"], [], "name gets its values twice."),
      (["name=a"], ["NAME=b"], "name gets its values twice."),
      ([], ["age=old"], "age: must be"),
      ([""], [], "--map takes FIELD=COLUMN, not “”."),
    ] as [([String], [String], String)]
  )
  func `R282: what is wrong with a mapping is named`(
    maps: [String],
    constants: [String],
    message: String
  ) {
    let error = #expect(throws: CommandFailure.self) { try mapping(maps, constants) }
    #expect(
      error.map { "\($0.message) \($0.remedy)".hasPrefix(message) } == true,
      "\(String(describing: error))"
    )
  }
}
