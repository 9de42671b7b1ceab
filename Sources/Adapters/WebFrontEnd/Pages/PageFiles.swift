#if Web
import HTTPTypes
import Hummingbird
import NIOCore
import ResultsDomain

/// The files of the browser page, as they are and compressed.
enum PageFiles {
  /// The bytes of each file, compressed; decoded from the program's literals when the first file is asked for.
  private static let compressed = WebAssets.files.map { bytes(ofBase64: $0.gzip) }

  /// Returns the answer with a file.
  /// - Parameters:
  ///   - name: The file's name.
  ///   - request: The request, which says what the client accepts.
  ///   - isImmutable: Whether a browser may keep the answer for ever.
  /// - Returns: The answer.
  /// - Throws: `WebFailure` with status 404 for another name.
  static func answer(
    _ name: String,
    to request: WebRequest,
    isImmutable: Bool = false
  ) throws(WebFailure) -> Response {
    guard
      let number = WebAssets.files.firstIndex(where: { name.hasSameBytes(as: "\($0.name)") })
    else { throw .notFound }
    let file = WebAssets.files[number]
    var answer = WebAnswer.text("\(file.text)", type: "\(file.type)", isImmutable: isImmutable)
    answer.headers[.vary] = "Accept-Encoding"
    if request.acceptsGzip {
      answer.headers[.contentEncoding] = "gzip"
      answer.body = ResponseBody(byteBuffer: compressed[number])
    }
    return answer
  }

  /// Returns the bytes that a text of base64 stands for.
  private static func bytes(ofBase64 text: StaticString) -> ByteBuffer {
    text.withUTF8Buffer { digits in
      var bytes = ByteBuffer()
      var (bits, count) = (UInt32(0), 0)
      for digit in digits {
        guard let value = value(ofDigit: digit) else { break }
        bits = bits << 6 | value
        count += 6
        guard count >= 8 else { continue }
        count -= 8
        bytes.writeInteger(UInt8(truncatingIfNeeded: bits >> count))
      }
      return bytes
    }
  }

  /// Returns the six bits of a digit of base64, or `nil` for the padding at the end.
  private static func value(ofDigit digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
#endif
