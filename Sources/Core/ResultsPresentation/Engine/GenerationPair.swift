/// Two generations of a list, one led on to the other.
///
/// It is an object, since all that works out what lies between them looks at both, and a copy of a generation has many parts.
final class GenerationPair {
  let old: ResultsSnapshot
  let next: ResultsSnapshot

  init(old: ResultsSnapshot, next: ResultsSnapshot) {
    self.old = old
    self.next = next
  }
}
