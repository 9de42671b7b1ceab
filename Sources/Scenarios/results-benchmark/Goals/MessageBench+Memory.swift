import ResultsPresentation

extension MessageBench {
  /// Goal 4: what a list takes a row, in a process of its own.
  func memory(of list: MessageList) throws -> [Measurement] {
    let program = ChildProgram(ProcessFigures.program)
    let text = try program.output(["memory", file.path, list.rawValue])
    let numbers = text.split(whereSeparator: \.isWhitespace).map { Double($0) }
    guard let bytes = numbers.first ?? nil else { throw BenchmarkError.wrongResult("the memory") }
    let limit = list == .marks ? 0.9 : 0.6
    let words =
      switch list {
      case .subjects: "text keys"
      case .marks: "mostly equal sort keys"
      default: "keys"
      }
    let name = "growth of a process, \(words)"
    var all = [
      figure(4, "bytes a row, \(words)", bytes / Double(rows), atLargest(limit), "bytes")
    ]
    if numbers.count == 3, let resident = numbers[1], let own = numbers[2] {
      all += [
        figure(4, name, resident / 1e6, atLargest(16), "MB"),
        figure(4, "\(name), without pages of files", own / 1e6, nil, "MB"),
      ]
    } else {
      all.append(.missing(goal: 4, name, rows: rows, unit: "MB", because: "no /proc/self/statm"))
    }
    return all
  }
}
