import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Testing
import WireFormat

@Suite("A list that follows a stream of lines")
struct WireReplayTests {
  private func line(
    _ model: ListModel,
    _ generation: Int,
    _ encoder: WireEncoder
  ) -> String {
    let sections = model.content.sections.map { section in
      WireSection(
        header: section.header,
        rows: section.rows.compactMap { model.row(ListModel.number(of: $0)) }
      )
    }
    return encoder.snapshot(at: .unknown(generation), sections: sections)
  }

  @Test(arguments: 1...20)
  func `R26, R46: the replay equals the list byte for byte`(seed: Int) throws {
    let encoder = WireEncoder(entity: try #require(ListModel.entity))
    var random = SeededGenerator(seed: UInt64(seed))
    var model = ListModel()
    model.isSectioned = seed % 5 != 0
    var replay = WireReplay()
    try replay.apply(line: line(model, 0, encoder))
    for step in 0..<100 {
      let old = model
      model.step(rows: 3 + seed % 7, using: &random)
      let delta = old.delta(to: model, generation: step)
      try replay.apply(line: encoder.delta(delta))
      #expect(replay.line == line(model, step + 1, encoder), "seed \(seed), step \(step)")
    }
  }

  @Test func `R44: a missing generation is out of sync, and a reset recovers`() throws {
    let fixture = try WireFixture()
    let header = SectionHeader(id: SectionID(.null), title: "")
    let sections = [WireSection(header: header, rows: [fixture.row(1, "a")])]
    var replay = WireReplay()
    #expect(throws: WireError.noSnapshot) {
      try replay.apply(
        line: fixture.encoder.delta(
          ResultsDelta(from: 1, to: 2, cause: .own, oldSectionCount: 1, newSectionCount: 1)
        )
      )
    }
    try replay.apply(line: fixture.encoder.snapshot(at: .unknown(1), sections: sections))
    let late = ResultsDelta(
      from: 2,
      to: 3,
      cause: .own,
      oldSectionCount: 1,
      newSectionCount: 1
    )
    #expect(throws: WireError.delta(.outOfSync(expected: 2, found: 1))) {
      try replay.apply(line: fixture.encoder.delta(late))
    }
    #expect(replay.list?.generation == 1)
    try replay.apply(
      line: fixture.encoder.reset(reason: "gap", at: .unknown(3), sections: sections)
    )
    #expect(replay.list?.generation == 3)
  }

  @Test func `R44 R46: a change of another life is refused, even if its generation fits`() throws {
    let fixture = try WireFixture()
    let header = SectionHeader(id: SectionID(.null), title: "")
    let sections = [WireSection(header: header, rows: [fixture.row(1, "a")])]
    let position = ResultsPosition(life: ResultsLife("one"), generation: 3)
    let line = fixture.encoder.snapshot(at: position, sections: sections)
    #expect(line.hasPrefix(#"{"v":1,"t":"snapshot","life":"one","generation":3,"rows":1,"#))
    var replay = WireReplay()
    try replay.apply(line: line)
    #expect(replay.line == line)
    #expect(replay.list?.position == position)
    var delta = ResultsDelta(from: 3, to: 4, cause: .own, oldSectionCount: 1, newSectionCount: 1)
    for life in ["two", "", "One", "one "] {
      delta.life = ResultsLife(life)
      #expect(
        throws: WireError.delta(
          .otherLife(expected: delta.life, found: ResultsLife("one"))
        )
      ) { try replay.apply(line: fixture.encoder.delta(delta)) }
      #expect(replay.line == line)
    }
    delta.life = ResultsLife("one")
    let own = fixture.encoder.delta(delta)
    #expect(own.hasPrefix(#"{"v":1,"t":"delta","life":"one","from":3,"to":4,"cause":"#))
    try replay.apply(line: own)
    #expect(replay.list?.position == ResultsPosition(life: delta.life, generation: 4))
    let next = ResultsPosition(life: ResultsLife("two"), generation: 1)
    try replay.apply(
      line: fixture.encoder.reset(because: .otherLife, at: next, sections: sections)
    )
    #expect(replay.list?.position == next)
  }

  @Test func `R46: a life that is no text is refused`() throws {
    let line = #"{"v":1,"t":"snapshot","life":7,"generation":1,"rows":0,"sections":[]}"#
    #expect(throws: WireError.invalid(key: "life")) { try WireDecoder().message(line) }
  }

  @Test func `R77: a line that names only observed rows is refused, and the list stays`() throws {
    let fixture = try WireFixture()
    let header = SectionHeader(id: SectionID(.null), title: "")
    let sections = [WireSection(header: header, rows: [fixture.row(1, "a")])]
    var replay = WireReplay()
    try replay.apply(line: fixture.encoder.snapshot(at: .unknown(1), sections: sections))
    let before = replay.line
    var delta = ResultsDelta(from: 1, to: 2, cause: .own, oldSectionCount: 1, newSectionCount: 1)
    var unobserved = UnobservedChanges(oldRows: 4..<9, newRows: 5..<10)
    unobserved.above.inserted = 2
    unobserved.above.removed = 1
    unobserved.below.changed = 3
    unobserved.isComplete = false
    delta.unobserved = unobserved
    let line = fixture.encoder.delta(delta)
    #expect(
      line
        == #"{"v":1,"t":"delta","from":1,"to":2,"cause":"own","unobserved":{"from":[4,9],"to":[5,10],"#
        + #""above":{"delete":1,"insert":2,"change":0},"below":{"delete":0,"insert":0,"change":3},"complete":false},"#
        + #""sections":[],"rows":[]}"#
    )
    #expect(throws: WireError.delta(.partial)) { try replay.apply(line: line) }
    #expect(replay.line == before)
  }

  @Test func `R71: an error line keeps the last good list`() throws {
    var replay = WireReplay()
    try replay.apply(
      line: #"{"v":1,"t":"snapshot","generation":1,"rows":0,"sections":[]}"#
    )
    try replay.apply(line: #"{"v":1,"t":"error","generation":1,"error":"disk full"}"#)
    #expect(replay.failure == "disk full")
    #expect(replay.list?.generation == 1)
    try replay.apply(line: #"{"v":1,"t":"snapshot","generation":2,"rows":0,"sections":[]}"#)
    #expect(replay.failure == nil)
  }

  @Test func `unknown keys and unknown kinds of lines are passed over`() throws {
    var replay = WireReplay()
    try replay.apply(line: #"{"v":1,"t":"heartbeat"}"#)
    try replay.apply(
      line: #"{ "new":[{}], "v":1,"t":"snapshot","generation":1,"rows":1,"sections":"#
        + #"[{"id":"a","title":"A","colour":{"n":1},"rows":[{"id":1,"x":1.50}]}]}"#
    )
    #expect(
      replay.line
        == #"{"v":1,"t":"snapshot","generation":1,"rows":1,"#
        + #""sections":[{"id":"a","title":"A","rows":[{"id":1,"x":1.50}]}]}"#
    )
  }

  @Test(
    arguments: zip(
      [
        #"{"op":"delete","id":9,"from":[0,0]}"#, #"{"op":"delete","id":1,"from":[0,1]}"#,
        #"{"op":"insert","id":2,"to":[0,5],"row":{"id":2}}"#,
        #"{"op":"insert","id":2,"to":[0,1],"row":{"id":3}}"#,
        #"{"op":"update","id":1,"from":[0,0],"to":[0,-1],"changed":[],"row":{"id":1}}"#,
        #"{"op":"explode","id":1,"from":[0,0]}"#, #"{"op":"delete","id":1,"from":[0]}"#,
        #"{"op":"move","id":1,"from":[0,0],"to":[0,0],"changed":[1],"row":{"id":1}}"#,
      ],
      [
        WireError.wrongIdentity(at: "row [0,0] before the change"),
        .delta(.noRow(.before, at: RowPath(section: 0, row: 1))),
        .delta(.noRow(.after, at: RowPath(section: 0, row: 5))), .invalid(key: "row"),
        .delta(.noRow(.after, at: RowPath(section: 0, row: -1))), .invalid(key: "op"),
        .invalid(key: "from"), .invalid(key: "changed"),
      ]
    )
  )
  func `R26: a change that does not fit is refused and changes nothing`(
    entry: String,
    error: WireError
  ) throws {
    var replay = WireReplay()
    try replay.apply(
      line: #"{"v":1,"t":"snapshot","generation":1,"rows":1,"sections":"#
        + #"[{"id":null,"title":"","rows":[{"id":1}]}]}"#
    )
    let before = replay.line
    let line =
      #"{"v":1,"t":"delta","from":1,"to":2,"cause":"own","sections":[],"rows":["# + entry + "]}"
    #expect(throws: error) { try replay.apply(line: line) }
    #expect(replay.line == before)
  }

  @Test(
    arguments: zip(
      [
        #"{"t":"error"}"#, #"{"v":2,"t":"snapshot"}"#, #"{"v":1}"#, "[]", "",
        #"{"v":1,"t":"snapshot","generation":1,"rows":2,"sections":[]}"#,
        #"{"v":1,"t":"snapshot","generation":1.5,"rows":0,"sections":[]}"#,
      ],
      [
        WireError.invalid(key: "v"), .unsupportedVersion("2"), .invalid(key: "t"),
        .invalid(key: "v"), .malformed(JSONError(.unexpectedEnd, column: 1)),
        .rowCount(expected: 2, found: 0), .invalid(key: "generation"),
      ]
    )
  )
  func `R46: a line that is not one of ours is refused with a reason`(
    line: String,
    error: WireError
  ) {
    #expect(throws: error) { try WireDecoder().message(line) }
  }
}
