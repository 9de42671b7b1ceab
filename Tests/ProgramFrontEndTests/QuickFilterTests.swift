import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ProgramFrontEnd

@Suite("The short form of a filter")
struct QuickFilterTests {
  private func text(_ filter: String) throws -> String {
    try QuickFilter(filter, of: Club.self, for: .machine).predicate.text(in: Member.entity)
  }

  private func error(_ filter: String) throws -> QuickFilterError {
    try #require(throws: QuickFilterError.self) {
      try QuickFilter(filter, of: Club.self, for: .machine)
    }
  }

  @Test(
    arguments: [
      ("", "TRUEPREDICATE"), ("   ", "TRUEPREDICATE"),
      ("sea", "name CONTAINS[cd] 'sea'"), ("\"the sea\"", "name CONTAINS[cd] 'the sea'"),
      ("all:sea", "name CONTAINS[cd] 'sea' OR email CONTAINS[cd] 'sea'"),
      ("ALL:\"the sea\"", "name CONTAINS[cd] 'the sea' OR email CONTAINS[cd] 'the sea'"),
      ("all:11..22", "name CONTAINS[cd] '11..22' OR email CONTAINS[cd] '11..22'"),
      ("name:sea", "name CONTAINS[cd] 'sea'"), ("NAME:sea", "name CONTAINS[cd] 'sea'"),
      ("name=sea", "name == 'sea'"), ("name!=sea", "name != 'sea'"), ("age>=18", "age >= 18"),
      ("age:18", "age == 18"), ("age<18", "age < 18"), ("age:18..30", "age BETWEEN {18, 30}"),
      ("fee>2.50", "fee > 2.50"), ("isActive:true", "isActive == TRUE"),
      ("a age>3", "name CONTAINS[cd] 'a' AND age > 3"),
      ("all:a age>3", "(name CONTAINS[cd] 'a' OR email CONTAINS[cd] 'a') AND age > 3"),
      ("= age > 3 OR name == 'x'", "age > 3 OR name == 'x'"),
      ("name:\"a b\"", "name CONTAINS[cd] 'a b'"), ("name:11..22", "name BETWEEN {'11', '22'}"),
      ("name:\"11..22\"", "name CONTAINS[cd] '11..22'"),
      ("http://a:80", "name CONTAINS[cd] 'http://a:80'"),
      ("all:http://a:80", "name CONTAINS[cd] 'http://a:80' OR email CONTAINS[cd] 'http://a:80'"),
      ("11/22>3", "name CONTAINS[cd] '11/22>3'"), ("-", "name CONTAINS[cd] '-'"),
      ("name=\u{301}sea", "name == '\u{301}sea'"),
      ("name:\"a b\"\u{301}", "name CONTAINS[cd] 'a b\u{301}'"),
    ]
  )
  func `terms are read as predicates`(_ filter: String, _ predicate: String) throws {
    let parsed = try FetchPredicate(parsing: predicate, entity: Member.entity)
    #expect(try text(filter) == parsed.text(in: Member.entity))
  }

  @Test func `R211: a word finds the accents of a text, and a mark alone finds itself`() throws {
    let (store, _) = try Club.store()
    try store.write { transaction in
      for name in ["Café", "CAFE", "Cafe\u{301}", "Capri"] {
        let row = Member.entity.attributes.map { attribute -> Value in
          attribute.name == "name"
            ? .text(name) : attribute.isOptional ? .null : attribute.type == .text ? "" : 0
        }
        try transaction.insert(row, key: nil, into: Member.entity)
      }
    }
    func count(_ filter: String) throws -> Int {
      try store.fetch(
        FetchRequest<ObjectID>(
          entity: Member.entity,
          where: try QuickFilter(filter, of: Club.self, for: .machine).predicate,
          sortedBy: [FetchSortDescriptor(.objectKey)]
        )
      ).count
    }
    for filter in ["cafe", "café", "CAFÉ", "name:cafe", "\"cafe\""] {
      #expect(try count(filter) == 3, "\(filter)")
    }
    #expect(try count("-cafe") == 1)
    #expect(try count("\u{301}") == 1)
  }

  @Test func `a number or a day is searched in the attributes of its type too`() throws {
    #expect(try text("41") == "name CONTAINS[cd] '41' OR age == 41")
    #expect(
      try text("all:41")
        == "name CONTAINS[cd] '41' OR age == 41 OR fee == 41.00 OR email CONTAINS[cd] '41'"
    )
    let day = try text("all:2026-11-03")
    let parsed = try FetchPredicate(parsing: "since == '2026-11-03'", entity: Member.entity)
    #expect(day.contains(parsed.text(in: Member.entity)))
    for comparison in ["==", "!=", "<", "<=", ">", ">="] {
      let sign = comparison == "==" ? ":" : comparison
      let long = try FetchPredicate(
        parsing: "since \(comparison) '2026-11-03'",
        entity: Member.entity
      )
      #expect(try text("since\(sign)2026-11-03") == long.text(in: Member.entity), "\(comparison)")
    }
    let between = try FetchPredicate(
      parsing: "since BETWEEN {'2026-11-01', '2026-11-03'}",
      entity: Member.entity
    )
    #expect(try text("since:2026-11-01..2026-11-03") == between.text(in: Member.entity))
  }

  @Test(
    arguments: [
      ("naem>3", 1, "“naem” is not an attribute of Member.", "Did you mean “name”?"),
      ("x -naem=3", 4, "“naem” is not an attribute of Member.", "Did you mean “name”?"),
      ("age>", 5, "age> needs a value.", "Write it directly behind the sign."),
      ("x all:", 7, "all: needs a value.", "Write it directly behind the sign."),
      ("age>old", 5, "age: must be a whole number", ""),
      ("e\u{301} \"b", 3, "The quotation is not closed.", "Close it with \"."),
      ("=agee > 3", 2, "Member has no attribute named agee.", "Did you mean age?"),
      ("  = agee > 3", 5, "Member has no attribute named agee.", "Did you mean age?"),
    ]
  )
  func `a term that is not understood is named with its column and a remedy`(
    _ filter: String,
    _ column: Int,
    _ message: String,
    _ remedy: String
  ) throws {
    let error = try error(filter)
    #expect(error.column == column)
    #expect(error.message.hasPrefix(message), "\(error.message)")
    #expect(error.remedy.hasPrefix(remedy), "\(error.remedy)")
  }

  @Test func `numbers are read in the locale that they are typed in`() throws {
    let filter = try QuickFilter("fee=1.234,5", of: Club.self, for: .of("de_DE"))
    #expect(filter.predicate == .comparison(.attribute("fee"), .equal, .literal(.integer(123_450))))
  }

  @Test(arguments: [
    (["email"], "41", "email CONTAINS[cd] '41'"),
    (["id", "fee"], "41", "SELF == 41 OR fee == 41.00"),
    (["fee"], "sea", "FALSEPREDICATE"), (["isActive"], "true", "FALSEPREDICATE"),
    // A computed attribute is no part of a condition.
    (["initial", "name"], "sea", "name CONTAINS[cd] 'sea'"),
    (["name"], "-sea", "name == NULL OR NOT name CONTAINS[cd] 'sea'"),
  ])
  func `R211: a word is searched in the columns that are shown`(
    _ columns: [String],
    _ filter: String,
    _ predicate: String
  ) throws {
    let parsed = try FetchPredicate(parsing: predicate, entity: Member.entity)
    let filter = try QuickFilter(filter, of: Club.self, showing: columns, for: .machine)
    #expect(filter.predicate.text(in: Member.entity) == parsed.text(in: Member.entity))
  }

  @Test(arguments: UInt64(1)...30)
  func `a term and its negation divide the rows, whatever is null`(seed: UInt64) throws {
    var workload = RandomStoreWorkload(seed: seed)
    let (store, _) = try Club.store()
    try store.write { transaction in
      for _ in 0..<40 {
        let values = workload.values(for: Member.entity)
        try transaction.insert(values, key: nil, into: Member.entity)
      }
    }
    let terms = [
      "a", "9", "\" a\"", "all:a", "all:9", "name:b", "age=2", "age!=2", "age:-1..4", "fee<0.03",
      "email=a",
      "since!=1970-01-01", "since:1970-01-01", "isActive:true", "since<=2023-11-14",
    ]
    func ids(_ filter: String) throws -> Set<ObjectID> {
      let predicate = try QuickFilter(filter, of: Club.self, for: .machine).predicate
      let request = FetchRequest<ObjectID>(
        entity: Member.entity,
        where: predicate,
        sortedBy: [FetchSortDescriptor(.objectKey)]
      )
      return Set(try store.fetch(request))
    }
    let all = try ids("")
    #expect(all.count == 40)
    for term in terms {
      let (with, without) = (try ids(term), try ids("-\(term)"))
      #expect(with.isDisjoint(with: without), "seed \(seed), \(term)")
      #expect(with.union(without) == all, "seed \(seed), \(term)")
      #expect(try ids("\(term) age>1") == with.intersection(ids("age>1")), "seed \(seed), \(term)")
    }
  }
}
