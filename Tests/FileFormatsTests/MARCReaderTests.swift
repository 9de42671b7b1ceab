import ResultsDomain
import ResultsTesting
import Testing

@testable import FileFormats

/// R293: records of libraries as books, in ISO 2709.
@Suite struct MARCReaderTests {
  private static let zoo: [(tag: String, text: String)] = [
    ("001", "x1"), ("008", "980101s1998    enk           000 0 eng  "),
    ("020", "  $a0306406152 (pbk.) :$c9 pounds"), ("020", "  $a978-0-306-40615-7"),
    ("100", "1 $aKeeper, Ada,$d1950-"), ("245", "14$aThe zoo :$ba guide /$cAda Keeper."),
    ("264", " 4$c©1997"), ("264", " 1$aLondon :$bOtter & Sons,$c[1998?]"),
    ("650", " 0$aZoos$vGuidebooks."), ("650", " 0$aAnimals; their houses."),
  ]

  /// The fields of the only record, or its error.
  private func read(_ fields: [(tag: String, text: String)]) -> String {
    let bytes = MARCFile.iso(fields)
    let read = MARCReader(bytes: bytes, source: "m").all()
    let inXML = MARCXMLReader(bytes: Array(MARCFile.xml([fields]).utf8), source: "m").all()
    let text = read.records.first.map(MARCFile.text) ?? read.errors.first?.description ?? ""
    if let record = inXML.records.first {
      #expect(MARCFile.text(record).hasSameBytes(as: text))
    } else {
      #expect(inXML.errors.first?.message == read.errors.first?.message)
    }
    return text
  }

  @Test func `R293: a record is a book, in both forms`() {
    #expect(
      read(Self.zoo)
        == "title=The zoo : a guide nonfiling=4 author=Keeper, Ada publisher=Otter & Sons year=1998 "
        + "language=eng isbn=0306406152 isbn=9780306406157 tags=Zoos; Animals\\; their houses"
    )
    #expect(read([("245", "  $aA")]) == "title=A publisher=")
    // Marks count as bytes, whatever combines with them.
    let subject = read([("245", "  $aA"), ("650", " 0$aB;\u{301} C\\\u{301}D")])
    #expect(
      subject.hasSameBytes(as: "title=A publisher= tags=B\\;\u{301} C\\\\\u{301}D"),
      "\(subject)"
    )
  }

  @Test(
    arguments: [
      ("10$aC/C++ :$bhow to /$cA. B.", "C/C++ : how to"), ("10$aZoos.", "Zoos"),
      ("10$aZoos.$cA.", "Zoos."), ("10$aWhat now?.", "What now?"),
      ("10$aAnd then...", "And then..."),
      ("10$aMade in the U.S.", "Made in the U.S."), ("10$aZoos etc.", "Zoos etc."),
      ("10$aSmith & Co.", "Smith & Co."), ("10$aPlan B.", "Plan B."), ("10$aZoos.$0(x)1", "Zoos"),
      ("10$aLa mer$h[sound] :$bwaves =$bThe sea ;", "La mer : waves = The sea"),
      ("10$aLa mer$h[sound]$bwaves", "La mer : waves"), ("10$aA$bb$nPart 1$pc", "A : b. Part 1. c"),
      ("10$aBooks.$nPart 1,$pBees /", "Books. Part 1, Bees"),
      ("10$a \u{98}Die\u{9C} Uhr", "Die Uhr"),
      ("10$aA, b ,", "A, b"), ("10$a= b", "= b"),
    ] as [(String, String)]
  )
  func `R293: a title has no marks of ISBD at its end`(_ field: String, _ title: String) {
    #expect(
      read([("245", field)]).utf8.starts(with: "title=\(title) ".utf8),
      "\(read([("245", field)]))"
    )
  }

  @Test func `R293: other persons are authors unless they have another role`() {
    let text = read([
      ("245", "  $aOmens"), ("100", "1 $aPratchett, Terry."), ("700", "1 $aGaiman, Neil,$eauthor."),
      ("700", "1 $aKidby, P.;$eillustrator."), ("700", "1 $aSmith; Co,$4aut"),
      ("700", "1 $aWells, H. G.$tTimes."), ("700", "1 $aPratchett, Terry,$d1948-"),
      ("700", "1 $aWithout"),
    ])
    #expect(
      text.hasSuffix(" coauthors=Gaiman, Neil; Smith\\; Co; Without")
        && text.contains("author=Pratchett, Terry "),
      "\(text)"
    )
  }

  @Test(
    arguments: [
      ("1 $aDiscworld ;$vv. 12", "series=Discworld volume=12"),
      ("0 $aRowohlt, Bd. 3", "series=Rowohlt, Bd. 3"),
      ("0 $aZoos ;$v7.5.", "series=Zoos volume=7.5"), ("0 $aZoos ;$v007", "series=Zoos volume=7"),
      ("0 $aZoos ;$v3-4", "series=Zoos"), ("0 $aZoos ;$vno. 0.25", "series=Zoos"),
      ("0 $aZoos ;$vXII", "series=Zoos"), ("0 $aZoos ;$v0", "series=Zoos volume=0"),
      ("0 $a ;$v1", "publisher="), ("0 $aZoos ;$v1234567890123456789", "series=Zoos"),
    ] as [(String, String)]
  )
  func `R293: a series has a volume if that is one number`(_ field: String, _ expected: String) {
    let text = read([("245", "  $aT"), ("490", field)])
    #expect(text.hasSuffix(expected), "\(text)")
  }

  @Test(
    arguments: [
      ("14$aThe zoo", "4"), ("10$aZoo", "0"), ("1 $aZoo", nil), ("1|$aZoo", nil),
      ("10$a\u{98}Die \u{9C}Uhr", "4"), ("10$a\u{98}Die\u{9C} Uhr", "3"),
      ("12$a\u{98}Die Uhr", "2"),
    ] as [(String, String?)]
  )
  func `R293: the characters that filing skips are counted by the record`(
    _ field: String,
    _ count: String?
  ) {
    let text = read([("245", field)])
    #expect(text.contains("nonfiling=\(count ?? "")") == (count != nil), "\(text)")
  }

  @Test(
    arguments: [
      (["100": "1 $aTolkien, J. R. R.,$d1892-"], "author=Tolkien, J. R. R. publisher="),
      (["100": "0 $aJohn Paul$bII,$cPope."], "author=John Paul II publisher="),
      (
        ["110": "2 $aSociety.$bOffice.", "700": "1 $aNight, B.$tMorning."],
        "author=Society. Office "
      ),
      (["110": "2 $aSociety.", "700": "1 $aNight, Bee."], "author=Night, Bee publisher="),
      (["700": "1 $aNight, Bee,$etranslator."], "author=Night, Bee publisher="),
      (["260": "  $aX :$bKnopf, Inc.,$cc1998."], "publisher=Knopf, Inc. year=1998"),
      (["264": " 2$bSold,$c1990", "260": "  $bMade,$c1991"], "publisher=Made year=1991"),
      (["264": " 1$bNew :$c5758 [1997 or 1998]"], "publisher=New year=1997"),
      (["264": " 1$c[19--?]", "008": "      s19uu    "], "publisher="),
      (["264": " 1$c[o. J.]", "008": "      s2003    "], "publisher= year=2003"),
      (["008": "      s2003    xx            000 0 |||  "], "publisher= year=2003"),
      (["008": "      s2003    xx            000 0 und  ", "041": "0 $aengfre"], "language=eng"),
      (["041": "07$aen$2iso639-1"], "publisher="),
      (["010": "  $a   2001-0001 //r86 "], "lccn=2001-0001"), (["020": "  $a(pbk.)"], "publisher="),
      (["022": "0 $a1234-5678"], "identifier=1234-5678"),
      (["020": "  $a030640615x", "010": "  $a1"], "isbn=030640615x"),
    ] as [([String: String], String)]
  )
  func `R293: other fields are read without their punctuation`(
    _ fields: [String: String],
    _ expected: String
  ) {
    let sorted = fields.sorted { $0.key < $1.key }.map { (tag: $0.key, text: $0.value) }
    let text = read([("245", "  $aT")] + sorted)
    #expect(
      text.contains(expected) && (expected != "publisher=" || text.hasSuffix(expected)),
      "\(text)"
    )
  }

  /// Changes one of three records, and reads all.
  private func broken(_ change: (inout [UInt8]) -> Void) -> (titles: [String], errors: [String]) {
    var files = ["one", "two", "three"].map { MARCFile.iso([("245", "10$a\($0)")]) }
    change(&files[1])
    let read = MARCReader(bytes: Array(files.joined()), source: "m").all()
    return (read.records.map(MARCFile.title), read.errors.map(\.description))
  }

  @Test(
    arguments: [
      (0, "x", "m:2: the leader does not begin with the record's length, five digits."),
      (4, "9", "m:2: the leader says 49 bytes, and the record has 46."),
      (9, "b", "m:2: the encoding (leader/09) is “b”, not “a” for UTF-8."),
      (10, "3", "m:2: the leader is not one of MARC 21, with “22”, “45” and two lengths."),
      (16, "8", "m:2: the directory does not end at byte 38, where the leader says."),
      (30, "9", "m:2: field 245 does not lie within the record."),
      (30, "7", "m:2: field 245 does not end where the directory says."),
      (30, "x", "m:2: the directory has no length and position for field 245."),
      (35, "1", "m:2: field 245 does not lie within the record."),
      (38, "\u{1F}", "m:2: field 245 does not begin with two indicators."),
      (40, "\u{1D}", "m:2: the leader says 46 bytes, and the record has 41."),
      (40, "\u{1F}", "m:2: field 245 has a subfield without a code."),
      (43, "\u{1E}", "m:2: field 245 does not end where the directory says."),
      (45, "x", "m:2: the record does not end with its terminator, the byte 1D."),
    ] as [(Int, String, String)]
  )
  func `R293: a broken record is refused with what was expected, and the others are read`(
    _ position: Int,
    _ byte: String,
    _ message: String
  ) {
    let (titles, errors) = broken { $0[position] = byte.utf8.first ?? 0 }
    // A terminator in a record makes two that are broken.
    #expect(errors.first == message && errors.count == (byte == "\u{1D}" ? 2 : 1), "\(errors)")
    #expect(titles == ["one", "three"])
  }

  @Test func `R293: other encodings are refused by their names`() {
    let (titles, errors) = broken { $0[9] = 0x20 }
    #expect(titles == ["one", "two", "three"] && errors.isEmpty, "ASCII is the same")
    for byte in [0xC3, 0x1B] as [UInt8] {
      let (titles, errors) = broken { ($0[9], $0[43]) = (0x20, byte) }
      #expect(titles == ["one", "three"])
      #expect(
        errors.first?.contains("is in MARC-8") == true && errors.first?.contains("yaz") == true
      )
    }
    let (_, marked) = broken { ($0[9], $0[42], $0[43]) = (0x20, 0xC3, 0xA9) }
    #expect(
      marked.first?.contains("says MARC-8 (leader/09 is blank), and its text is UTF-8") == true
    )
    let (_, other) = broken { $0[43] = 0xC3 }
    #expect(other.first?.contains("field 245 is not UTF-8") == true)
  }

  @Test func `R293: a file that ends early, has lines, or is no such file is understood`() {
    let file = MARCFile.iso(Self.zoo)
    let title = "The zoo : a guide"
    for (bytes, expected) in [
      (Array(file.dropLast(50)), "m:1: the file ends after \(file.count - 50) bytes"),
      (Array(file.dropLast()), "m:1: the file ends after \(file.count - 1) bytes"),
      (Array("title,year\nA,1\n".utf8), "m:1: the leader does not begin with"),
    ] {
      let read = MARCReader(bytes: bytes, source: "m").all()
      #expect(read.records.isEmpty && read.errors.count == 1)
      #expect(read.errors.first?.description.hasPrefix(expected) == true, "\(read.errors)")
    }
    let lines = ByteOrderMark.utf8 + file + [0x0D, 0x0A] + file + [0x0A, 0x1A]
    let read = MARCReader(bytes: lines, source: "m").all()
    #expect(read.records.map(MARCFile.title) == [title, title] && read.errors.isEmpty)
  }

  @Test func `R293: deleted records and those without a title are refused`() {
    let (titles, errors) = broken { $0[5] = UInt8(ascii: "d") }
    #expect(titles == ["one", "three"] && errors.first?.contains("marked as deleted") == true)
    #expect(read([("100", "1 $aA")]) == "m:1: there is no title (field 245). A book needs one.")
  }

  @Test func `R293: fields that lie upon each other do not grow`() {
    // A directory with many entries of one field, each as long as may be.
    let field = Array("10\u{1F}a".utf8) + [UInt8](repeating: 0x61, count: 8996) + [0x1E]
    let entry = "245900100000"
    let base = 24 + 12 * 500 + 1
    var bytes = Array("\(MARCFile.padded(base + field.count + 1, 5))nam a22".utf8)
    bytes += Array("\(MARCFile.padded(base, 5)) i 4500".utf8)
    bytes += Array(String(repeating: entry, count: 500).utf8) + [0x1E] + field + [0x1D]
    let read = MARCReader(bytes: bytes, source: "m").all()
    #expect(read.errors.map(\.message) == ["field 245 does not lie within the record."])
  }

  @Test func `R293: whatever byte of a record changes, the others are read`() {
    var generator = SeededGenerator(seed: 293)
    let files = (0..<5).map { index in
      MARCFile.iso(Self.zoo.dropLast(index) + [("245", "10$aTitle \(index)")])
    }
    let expected = files.map { file in
      MARCReader(bytes: file, source: "m").all().records.map(MARCFile.text)
    }
    for _ in 0..<800 {
      var changed = files
      let index = generator.number(in: 0...4)
      let position = generator.number(in: 0...(files[index].count - 1))
      changed[index][position] = UInt8(generator.number(in: 0...255))
      let read = MARCReader(bytes: Array(changed.joined()), source: "m").all()
      let texts = Set(read.records.map(MARCFile.text))
      let missing = expected.indices.filter { $0 != index && !texts.isSuperset(of: expected[$0]) }
      #expect(
        missing.isEmpty,
        "seed \(generator.seed): byte \(position) of record \(index): \(read.errors)"
      )
    }
  }

  @Test func `R293: no input stops the reader, and every error has a record`() {
    var generator = SeededGenerator(seed: 2709)
    let file = MARCFile.iso(Self.zoo)
    for _ in 0..<4000 {
      var bytes: [UInt8] = []
      for _ in 0..<generator.number(in: 0...3) {
        var part = Array(file.dropFirst(generator.happens(percent: 20) ? 7 : 0))
        if generator.happens(percent: 40) { part.removeLast(generator.number(in: 0...part.count)) }
        for _ in 0..<generator.number(in: 0...6) where !part.isEmpty {
          let position = generator.number(in: 0...(part.count - 1))
          switch generator.number(in: 0...3) {
          case 0: part[position] = generator.pick([0x1D, 0x1E, 0x1F, 0x30, 0x39, 0x20, 0xFF])
          case 1: part.insert(UInt8(generator.number(in: 0...255)), at: position)
          case 2: part.remove(at: position)
          default: part[position] = UInt8(generator.number(in: 0...255))
          }
        }
        bytes += part
      }
      let read = MARCReader(bytes: bytes, source: "m").all()
      #expect(
        read.errors.allSatisfy { $0.line != nil && $0.isRecoverable },
        "seed \(generator.seed): \(bytes)"
      )
    }
  }
}
