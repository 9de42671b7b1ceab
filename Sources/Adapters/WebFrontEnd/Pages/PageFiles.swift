#if Web
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ResultsDomain

/// The files of the browser page, as they are and compressed.
enum PageFiles {
  /// The bytes of each file, compressed; decoded from the program's literals when the first file is asked for.
  private static let compressed = WebAssets.files.map { file in
    ByteBuffer(bytes: Data(base64Encoded: "\(file.gzip)") ?? Data())
  }

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
}
#endif
