/// What a search in a `PivotTree` looks for, relative to the node it has come to.
enum PivotTarget {
  case key(UnsafeRawBufferPointer)
  case position(Int)
  case block(Int)
}
