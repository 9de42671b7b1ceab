import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Both ends of a terminal that exists only for a test.
final class PseudoTerminal {
  let controller: Int32
  let terminal: Int32

  init() throws {
    controller = openController(O_RDWR | O_NOCTTY)
    try #require(
      controller >= 0 && grantTerminal(controller) == 0 && unlockTerminal(controller) == 0
    )
    terminal = open(try #require(terminalName(controller)), O_RDWR | O_NOCTTY)
    try #require(terminal >= 0)
    var size = winsize(ws_row: 12, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0)
  }

  deinit {
    close(terminal)
    close(controller)
  }

  var settings: termios {
    var settings = termios()
    tcgetattr(terminal, &settings)
    return settings
  }

  var isRaw: Bool { settings.c_lflag & tcflag_t(ICANON | ECHO) == 0 }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(controller, bytes, bytes.count)
  }

  /// Reads what the program wrote until it contains a text.
  func output(until text: String) -> String {
    var read = ""
    var bytes = [UInt8](repeating: 0, count: 1024)
    while !read.contains(text) {
      let count = systemRead(controller, &bytes, bytes.count)
      guard count > 0 else { return read }
      read += String(decoding: bytes[..<count], as: UTF8.self)
    }
    return read
  }
}

private func systemRead(_ descriptor: Int32, _ bytes: inout [UInt8], _ count: Int) -> Int {
  read(descriptor, &bytes, count)
}

// The platform's module leaves these functions of POSIX out on Linux.
@_silgen_name("posix_openpt") private func openController(_ flags: Int32) -> Int32
@_silgen_name("grantpt") private func grantTerminal(_ descriptor: Int32) -> Int32
@_silgen_name("unlockpt") private func unlockTerminal(_ descriptor: Int32) -> Int32
@_silgen_name("ptsname") private func terminalName(_ descriptor: Int32)
  -> UnsafeMutablePointer<CChar>?
