/// A parser of the bytes that a terminal sends for keys.
///
/// Bytes may arrive in any portions: a sequence that is not complete waits for the rest. Sequences that are unknown, and replies of
/// the terminal, are swallowed whole; they are never keys.
package struct KeyParser: Sendable {
  /// The largest paste in bytes; the rest of a larger one is dropped.
  package static let longestPaste = 1 << 20

  private var buffer: [UInt8] = []
  private var paste: [UInt8]?

  /// Creates a parser.
  package init() {}

  /// Whether bytes wait that may be a whole key: an escape character, which is also the beginning of sequences.
  package var isWaiting: Bool { !buffer.isEmpty && paste == nil }

  /// Takes bytes, and returns the keys that they complete.
  /// - Complexity: O(*n*) in the bytes.
  package mutating func feed(_ bytes: some Sequence<UInt8>) -> [KeyInput] {
    buffer += bytes
    var inputs: [KeyInput] = []
    var start = 0
    while start < buffer.count, let used = parse(from: start, &inputs) { start += used }
    buffer.removeFirst(start)
    return inputs
  }

  /// Returns the keys that bytes are which nothing has followed for a while: an escape character alone is the escape key.
  package mutating func flush() -> [KeyInput] {
    guard isWaiting else { return [] }
    defer { buffer = [] }
    return buffer == [0x1B] ? [.key(Key(.escape))] : []
  }

  /// Parses what begins at an index.
  /// - Returns: The number of bytes used, or `nil` if the sequence is not complete.
  private mutating func parse(from start: Int, _ inputs: inout [KeyInput]) -> Int? {
    let rest = buffer[start...]
    if paste != nil { return takePaste(rest, &inputs) }
    guard let first = rest.first else { return nil }
    guard first == 0x1B else { return character(rest, alt: false, &inputs) }
    guard let second = rest.dropFirst().first else { return nil }
    switch second {
    case 0x5B: return controlSequence(rest, &inputs)
    case 0x4F:
      guard let final = rest.dropFirst(2).first else { return nil }
      if let key = KeyParser.letter(final) { inputs.append(.key(key)) }
      return 3
    case 0x50, 0x58, 0x5D...0x5F: return KeyParser.string(rest)
    case 0x1B:
      inputs.append(.key(Key(.escape)))
      return 1
    default: return character(rest.dropFirst(), alt: true, &inputs).map { $0 + 1 }
    }
  }
}

// MARK: - Characters

extension KeyParser {
  private func character(_ rest: ArraySlice<UInt8>, alt: Bool, _ inputs: inout [KeyInput]) -> Int? {
    guard let first = rest.first else { return nil }
    func add(_ code: Key.Code, control: Bool = false) -> Int {
      inputs.append(.key(Key(code, control: control, alt: alt)))
      return 1
    }
    switch first {
    case 0x0D, 0x0A: return add(.enter)
    case 0x09: return add(.tab)
    case 0x7F, 0x08: return add(.backspace)
    case 0x00: return add(.character(" "), control: true)
    case 0x01...0x1A: return add(.character(Character(Unicode.Scalar(first + 0x60))), control: true)
    case 0x1C...0x1F: return add(.character(Character(Unicode.Scalar(first + 0x40))), control: true)
    case 0x20..<0x7F: return add(.character(Character(Unicode.Scalar(first))))
    default: break
    }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
    let bytes = rest.prefix(length)
    let continues = bytes.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
    if continues, bytes.count < length { return nil }
    guard continues, first < 0xF5, let text = String(validating: bytes, as: UTF8.self),
      let character = text.first, text.count == 1
    else { return add(.character("\u{FFFD}")) }
    inputs.append(.key(Key(.character(character), alt: alt)))
    return length
  }
}

// MARK: - Sequences

extension KeyParser {
  /// Parses `ESC [`, parameters, and a final byte.
  private mutating func controlSequence(
    _ rest: ArraySlice<UInt8>,
    _ inputs: inout [KeyInput]
  ) -> Int? {
    let body = rest.dropFirst(2)
    guard let end = body.firstIndex(where: { !(0x20...0x3F).contains($0) }) else { return nil }
    let final = body[end]
    // A character inside breaks the sequence off: what came before it is swallowed.
    guard (0x40...0x7E).contains(final) else { return end - rest.startIndex }
    let used = end - rest.startIndex + 1
    let parameters = String(decoding: body[..<end], as: UTF8.self)
    if final == 0x4D, parameters.isEmpty {
      // A report of a mouse in the old form: three bytes follow.
      return rest.count >= used + 3 ? used + 3 : nil
    }
    if final == 0x7E, parameters == "200" {
      paste = []
      return used
    }
    if parameters.first == "<" {
      if let mouse = KeyParser.mouse(parameters.dropFirst(), final) { inputs.append(.mouse(mouse)) }
      return used
    }
    if let key = KeyParser.key(parameters, final) { inputs.append(.key(key)) }
    return used
  }

  /// The report of a mouse in the form SGR 1006: the button, the column and the line from 1; only the first button and the wheel count.
  private static func mouse(_ parameters: Substring, _ final: UInt8) -> Mouse? {
    let numbers = parameters.split(separator: ";").compactMap { Int($0) }
    guard final == 0x4D, numbers.count == 3, numbers[1] > 0, numbers[2] > 0 else { return nil }
    let action: Mouse.Action
    switch numbers[0] {
    case 0: action = .press
    case 64: action = .wheelUp
    case 65: action = .wheelDown
    default: return nil
    }
    return Mouse(action, line: numbers[2] - 1, column: numbers[1] - 1)
  }

  private static func key(_ parameters: String, _ final: UInt8) -> Key? {
    guard parameters.utf8.allSatisfy({ (0x30...0x3B).contains($0) }) else { return nil }
    let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map {
      Int($0.prefix { $0 != ":" }) ?? 1
    }
    let modifiers = numbers.count > 1 ? max(numbers[1] - 1, 0) : 0
    var key: Key?
    switch final {
    case 0x7E: key = numbers.first.flatMap(numbered)
    case 0x75: key = numbers.first.flatMap(unicode)
    case 0x5A: return Key(.tab, shift: true)
    // A report of the cursor's position has the final byte of F3.
    case 0x52: return nil
    default: key = letter(final)
    }
    key?.isShift = modifiers & 1 != 0
    key?.isAlt = modifiers & 2 != 0
    key?.isControl = modifiers & 4 != 0
    return key
  }

  private static func letter(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x41: Key(.up)
    case 0x42: Key(.down)
    case 0x43: Key(.right)
    case 0x44: Key(.left)
    case 0x46: Key(.end)
    case 0x48: Key(.home)
    case 0x4D: Key(.enter)
    case 0x50...0x53: Key(.function(Int(byte) - 0x4F))
    default: nil
    }
  }

  private static func numbered(_ number: Int) -> Key? {
    switch number {
    case 1, 7: Key(.home)
    case 2: Key(.insert)
    case 3: Key(.delete)
    case 4, 8: Key(.end)
    case 5: Key(.pageUp)
    case 6: Key(.pageDown)
    case 11...15: Key(.function(number - 10))
    case 17...21: Key(.function(number - 11))
    case 23, 24: Key(.function(number - 12))
    default: nil
    }
  }

  private static func unicode(_ number: Int) -> Key? {
    switch number {
    case 9: Key(.tab)
    case 13: Key(.enter)
    case 27: Key(.escape)
    case 127: Key(.backspace)
    default:
      UInt32(exactly: number).flatMap(Unicode.Scalar.init).map { Key(.character(Character($0))) }
    }
  }

  /// Returns the length of a string sequence, which ends with BEL or `ESC \`, or `nil` if it is not complete.
  private static func string(_ rest: ArraySlice<UInt8>) -> Int? {
    var previous: UInt8 = 0
    for (index, byte) in rest.enumerated().dropFirst(2) {
      if byte == 0x07 || (byte == 0x5C && previous == 0x1B) { return index + 1 }
      previous = byte
    }
    return rest.count > longestPaste ? rest.count : nil
  }
}

// MARK: - Paste

extension KeyParser {
  private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)

  private mutating func takePaste(_ rest: ArraySlice<UInt8>, _ inputs: inout [KeyInput]) -> Int? {
    guard let first = rest.first else { return nil }
    if first == 0x1B {
      let head = rest.prefix(KeyParser.pasteEnd.count)
      if head.elementsEqual(KeyParser.pasteEnd) {
        inputs.append(.paste(String(decoding: paste ?? [], as: UTF8.self)))
        paste = nil
        return head.count
      }
      if KeyParser.pasteEnd.starts(with: head) { return nil }
    }
    let count = max(1, (rest.dropFirst().firstIndex(of: 0x1B) ?? rest.endIndex) - rest.startIndex)
    let room = KeyParser.longestPaste - (paste?.count ?? 0)
    paste?.append(contentsOf: rest.prefix(min(count, room)))
    return count
  }
}
