import Foundation

/// The encodings that a feed may declare besides those of Unicode.
///
/// A fixed list: the name comes from the feed, and a converter that takes any name has been attacked by one.
enum FeedEncoding {
  /// One that Foundation reads by itself.
  case own(String.Encoding)
  /// One that the system converts, where it has the tables for it.
  case system(String)

  /// The encoding of a name in lower case, or `nil` for one that is not read.
  static func named(_ name: String) -> FeedEncoding? {
    let name = name.replacingOccurrences(of: "_", with: "-")
    if let encoding = own[name] { return .own(encoding) }
    return system.contains(name) ? .system(name) : nil
  }

  /// The text in UTF-8, or `nil` if the bytes are not of this encoding.
  func decoded(_ bytes: [UInt8]) -> [UInt8]? {
    switch self {
    case .own(let encoding):
      return String(data: Data(bytes), encoding: encoding).map { Array($0.utf8) }
    case .system(let name): return FeedEncoding.converted(bytes, from: name)
    }
  }

  private static let own: [String: String.Encoding] = [
    "us-ascii": .ascii, "ascii": .ascii, "iso-8859-1": .isoLatin1, "iso8859-1": .isoLatin1,
    "latin1": .isoLatin1, "latin-1": .isoLatin1, "iso-8859-2": .isoLatin2, "latin2": .isoLatin2,
    "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
    "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254, "cp1250": .windowsCP1250,
    "cp1251": .windowsCP1251, "cp1252": .windowsCP1252, "cp1253": .windowsCP1253,
    "cp1254": .windowsCP1254, "shift-jis": .shiftJIS, "sjis": .shiftJIS,
    "windows-31j": .shiftJIS, "cp932": .shiftJIS,
  ]

  private static let system: Set<String> = {
    var names: Set<String> = [
      "big5", "big5-hkscs", "euc-jp", "euc-kr", "euc-tw", "gb18030", "gb2312", "gbk", "hz-gb-2312",
      "iso-2022-jp", "iso-2022-kr", "johab", "koi8-r", "koi8-u", "macintosh", "tis-620", "viscii",
    ]
    for part in 3...16 where part != 12 { names.insert("iso-8859-\(part)") }
    for page in 1255...1258 { names.formUnion(["windows-\(page)", "cp\(page)"]) }
    for page in [
      437, 737, 775, 850, 852, 855, 857, 860, 861, 862, 863, 864, 865, 866, 869, 874, 949, 950,
    ] {
      names.formUnion(["cp\(page)", "ibm\(page)"])
    }
    return names
  }()

  private static func converted(_ bytes: [UInt8], from name: String) -> [UInt8]? {
    // The system calls this one differently.
    let descriptor = iconv_open("UTF-8", name == "hz-gb-2312" ? "HZ" : name)
    guard descriptor != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(descriptor) }
    var input = bytes.map { CChar(bitPattern: $0) }
    // No character of these encodings takes more than four bytes of UTF-8 for each of its own.
    var output = [CChar](repeating: 0, count: 4 * bytes.count + 16)
    let written = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output -> Int? in
        var (source, sourceCount) = (input.baseAddress, input.count)
        var (target, targetCount) = (output.baseAddress, output.count)
        let result = iconv(descriptor, &source, &sourceCount, &target, &targetCount)
        guard result != .max, sourceCount == 0 else { return nil }
        guard iconv(descriptor, nil, nil, &target, &targetCount) != .max else { return nil }
        return output.count - targetCount
      }
    }
    return written.map { output[..<$0].map { UInt8(bitPattern: $0) } }
  }
}
