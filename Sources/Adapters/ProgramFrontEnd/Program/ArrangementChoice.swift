import ResultsDomain
import ResultsPresentation

/// The choice of how a list shows its sections, in the words of options.
package struct ArrangementChoice: Hashable, Sendable {
  /// The values of the sections that are shown in this order, also while they are empty, separated by commas; `nil` for none.
  package var sections: String?
  /// What becomes of other sections: `before`, `after` or `hidden`; `nil` for `after`.
  package var others: String?
  /// The maximum number of rows of each section, or `nil` for none.
  package var sectionLimit: Int?
  /// The values of the sections that show no row, separated by commas; `nil` for none.
  package var collapsed: String?

  /// Creates a choice.
  package init(
    sections: String? = nil,
    others: String? = nil,
    sectionLimit: Int? = nil,
    collapsed: String? = nil
  ) {
    (self.sections, self.others) = (sections, others)
    (self.sectionLimit, self.collapsed) = (sectionLimit, collapsed)
  }

  /// The choice for sections by another name: values of the sections that were are none of theirs, and a limit goes with any.
  package func ofOtherSections(named name: String) -> ArrangementChoice {
    ArrangementChoice(sectionLimit: name.lowercased() == "none" ? nil : sectionLimit)
  }

  /// Arranges the sections of a definition.
  /// - Throws: `CommandFailure` for values that are not those of the section's attribute, and for a list without sections.
  func apply(
    to definition: inout ResultsDefinition<Row>,
    for settings: LocaleSettings
  ) throws(CommandFailure) {
    guard self != ArrangementChoice() else { return }
    guard let key = definition.sectionKey else {
      throw CommandFailure(
        .usage,
        "The list has no sections to arrange.",
        remedy: "Name an attribute with --section-by."
      )
    }
    if let sectionLimit {
      definition.arrangement.limits.all = try ListChoice.count(sectionLimit, "--section-limit")
    }
    let entity = definition.request.entity
    for id in try ids(in: collapsed, "--collapse", key, entity, settings) {
      definition.arrangement.limits.collapse(SectionID(id))
    }
    let fixed = try ids(in: sections, "--sections", key, entity, settings)
    definition.arrangement.fixed = fixed.map { .init($0) }
    if let others {
      guard sections != nil else {
        throw CommandFailure(
          .usage,
          "--other-sections needs --sections.",
          remedy: "Name the sections to show first, such as --sections a,b."
        )
      }
      guard let choice = SectionArrangement.OtherSections(rawValue: others) else {
        throw CommandFailure(
          .usage,
          "--other-sections cannot be “\(others)”.",
          remedy: "Use before, after or hidden."
        )
      }
      definition.arrangement.others = choice
    }
  }

  /// The ids of sections that are named by their values.
  private func ids(
    in text: String?,
    _ option: String,
    _ key: SectionKey,
    _ entity: EntityDescription,
    _ settings: LocaleSettings
  ) throws(CommandFailure) -> [Value] {
    guard let text else { return [] }
    if case .relationship(let sections) = key.source,
      let object = try? entity.relationships(
        along: sections.path,
        endsToMany: false,
        in: sections.path.joined(separator: ".")
      ).last?.destination, let type = object.keyTypes.first
    {
      let attribute = AttributeDescription(object.identity.columns[0], type)
      let parser = ValueParser(settings)
      var ids: [Value] = []
      for name in try NameList.names(in: text, of: option) {
        ids.append(name == "(none)" ? .null : try parser.value(name, of: attribute))
      }
      return ids
    }
    guard case .expression(let expression, nil, _, _) = key.source,
      !expression.isTransformed
    else {
      throw CommandFailure(
        .usage,
        "\(option) names values, and these sections are computed from them.",
        remedy: "Divide the list by an attribute: --section-by with its name."
      )
    }
    var attribute = RelatedName.attribute(expression, of: entity)
    if case .attribute(let name) = expression, let known = entity.attribute(named: name) {
      attribute = known
    }
    let parser = ValueParser(settings)
    var ids: [Value] = []
    for name in try NameList.names(in: text, of: option) {
      ids.append(name == "(none)" ? .null : try parser.value(name, of: attribute))
    }
    return ids
  }
}

extension FetchExpression {
  /// Whether the expression is a transformed text, whose values are keys of an order.
  fileprivate var isTransformed: Bool { if case .transformed = self { true } else { false } }
}
