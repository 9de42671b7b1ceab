extension KeyLayout {
  /// The bytes before which exactly the keys stand that stand before a bound.
  ///
  /// A zero byte inside a text is written as its terminator and one byte more. So the bytes of a column may begin the bytes of
  /// another, longer one, which stands behind all keys with the first, or before them where the order descends. The byte that
  /// follows tells the two apart: a column begins with 1, 2 or 3.
  /// - Complexity: O(*n*) in the bound's bytes.
  public func firstBytes(at bound: KeyBound) -> [UInt8] {
    if bound.isBehind { return bound.columns + [4] }
    return endsDescending(bound.columns) ? bound.columns + [1] : bound.columns
  }

  /// Whether the last column of a bound descends; those of the identity never do.
  private func endsDescending(_ columns: [UInt8]) -> Bool {
    columns.withUnsafeBytes { bytes in
      var end = 0
      for column in order where end < bytes.count {
        end = self.end(of: column, in: bytes, from: end)
        if end == bytes.count { return column.isDescending }
      }
      return false
    }
  }
}
