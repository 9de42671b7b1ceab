import Foundation
import ResultsPresentation

#if !os(Windows)
/// The content of a file that is open, read at the places that are asked for.
///
/// The file is not mapped: one that becomes shorter would end the process. One that is replaced stays what it was.
final class KeptFile: CacheData {
  private let descriptor: Int32
  /// Where the content begins.
  private let start: Int
  let count: Int

  /// Opens a file; the content comes after its heading, or is all of it if it has another heading.
  init(_ path: String, after heading: [UInt8]) throws(DurableFile.Failure) {
    // Not blocking: a pipe in the file's place would be waited for.
    descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw DurableFile.Failure(String(cString: strerror(errno))) }
    var status = stat()
    let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    let begins = KeptFile.bytes(of: descriptor, in: 0..<min(heading.count, size)) == heading
    start = begins ? heading.count : 0
    count = size - start
  }

  deinit { close(descriptor) }

  func bytes(in range: Range<Int>) -> [UInt8]? {
    KeptFile.bytes(of: descriptor, in: start + range.lowerBound..<start + range.upperBound)
  }

  private static func bytes(of descriptor: Int32, in range: Range<Int>) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, initialized in
      while initialized < range.count {
        let place = buffer.baseAddress.map { $0 + initialized }
        let got = pread(
          descriptor,
          place,
          range.count - initialized,
          off_t(range.lowerBound + initialized)
        )
        if got > 0 { initialized += got }
        guard got > 0 || (got < 0 && errno == EINTR) else { return }
      }
    }
    return bytes.count == range.count ? bytes : nil
  }
}
#endif
