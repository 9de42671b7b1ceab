extension Array where Element: BitwiseCopyable {
  /// Lends the memory of the elements, with the closure's own type of error.
  @inline(__always)
  func withBorrowedBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { (elements) throws(Failure) -> Result in
      try body(UnsafeRawBufferPointer(elements))
    }
  }
}
