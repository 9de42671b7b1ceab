import ResultsTesting
import Testing

@Suite struct `List picture` {
  @Test func `sections, their counts and aligned cells are shown`() {
    let picture = ListPicture([
      ListPicture.Section("Ace", [["Emma", "1815", "x"], ["Persuasion", "1817"]]),
      ListPicture.Section("", []),
    ])
    #expect(
      picture.description == """
        = Ace (2)
          Emma        1815  x
          Persuasion  1817
        =  (0)
        """
    )
  }

  @Test func `a list without sections has no title lines`() {
    #expect(ListPicture(rows: [["a"], ["b"]]).description == "a\nb")
    #expect(ListPicture(rows: []).description.isEmpty)
  }

  @Test func `a picture is made of anything with sections of rows`() {
    let picture = ListPicture(
      [("one", [1, 2]), ("two", [3])],
      title: { $0.0 },
      rows: { $0.1 },
      cells: { [String($0)] }
    )
    #expect(picture.description == "= one (2)\n  1\n  2\n= two (1)\n  3")
  }
}
