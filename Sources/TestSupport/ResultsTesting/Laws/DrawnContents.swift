import ResultsDomain
package import ResultsPresentation

/// A content drawn as text: `A:xy B:z` is two sections with rows x, y and z.
package func drawn(_ picture: String) -> ResultsContent {
  ResultsContent(
    sections: picture.split(separator: " ").map { part in
      let halves = part.split(separator: ":", omittingEmptySubsequences: false)
      let title = String(halves[0])
      return ResultsContent.Section(
        header: SectionHeader(id: SectionID(.text(title)), title: title),
        rows: halves.dropFirst().flatMap { half in
          half.map { ObjectID(entity: "Item", key: .text(String($0))) }
        }
      )
    }
  )
}

/// The reference delta between two pictures, where the rows named in `changed` have new keys.
package func drawnDelta(_ old: String, _ new: String, changed: String = "") -> ResultsDelta {
  contentDelta(drawn(old), drawn(new), changed: changed)
}

/// The reference delta between two contents, where the rows named in `changed` have new keys.
package func contentDelta(
  _ old: ResultsContent,
  _ new: ResultsContent,
  changed: String
) -> ResultsDelta {
  let changed = Set(changed.map(String.init))
  return ReferenceDelta.computed(from: old, to: new) { id in
    let isChanged = changed.contains(id.key.description)
    return .init(changed: AttributeSet(indexes: isChanged ? [0] : []), keyChanged: isChanged)
  }
}

/// A delta drawn as text, one entry a word.
package func picture(_ delta: ResultsDelta) -> String {
  var words: [String] = []
  words += delta.sections.deletes.map { "-S\($0.from)" }
  words += delta.sections.moves.map { "S\($0.from)>\($0.to)" }
  words += delta.sections.inserts.map { "+S\($0.to)" }
  words += delta.sections.updates.map { "~S\($0.from)=\($0.to)" }
  words += delta.rows.deletes.map { "-\($0.id.key)\($0.from.path)" }
  words += delta.rows.moves.map { "\($0.id.key)\($0.from.path)>\($0.to.path)" }
  words += delta.rows.inserts.map { "+\($0.id.key)\($0.to.path)" }
  words += delta.rows.updates.map { "~\($0.id.key)\($0.from.path)=\($0.to.path)" }
  return words.joined(separator: " ")
}

extension ResultsPosition {
  /// Returns the position of a generation of a list that was made by hand.
  package static func unknown(_ generation: Int) -> ResultsPosition {
    ResultsPosition(life: .unknown, generation: generation)
  }
}
