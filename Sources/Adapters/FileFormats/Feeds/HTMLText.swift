/// Converts HTML to plain text for one line of a list.
enum HTMLText {
  /// Returns the text without tags, comments, scripts and styles, with entities decoded and white space collapsed.
  ///
  /// A `<` that does not begin a tag is text. Entities may decode to control characters.
  /// - Complexity: O(*n*) in the scalars.
  static func plain(_ html: String) -> String {
    var result = String.UnicodeScalarView()
    var isSpacePending = false
    var rest = Substring(html).unicodeScalars
    func append(_ scalar: Unicode.Scalar) {
      guard !isSpace(scalar) else {
        isSpacePending = true
        return
      }
      if isSpacePending, !result.isEmpty { result.append(" ") }
      isSpacePending = false
      result.append(scalar)
    }
    while let part = takePart(&rest) {
      switch part {
      case .scalar(let scalar): append(scalar)
      case .tag(let tag): if !inline.contains(tag.name) { isSpacePending = true }
      }
    }
    return String(result)
  }

  /// A part of a document.
  enum Part {
    /// A scalar of the text, decoded.
    case scalar(Unicode.Scalar)
    /// A tag or a comment.
    case tag(Tag)
  }

  /// Consumes the next part of a document, and the content of a script or a style with its tag; `nil` at the end.
  static func takePart(_ rest: inout Substring.UnicodeScalarView) -> Part? {
    guard let scalar = rest.first else { return nil }
    if scalar == "<", let tag = takeTag(&rest) {
      let isHidden = tag.name == "script" || tag.name == "style"
      if isHidden, !tag.isEnd { skip(&rest, toEndOf: tag.name) }
      return .tag(tag)
    }
    if scalar == "&", let decoded = takeEntity(&rest) { return .scalar(decoded) }
    rest.removeFirst()
    return .scalar(scalar)
  }

  /// Returns the text with entities decoded, without white space at its ends.
  static func decodingEntities(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var rest = Substring(text).unicodeScalars
    while let scalar = rest.first {
      if scalar == "&", let decoded = takeEntity(&rest) {
        result.append(decoded)
      } else {
        result.append(scalar)
        rest.removeFirst()
      }
    }
    return trimmed(String(result))
  }

  /// Returns the text without white space at its ends.
  static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[first...last])
  }

  static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || (0x09...0x0D).contains(scalar.value) || scalar == "\u{A0}"
  }

  /// Inline elements: dropping their tags must not separate words.
  static let inline: Set<String> = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "mark", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strong", "sub", "sup", "time",
    "tt", "u", "var", "wbr",
  ]
}

// MARK: - Parts

extension HTMLText {
  /// A tag, or a comment with the name `!`.
  struct Tag {
    /// The name in lower case.
    let name: String
    let isEnd: Bool
    /// What follows the name.
    var attributes = Substring.UnicodeScalarView()

    /// The value of an attribute with its entities decoded; `nil` if the tag does not have it.
    func value(of name: String) -> String? {
      var rest = attributes
      while !rest.isEmpty {
        rest = rest.drop { isSpace($0) || $0 == "/" }
        let key = rest.prefix { !isSpace($0) && $0 != "=" && $0 != "/" }
        rest = rest.dropFirst(max(key.count, key.isEmpty && rest.first == "=" ? 1 : 0))
        let ahead = rest.drop(while: isSpace)
        var value = Substring.UnicodeScalarView()
        if ahead.first == "=" {
          rest = ahead.dropFirst().drop(while: isSpace)
          if let quote = rest.first, quote == "\"" || quote == "'" {
            value = rest.dropFirst().prefix { $0 != quote }
            rest = rest.dropFirst(value.count + 2)
          } else {
            value = rest.prefix { !isSpace($0) }
            rest = rest.dropFirst(value.count)
          }
        }
        if String(key).lowercased() == name { return decodingEntities(String(value)) }
      }
      return nil
    }
  }

  /// Consumes a tag or comment; `nil` for a `<` that begins neither.
  private static func takeTag(_ rest: inout Substring.UnicodeScalarView) -> Tag? {
    var ahead = rest.dropFirst()
    if ahead.starts(with: "!--".unicodeScalars) {
      skip(&ahead, past: "-->")
      rest = ahead
      return Tag(name: "!", isEnd: false)
    }
    let isEnd = ahead.first == "/"
    if isEnd { ahead.removeFirst() }
    guard let first = ahead.first, first == "!" || first == "?" || isLetter(first) else {
      return nil
    }
    var name = ""
    while let scalar = ahead.first, isLetter(scalar) || ("0"..."9").contains(scalar) {
      name.unicodeScalars.append(scalar)
      ahead.removeFirst()
    }
    let start = ahead
    var quote: Unicode.Scalar?
    while let scalar = ahead.first {
      let end = ahead.startIndex
      ahead.removeFirst()
      if let open = quote {
        if scalar == open { quote = nil }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if scalar == ">" {
        rest = ahead
        return Tag(name: name.lowercased(), isEnd: isEnd, attributes: start[..<end])
      }
    }
    rest = ahead
    return Tag(name: name.lowercased(), isEnd: isEnd, attributes: start)
  }

  /// Consumes an entity with its semicolon; `nil` for an `&` that does not begin one.
  private static func takeEntity(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
    let ahead = rest.dropFirst()
    guard let end = ahead.prefix(33).firstIndex(of: ";") else { return nil }
    guard let scalar = scalar(ofEntity: String(ahead[..<end])) else { return nil }
    rest = ahead[ahead.index(after: end)...]
    return scalar
  }

  private static func scalar(ofEntity name: String) -> Unicode.Scalar? {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard name.utf8.first == UInt8(ascii: "#") else { return HTMLEntities.scalar(named: name) }
    let digits = name.dropFirst()
    let isHexadecimal = digits.first == "x" || digits.first == "X"
    let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.map { $0 == 0 ? "\u{FFFD}" : Unicode.Scalar($0) ?? "\u{FFFD}" }
  }

  private static func skip(_ rest: inout Substring.UnicodeScalarView, past end: String) {
    while !rest.isEmpty {
      if rest.starts(with: end.unicodeScalars) {
        rest = rest.dropFirst(end.unicodeScalars.count)
        return
      }
      rest.removeFirst()
    }
  }

  private static func skip(_ rest: inout Substring.UnicodeScalarView, toEndOf tag: String) {
    while !rest.isEmpty {
      let end = rest.prefix(tag.unicodeScalars.count + 2)
      if rest.first == "<", String(end).lowercased() == "</" + tag { return }
      rest.removeFirst()
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }
}

/// The character entities of HTML 4.01 (section 24), which feeds use although XML does not define them.
enum HTMLEntities {
  /// The character of an entity name; the five names of XML are not included.
  static func scalar(named name: String) -> Unicode.Scalar? { table[name] }

  private static let table: [String: Unicode.Scalar] = {
    let words = list.split { $0 == " " || $0 == "\n" }
    var table: [String: Unicode.Scalar] = [:]
    for index in stride(from: 0, to: words.count - 1, by: 2) {
      table[String(words[index])] = UInt32(words[index + 1], radix: 16).flatMap(Unicode.Scalar.init)
    }
    return table
  }()

  /// Pairs of a name and a code point in hexadecimal.
  private static let list = """
    nbsp A0 iexcl A1 cent A2 pound A3 curren A4 yen A5 brvbar A6 sect A7 uml A8 copy A9 ordf AA
    laquo AB not AC shy AD reg AE macr AF deg B0 plusmn B1 sup2 B2 sup3 B3 acute B4 micro B5
    para B6 middot B7 cedil B8 sup1 B9 ordm BA raquo BB frac14 BC frac12 BD frac34 BE iquest BF
    Agrave C0 Aacute C1 Acirc C2 Atilde C3 Auml C4 Aring C5 AElig C6 Ccedil C7 Egrave C8
    Eacute C9 Ecirc CA Euml CB Igrave CC Iacute CD Icirc CE Iuml CF ETH D0 Ntilde D1 Ograve D2
    Oacute D3 Ocirc D4 Otilde D5 Ouml D6 times D7 Oslash D8 Ugrave D9 Uacute DA Ucirc DB
    Uuml DC Yacute DD THORN DE szlig DF agrave E0 aacute E1 acirc E2 atilde E3 auml E4 aring E5
    aelig E6 ccedil E7 egrave E8 eacute E9 ecirc EA euml EB igrave EC iacute ED icirc EE
    iuml EF eth F0 ntilde F1 ograve F2 oacute F3 ocirc F4 otilde F5 ouml F6 divide F7 oslash F8
    ugrave F9 uacute FA ucirc FB uuml FC yacute FD thorn FE yuml FF OElig 152 oelig 153
    Scaron 160 scaron 161 Yuml 178 fnof 192 circ 2C6 tilde 2DC Alpha 391 Beta 392 Gamma 393
    Delta 394 Epsilon 395 Zeta 396 Eta 397 Theta 398 Iota 399 Kappa 39A Lambda 39B Mu 39C
    Nu 39D Xi 39E Omicron 39F Pi 3A0 Rho 3A1 Sigma 3A3 Tau 3A4 Upsilon 3A5 Phi 3A6 Chi 3A7
    Psi 3A8 Omega 3A9 alpha 3B1 beta 3B2 gamma 3B3 delta 3B4 epsilon 3B5 zeta 3B6 eta 3B7
    theta 3B8 iota 3B9 kappa 3BA lambda 3BB mu 3BC nu 3BD xi 3BE omicron 3BF pi 3C0 rho 3C1
    sigmaf 3C2 sigma 3C3 tau 3C4 upsilon 3C5 phi 3C6 chi 3C7 psi 3C8 omega 3C9 thetasym 3D1
    upsih 3D2 piv 3D6 ensp 2002 emsp 2003 thinsp 2009 zwnj 200C zwj 200D lrm 200E rlm 200F
    ndash 2013 mdash 2014 lsquo 2018 rsquo 2019 sbquo 201A ldquo 201C rdquo 201D bdquo 201E
    dagger 2020 Dagger 2021 bull 2022 hellip 2026 permil 2030 prime 2032 Prime 2033 lsaquo 2039
    rsaquo 203A oline 203E frasl 2044 euro 20AC image 2111 weierp 2118 real 211C trade 2122
    alefsym 2135 larr 2190 uarr 2191 rarr 2192 darr 2193 harr 2194 crarr 21B5 lArr 21D0
    uArr 21D1 rArr 21D2 dArr 21D3 hArr 21D4 forall 2200 part 2202 exist 2203 empty 2205
    nabla 2207 isin 2208 notin 2209 ni 220B prod 220F sum 2211 minus 2212 lowast 2217
    radic 221A prop 221D infin 221E ang 2220 and 2227 or 2228 cap 2229 cup 222A int 222B
    there4 2234 sim 223C cong 2245 asymp 2248 ne 2260 equiv 2261 le 2264 ge 2265 sub 2282
    sup 2283 nsub 2284 sube 2286 supe 2287 oplus 2295 otimes 2297 perp 22A5 sdot 22C5
    lceil 2308 rceil 2309 lfloor 230A rfloor 230B lang 2329 rang 232A loz 25CA spades 2660
    clubs 2663 hearts 2665 diams 2666
    """
}
