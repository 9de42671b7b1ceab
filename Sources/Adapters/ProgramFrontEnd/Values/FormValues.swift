package import ResultsDomain

/// The texts of values in a form: in the forms of a locale where they can be read back, so that no value changes by being shown.
package struct FormValues: Sendable {
  /// The values of the changed fields of a form.
  package struct Reading: Sendable {
    /// The values by the fields' positions.
    package var values: [Int: Value] = [:]
    /// The key, if one was given.
    package var key: ObjectKey?
    /// What is wrong with texts, and what to write instead, by the fields' positions.
    package var problems: [Int: String] = [:]
  }

  private let settings: LocaleSettings

  package init(_ settings: LocaleSettings) { self.settings = settings }

  /// Returns the text of a value: the first of the locale's form and the machine's form that means that value.
  package func text(_ value: Value, of attribute: AttributeDescription) -> String {
    guard !value.isNull else { return "" }
    let texts = [ValueFormatter(for: settings), ValueFormatter(for: nil)].map {
      $0.text(value, of: attribute)
    }
    let parser = ValueParser(settings)
    return texts.first { (try? parser.value($0, of: attribute)) == value } ?? texts[0]
  }

  /// Returns the value of a text; an empty text is none where the attribute is optional.
  /// - Throws: `CommandFailure` with what to write instead.
  package func value(_ text: String, of attribute: AttributeDescription) throws(CommandFailure)
    -> Value
  {
    if text.isEmpty, attribute.isOptional { return .null }
    return try ValueParser(settings, takesWords: true).value(text, of: attribute)
  }

  /// Returns what is wrong with a text and what to write instead, or `nil` for a value.
  package func problem(of text: String, for attribute: AttributeDescription) -> String? {
    do {
      let value = try value(text, of: attribute)
      guard value.isNull || attribute.accepts(value) else { return "is out of its range." }
      return nil
    } catch {
      let name = "\(attribute.name): "
      let message =
        error.message.hasPrefix(name) ? String(error.message.dropFirst(name.count)) : error.message
      return "\(message) \(error.remedy)"
    }
  }

  /// Reads the changed fields of a form; the field after the attributes is the key.
  package func read<Program: ListProgram>(_ texts: [Int: String], of program: Program.Type)
    -> Reading
  {
    let attributes = Program.fields.form.attributes
    var reading = Reading()
    for (field, text) in texts {
      guard attributes.indices.contains(field) else {
        reading.key = try? ObjectKey(typed: text, of: Program.entity)
        if text.isEmpty || reading.key == nil { reading.problems[field] = "needs a value." }
        continue
      }
      if let problem = problem(of: text, for: attributes[field]) {
        reading.problems[field] = problem
      } else if let value = try? value(text, of: attributes[field]) {
        reading.values[field] = value
        reading.problems[field] = Program.refusal(of: value, for: attributes[field].name)
      }
    }
    return reading
  }

  /// Returns what an entity does not allow in a whole row, by the attributes' positions.
  package func problems(of values: [Value], in entity: EntityDescription) -> [Int: String] {
    do throws(StoreError) {
      try entity.validate(values)
    } catch {
      if case .invalid(let failures) = error { return problems(failures, in: entity) }
    }
    return [:]
  }

  /// Returns failures by the positions of the attributes that they are about.
  package func problems(
    _ failures: [ValidationFailure],
    in entity: EntityDescription
  ) -> [Int: String] {
    var problems: [Int: String] = [:]
    for failure in failures {
      switch failure {
      case .missing(_, let attribute): problems[entity.index(of: attribute) ?? 0] = "needs a value."
      case .wrongValue(_, let attribute, _), .unknownAttribute(_, let attribute, _),
        .calculated(_, let attribute), .notStorable(_, let attribute, _):
        problems[entity.index(of: attribute) ?? 0] = failure.description
      case .wrongCount, .refused, .invalidKey, .onlyRead: problems[0] = failure.description
      }
    }
    return problems
  }
}
