import Foundation
import Testing

/// R296: columns that users add to a program's objects are columns like the others.
@Suite struct CustomColumnTests {
  private func roster(_ rows: [(Int, String, Int)]) throws -> ProgramRun {
    let run = try ProgramRun()
    for (number, name, age) in rows {
      try run.run(
        "student-roster",
        "add",
        "studentId=\(number)",
        "studentName=\(name)",
        "studentAge=\(age)",
        "--store",
        "s.sqlite"
      )
    }
    return run
  }

  private func students(_ run: ProgramRun, _ arguments: String..., expecting status: Int32 = 0)
    throws -> ProgramResult
  {
    let result = try run.run("student-roster", arguments + ["--store", "s.sqlite"])
    #expect(result.status == status, "\(arguments): \(result)")
    return result
  }

  @Test func `R296: true and false of JSON Lines become a flag, and among numbers 1 and 0`() throws
  {
    let run = try ProgramRun()
    let students = ["a", "b", "c"].enumerated().map { index, name in
      #"{"studentId":\#(index + 1),"studentName":"\#(name)","studentAge":20,"#
        + #""paid":\#(["true", "null", "false"][index]),"mixed":\#(["true", "7", "0"][index]),"#
        + #""digit":\#(index % 2)}"#
    }
    try run.write(students.joined(separator: "\n"), to: "s.jsonl")
    let imported = try self.students(run, "import", "s.jsonl", "--add-columns")
    let types = "added the columns paid (flag), mixed (integer), digit (integer)\n"
    #expect(imported.output.hasPrefix(types), "\(imported)")
    let exported = try self.students(run, "export", "-", "--format", "jsonl").lines
    #expect(exported.first?.hasSuffix(#""paid":true,"mixed":1,"digit":0}"#) == true, "\(exported)")
    #expect(exported.last?.hasSuffix(#""paid":false,"mixed":0,"digit":0}"#) == true)
  }

  @Test func `R296: a column is listed, sorted by, searched, edited and exported`() throws {
    let run = try roster([(1, "Ann", 20), (2, "Bob", 21)])
    let added = try students(run, "column", "add", "Test 1", "number")
    #expect(added.output == "added the column “Test 1” (number)\n")
    _ = try students(run, "column", "add", "Passed", "flag")
    _ = try students(run, "edit", "1", "Test 1=2.5", "Passed=true")
    _ = try students(run, "add", "studentId=3", "studentName=Cy", "studentAge=19", "Test 1=3.1")
    let csv = ["--format", "csv", "--section-by", "none"]
    #expect(
      try run.run(
        "student-roster",
        ["list", "--sort", "-Test 1,studentName", "--store", "s.sqlite"] + csv
      ).output == """
        studentId,studentName,studentAge,Test 1,Passed
        3,Cy,19,3.10,
        1,Ann,20,2.50,true
        2,Bob,21,,

        """
    )
    let found = try students(run, "list", "--where", "`Test 1` > 3", "--format", "jsonl")
    #expect(found.output.contains(#""studentName":"Cy","studentAge":19,"Test 1":"3.10""#))
    #expect(try students(run, "show", "1").output.contains("Test 1       2.50\n"))
    #expect(
      try students(run, "export", "-", "--format", "csv").output.hasPrefix(
        "studentId,studentName,studentAge,Test 1,Passed\n3,Cy,19,3.10,\n"
      )
    )
    #expect(
      try students(run, "column").output
        == "name\ttype\tvalues\nTest 1\tnumber\t2\nPassed\tflag\t1\n"
    )
    let undone = try students(run, "undo")
    #expect(undone.output.hasPrefix("took back: added a student"), "\(undone)")
  }

  @Test func `R296: another name keeps the values, and no values are lost unasked`() throws {
    let run = try roster([(1, "Ann", 20)])
    _ = try students(run, "column", "add", "Remark", "text")
    _ = try students(run, "edit", "1", "Remark=kind")
    let renamed = try students(run, "column", "rename", "Remark", "Note")
    #expect(renamed.output == "renamed the column “Remark” to “Note”\n")
    #expect(try students(run, "show", "1").output.contains("Note         kind\n"))
    let refused = try students(run, "column", "remove", "Note", expecting: 1)
    #expect(
      refused.errors
        == "student-roster: The column “Note” has 1 value, and 'undo' does not bring them back."
        + " Nothing was removed; --force removes them too.\n"
    )
    let removed = try students(run, "column", "remove", "Note", "--force")
    #expect(removed.output == "removed the column “Note” with 1 value\n")
    #expect(try students(run, "list", "--format", "csv").output.contains("Note") == false)
    _ = try students(run, "column", "add", "Note", "integer")
    _ = try students(run, "edit", "1", "Note=3")
  }

  @Test(arguments: [
    (["add", "studentname", "text"], 64, "There is a column “studentName” already."),
    (["add", "XMIN", "text"], 64, "There is a column “xmin” already."),
    (["add", "a,b", "text"], 64, "options and conditions give “,” a meaning."),
    (["add", "-x", "text"], 64, "student-roster: "),
    (["add", " x", "text"], 64, "“ x” cannot be the name of a column."),
    (["add", "x\ny", "text"], 64, "cannot be the name of a column."),
    (["add", "x", "money"], 64, "The value 'money' is invalid"),
    (["remove", "studentName"], 1, "“studentName” is a column of student-roster itself."),
    (["rename", "nothing", "x"], 1, "There is no column “nothing” of yours."),
  ])
  func `R296: what cannot be is refused by name`(
    words: [String],
    status: Int32,
    message: String
  ) throws {
    let run = try roster([(1, "Ann", 20)])
    let result = try run.run("student-roster", ["column"] + words + ["--store", "s.sqlite"])
    #expect(result.status == status && result.errors.contains(message), "\(result)")
    #expect(try students(run, "column").output == "name\ttype\tvalues\n")
  }

  @Test func `R296: headers of the roster have the averages of marks`() throws {
    let run = try roster([(1, "Ann", 20), (2, "Bob", 21), (3, "Cy", 22), (4, "Dan", 23)])
    _ = try students(run, "column", "add", "Class", "text")
    _ = try students(run, "column", "add", "Test 1", "number")
    _ = try students(run, "column", "add", "Test 2", "integer")
    _ = try students(run, "edit", "1", "Class=7a", "Test 1=2.5", "Test 2=1")
    _ = try students(run, "edit", "2", "Class=7a", "Test 1=3.25")
    _ = try students(run, "edit", "3", "Class=7b", "Test 1=-0.15")
    let screen = try students(
      run,
      "browse",
      "--print",
      "--size",
      "80x12",
      "--section-by",
      "Class"
    ).output
    #expect(
      screen.contains(
        "▾ 7a ────────────────────────────────────── avg Test 1 2.9, avg Test 2 1.0  2\n"
      ),
      "\(screen)"
    )
    #expect(screen.contains(" avg Test 1 -0.1  1\n"), "\(screen)")
    #expect(
      screen.contains(
        "▾ (none) ────────────────────────────────────────────────────────────────   1\n"
      ),
      "\(screen)"
    )
  }

  @Test func `R296: fields of events go into the columns of their names, and no others`() throws {
    let run = try ProgramRun()
    func events(_ arguments: String..., input: String = "") throws -> ProgramResult {
      let result = try run.run("event-log", arguments + ["--store", "e.sqlite"], input: input)
      #expect(result.status == 0, "\(arguments): \(result)")
      return result
    }
    for (name, type) in [("host", "text"), ("ms", "integer"), ("ok", "flag")] {
      _ = try events("column", "add", name, type)
    }
    _ = try events("stamp", "one", "host=a4", "ms=7", "try=4")
    let lines =
      #"{"msg":"two","host":"a5","ms":812,"ok":true,"x":1}"# + "\n"
      + #"{"msg":"three","ms":"slow"}"#
    _ = try events("stamp", "-", input: lines + "\nplain\n")
    try run.write(#"{"msg":"four","ok":false}"# + "\n", to: "a.log")
    _ = try events("follow", "a.log", "--once")
    let columns = "message,host,ms,ok,fields"
    #expect(
      try events("list", "--sort", "id", "--columns", columns, "--format", "tsv").output == """
        message\thost\tms\tok\tfields
        one\ta4\t7\t\t{"try":"4"}
        two\ta5\t812\ttrue\t{"x":1}
        three\t\t\t\t{"ms":"slow"}
        plain\t\t\t\t
        four\t\t\tfalse\t

        """
    )
  }

  @Test func `R296: a name that another program has recorded is quoted, whatever it is`() throws {
    let run = try roster([(1, "Ann", 20)])
    _ = try students(run, "column", "add", "Remark", "text")
    _ = try students(run, "edit", "1", "Remark=kind")
    let shell = try run.run(
      TerminalRun.sqlite3,
      [
        run.path("s.sqlite"),
        #"ALTER TABLE Student RENAME COLUMN Remark TO "a"" = 'x' --";"#
          + #"UPDATE _results_attribute SET name = 'a" = ''x'' --' WHERE name = 'Remark'"#,
      ]
    )
    #expect(shell.status == 0, "\(shell)")
    _ = try students(run, "column", "rename", "a\" = 'x' --", "Note")
    #expect(try students(run, "show", "1").output.contains("Note         kind\n"))
  }

  @Test func `R296: columns whose names are alike but not the same are both added`() throws {
    let run = try ProgramRun()
    try run.write(
      "studentId,studentName,studentAge,caf\u{E9},cafe\u{301}\n1,Ann,20,a,b\n",
      to: "b.csv"
    )
    let imported = try students(run, "import", "b.csv", "--add-columns")
    #expect(
      imported.output
        == "added the columns caf\u{E9} (text), cafe\u{301} (text)\nimported 1 student, 0 known already\n",
      "\(imported)"
    )
    #expect(try students(run, "export", "-", "--format", "csv").output.hasSuffix(",a,b\n"))
  }

  @Test func `R296: a hundred columns are enough`() throws {
    let run = try ProgramRun()
    let header = (1...101).map { "c\($0)" }.joined(separator: ",")
    let row = (1...101).map(String.init).joined(separator: ",")
    try run.write(
      "studentId,studentName,studentAge,\(header)\n1,Ann,20,\(row)\n",
      to: "wide.csv"
    )
    let refused = try students(run, "import", "wide.csv", "--add-columns", expecting: 65)
    #expect(refused.errors.contains("more than 100 columns that would be yours"), "\(refused)")
  }

  @Test func `R296: a list that runs meanwhile goes on, and the shell is a writer like others`()
    throws
  {
    let run = try roster([(1, "Ann", 20)])
    let watch = try run.start(
      "student-roster",
      "watch",
      "--format",
      "jsonl",
      "--store",
      "s.sqlite"
    )
    #expect(try #require(try watch.line()).contains(#""rows":1"#))
    _ = try students(run, "column", "add", "Remark", "text")
    #expect(try #require(try watch.line()).contains(#""reason":"schemaChanged""#))
    _ = try students(run, "edit", "1", "studentAge=21", "Remark=kind")
    let delta = try #require(try watch.line())
    #expect(delta.contains(#""changed":["studentAge"]"#) && !delta.contains("Remark"), "\(delta)")
    watch.send(SIGKILL)
    let second = try run.start(
      "student-roster",
      "watch",
      "--format",
      "jsonl",
      "--store",
      "s.sqlite"
    )
    #expect(try #require(try second.line()).contains(#""Remark":"kind""#))
    let shell = try run.run(
      TerminalRun.sqlite3,
      [run.path("s.sqlite"), "UPDATE Student SET Remark = 'late' WHERE studentId = 1"]
    )
    #expect(shell.status == 0, "\(shell)")
    #expect(try #require(try second.line()).contains(#""changed":["Remark"]"#))
    second.send(SIGKILL)
  }

  @Test func `R296: an import adds columns for what a file has besides, with the types that fit`()
    throws
  {
    let run = try ProgramRun()
    try run.write(
      """
      publisher,title,author,year,city,Nr. 1,price,entered,used,zip
      P,Sea,Ann,1990,Rome,7,3.5,2020-01-02,true,0123
      P,Sun,Bob,1991,"Köln, Am Rhein",8,12,2020-01-03,false,1234

      """,
      to: "b.csv"
    )
    func books(_ arguments: String...) throws -> ProgramResult {
      try run.run("book-catalog", arguments + ["--store", "b.sqlite"])
    }
    let tried = try books("import", "b.csv", "--add-columns", "--dry-run")
    let columns =
      "city (text), Nr_ 1 (integer), price (number), entered (date), used (flag), zip (text)"
    #expect(
      tried.output
        == "would add the columns \(columns)\nwould import 2 books, 0 known already\n",
      "\(tried)"
    )
    let imported = try books("import", "b.csv", "--add-columns")
    #expect(
      imported.output == "added the columns \(columns)\nimported 2 books, 0 known already\n",
      "\(imported)"
    )
    let again = try books("import", "b.csv", "--add-columns")
    #expect(again.output == "imported 0 books, 2 known already\n", "\(again)")
    let exported = try books("export", "-", "--format", "csv").output
    #expect(
      exported.hasPrefix(
        "publisher,title,author,year,language,identifier,filedAs,series,volume,rating,"
          + "city,Nr_ 1,price,entered,used,zip,coauthors,tags\n"
          + "P,Sea,Ann,1990,,,,,,,Rome,7,3.50,2020-01-02,true,0123,,\n"
      ),
      "\(exported)"
    )
    // What it exports, it imports elsewhere.
    try run.write(exported, to: "out.csv")
    try run.run("book-catalog", "import", "out.csv", "--add-columns", "--store", "c.sqlite")
    let copy = try run.run(
      "book-catalog",
      "export",
      "-",
      "--format",
      "csv",
      "--store",
      "c.sqlite"
    )
    #expect(copy.output == exported)
  }

  @Test func `R296: a refused import adds no columns`() throws {
    let run = try ProgramRun()
    try run.write(
      "studentId,studentName,studentAge,mark\n1,Ann,20,3\nx,Bob,21,4\n",
      to: "bad.csv"
    )
    _ = try students(run, "import", "bad.csv", "--add-columns", expecting: 65)
    #expect(try students(run, "column").output == "name\ttype\tvalues\n")
    let skipped = try students(
      run,
      "import",
      "bad.csv",
      "--add-columns",
      "--skip-bad",
      expecting: 1
    )
    #expect(
      skipped.output
        == "added the column mark (integer)\nimported 1 student, 0 known already, 1 skipped\n",
      "\(skipped)"
    )
  }
}

#if PostgreSQL
/// R296 over a server.
@Suite(.timeLimit(.minutes(5))) struct CustomColumnServerTests {
  @Test func `R296: columns over a database are those over a file, and its log stays complete`()
    throws
  {
    let server = try ServerRun()
    let commands: [[String]] = [
      ["add", "studentId=1", "studentName=Ann", "studentAge=20"],
      ["column", "add", "Test 1", "number"], ["column", "add", "Remark", "text"],
      ["edit", "1", "Test 1=2.5", "Remark=kind"],
      ["add", "studentId=2", "studentName=Bob", "studentAge=21", "Test 1=3"],
      ["list", "--sort", "-Test 1", "--section-by", "none", "--format", "csv"],
      ["column", "rename", "Remark", "Note"], ["edit", "2", "Note=late"],
      ["undo"], ["list", "--where", "Note == 'kind'", "--format", "csv"],
      ["column", "remove", "Note"], ["column", "remove", "Note", "--force"], ["column"],
      ["edit", "2", "Test 1=1"], ["undo"], ["export", "-", "--format", "csv"],
    ]
    for command in commands {
      let file = try server.run.run("student-roster", command + ["--store", "s.sqlite"])
      let database = try server.run.run("student-roster", command + ["--store", server.url])
      #expect(database.status == file.status, "\(command): \(file)\n\(database)")
      #expect(database.output == file.output, "\(command): \(file)\n\(database)")
      #expect(database.errors == file.errors, "\(command): \(file)\n\(database)")
    }
    let doctor = try server.run.run("student-roster", ["doctor", "--store", server.url])
    #expect(doctor.output.contains("history    row by row, of every writer"), "\(doctor)")
  }
}
#endif
