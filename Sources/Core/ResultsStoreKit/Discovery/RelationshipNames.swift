import ResultsDomain

/// Names of relationships, made of the names of columns and tables.
extension String {
  /// The name of a foreign key's column without what says that it is a key, or `nil` if nothing says so.
  package var withoutKeySuffix: String? {
    let suffixes = [
      "_id", "_ID", "_Id", "Id", "ID", "_uuid", "_key", "_code", "_no", "_fk", "UUID", "Key",
      "Code",
    ]
    for suffix in suffixes where hasSuffix(suffix) {
      let name = String(dropLast(suffix.count))
      return name.isEmpty || name == "_" ? nil : name
    }
    return nil
  }

  /// The name with a small first letter, unless the second one is a capital too.
  package var asMember: String {
    let letters = Array(utf8)
    let isCapital = { (index: Int) in
      index < letters.count && (0x41...0x5A).contains(letters[index])
    }
    guard isCapital(0), !isCapital(1) else { return self }
    return String(decoding: [letters[0] + 32] + letters.dropFirst(), as: UTF8.self)
  }

  /// The name with a capital first letter.
  package var asSuffix: String {
    guard let first = utf8.first, (0x61...0x7A).contains(first) else { return self }
    return String(decoding: [first - 32] + utf8.dropFirst(), as: UTF8.self)
  }

  /// The singular of an English noun, or a singular as it is.
  package var singular: String {
    let word = (split(separator: "_").last ?? self[...]).lowercased()
    func ends(in endings: String...) -> Bool { endings.contains(where: word.hasSuffix) }
    if ends(in: "series", "species", "news", "lens", "gas", "alias", "atlas", "bias", "canvas") {
      return self
    }
    if ends(in: "movies", "cookies", "caches") { return String(dropLast()) }
    if ends(in: "ies"), word.utf8.count > 4 { return String(dropLast(3)) + "y" }
    let isLong =
      ends(in: "sses", "xes", "ches", "shes", "iases", "gases", "lenses", "atlases", "canvases")
      // A bus and a status, but a house and a cause.
      || ends(in: "uses") && word.utf8.count > 4 && !ends(in: "auses", "ouses")
    if isLong { return String(dropLast(2)) }
    // An abbreviation such as crs or dns has no vowel before its s.
    let hasVowel = word.utf8.dropLast().contains { "aeiouy".utf8.contains($0) }
    let isPlural = ends(in: "s") && hasVowel && !ends(in: "ss", "us", "is")
    return isPlural && word.utf8.count > 2 ? String(dropLast()) : self
  }

  /// The plural of an English noun, or a plural as it is.
  package var plural: String {
    let last = utf8.suffix(2)
    switch last.last {
    case UInt8(ascii: "s"), UInt8(ascii: "S"): return self
    case UInt8(ascii: "y") where !"aeiou".utf8.contains(last.first ?? 0):
      return String(dropLast()) + "ies"
    case UInt8(ascii: "x"): return self + "es"
    case UInt8(ascii: "h") where "cs".utf8.contains(last.first ?? 0): return self + "es"
    default: return self + "s"
    }
  }
}

extension [String] {
  /// The names that another one equals as `String` does, but not in its bytes.
  ///
  /// Databases compare names by bytes and can have both. A name is the key of an entity here, so the two could not be kept apart.
  /// - Complexity: O(*n*) on average.
  package var equalButForComposition: Set<String> {
    let alike = Dictionary(grouping: self) { $0 }
      .filter { name, all in !all.allSatisfy { $0.utf8.elementsEqual(name.utf8) } }
    return Set(alike.keys)
  }
}
