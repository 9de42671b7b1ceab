#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// The calls to the platform's C library that output needs.
package enum SystemCalls {
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Whether a terminal shows what is typed.
  static func echoes(_ descriptor: Int32) -> Bool {
    var settings = termios()
    return tcgetattr(descriptor, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  static func size(of descriptor: Int32) -> TerminalSize? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Makes a write to a closed pipe fail with EPIPE, and a write beyond the file size limit with EFBIG, instead of
  /// ending the process.
  static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Opens `/dev/null` for standard input, output and error where they are closed.
  ///
  /// A file opened later would take their numbers, and output would be written into it. What is opened here for output cannot
  /// be written.
  /// - Returns: Whether standard output was open.
  static func fillStandardDescriptors() -> Bool {
    let isOutputOpen = fcntl(1, F_GETFD) >= 0
    while true {
      let descriptor = open("/dev/null", O_RDONLY)
      guard (0...2).contains(descriptor) else {
        if descriptor >= 0 { close(descriptor) }
        return isOutputOpen
      }
    }
  }

  /// Writes all bytes; waits if the descriptor is non-blocking and full.
  package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32)
    throws(TerminalOutputError)
  {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitUntilWritable(descriptor)
      case EPIPE: throw .outputClosed
      case let code: throw .failed(code: code, reason: String(cString: strerror(code)))
      }
    }
  }

  /// Writes as much as the descriptor accepts without blocking.
  /// - Returns: The number of bytes written.
  static func writeWithoutWaiting(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32)
    throws(TerminalOutputError) -> Int
  {
    // A pipe that is ready accepts `PIPE_BUF` bytes without blocking; a terminal may accept fewer.
    let portion = isTerminal(descriptor) ? 256 : Int(PIPE_BUF)
    var rest = bytes[...]
    while !rest.isEmpty {
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&request, 1, 0) > 0 else { break }
      let next = rest.prefix(portion)
      // If something is wrong with the descriptor, the write reports it.
      try write(UnsafeRawBufferPointer(rebasing: next), to: descriptor)
      rest = rest.dropFirst(next.count)
    }
    return bytes.count - rest.count
  }

  /// Creates a temporary file that disappears when it is closed; `nil` if that fails.
  package static func temporaryFile() -> Int32? {
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    // The folder that POSIX has for temporary files on every system (XBD, 10.1).
    let folder = named.isEmpty ? "/tmp" : named
    // `mkstemp` puts a unique name in place of the six letters.
    var path = Array("\(folder)/output-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { return nil }
    unlink(path)
    // No program that is started meanwhile keeps it.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  /// Reads bytes of a file from an offset, in bytes.
  package static func read(
    _ count: Int,
    from descriptor: Int32,
    at offset: Int
  ) throws(TerminalOutputError) -> [UInt8] {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      written = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
    }
    guard !bytes.isEmpty else {
      throw .failed(code: errno, reason: String(cString: strerror(errno)))
    }
    return bytes
  }

  /// Ends the process by a signal, as if it had not been caught.
  static func endProcess(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    raise(number)
    endProcess(with: 128 + number)
  }

  /// Ends the process at once, without writing buffered output.
  static func endProcess(with status: Int32) -> Never { _exit(status) }

  package static func close(_ descriptor: Int32) { _ = systemClose(descriptor) }

  private static func waitUntilWritable(_ descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    poll(&request, 1, -1)
  }

  private static func systemClose(_ descriptor: Int32) -> Int32 {
    #if canImport(Glibc)
    Glibc.close(descriptor)
    #elseif canImport(Musl)
    Musl.close(descriptor)
    #elseif canImport(Android)
    Android.close(descriptor)
    #elseif canImport(Darwin)
    Darwin.close(descriptor)
    #endif
  }

  private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
    Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Android)
    Android.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Darwin)
    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}
