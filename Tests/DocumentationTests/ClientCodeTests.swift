import Testing

/// Compiles the code of the documents like a client's: with public declarations only, at the top level of a `main.swift`, where variables
/// belong to the main actor, and with the language mode that a new package has.
@Suite("Code in the documents, in a package of its own", .timeLimit(.minutes(15)))
struct ClientCodeTests {
  @Test(arguments: ClientProgram.all)
  func `it compiles in a main file`(_ program: ClientProgram) throws {
    #expect(try program.errors() == [])
  }

  @Test func `every snippet except a test is compiled like this`() throws {
    let compiled = Set(ClientProgram.all.flatMap(\.snippets)).union(["conformance"])
    #expect(try Set(DocumentTree.snippets().keys) == compiled)
  }

  @Test func `a client cannot use what is internal to the package`() throws {
    let hidden = "import ResultsPresentation\nlet chain = DeltaChain.self\n"
    #expect(try ClientProgram.errors(in: hidden).count == 1)
    let package = "import ResultsPresentation\nlet lookup = ResultsOptions().keyLookup\n"
    #expect(try ClientProgram.errors(in: package).count == 1)
    let measurement = "import ResultsPresentation\nlet seeks = ResultsOptions().seeksKeys\n"
    #expect(try ClientProgram.errors(in: measurement).count == 1)
    #expect(try ClientProgram.errors(in: "@_spi(Measurement) " + measurement) == [])
    // An iterator that the main actor owns cannot be advanced.
    let iterator = """
      import ResultsPresentation
      let stream = AsyncStream<Int> { _ in }
      var events = stream.makeAsyncIterator()
      _ = await events.next()
      """
    #expect(try ClientProgram.errors(in: iterator).count == 1)
  }
}
