import CSQLiteHooks
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// The functions that translated predicates call, registered on a connection when it first needs them.
///
/// Folding and patterns use the domain's code, so that SQL and the evaluator cannot differ. Statements of this package call them, and
/// nothing in a file can: no index needs one (decision 26).
enum ConnectionFunctions {
  /// Registers the functions, unless the connection has them.
  static func register(on database: Database) throws {
    // Registering again would make SQLite prepare every statement again.
    guard (try? database.cachedStatement(sql: "SELECT results_folded(NULL)")) == nil else { return }
    let connection = database.sqliteConnection
    for code in [
      results_register_values(connection),
      add("results_folded", arguments: 1, to: connection, folded),
      add("results_like", arguments: 2, to: connection, like),
      add("results_matches", arguments: 2, to: connection, matches),
      add("results_pattern", arguments: 2, isConstant: false, to: connection, pattern),
      add("results_baseletters", arguments: 1, to: connection, baseLetters),
      add("results_natural", arguments: 1, to: connection, natural),
      add("results_filing", arguments: 1, to: connection, filing),
      addSum("results_integer_sum", of: .integer64, to: connection),
      addSum("results_real_sum", of: .real, to: connection),
      results_register_functions(connection),
      results_register_sampling(connection),
      results_register_ranking(connection),
    ] where code != SQLITE_OK {
      throw SQLiteFailure(connection)
    }
  }

  private typealias Function =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private static func add(
    _ name: String,
    arguments: Int32,
    isConstant: Bool = true,
    to connection: OpaquePointer?,
    _ function: Function
  ) -> Int32 {
    let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | (isConstant ? SQLITE_DETERMINISTIC : 0)
    return sqlite3_create_function_v2(
      connection,
      name,
      arguments,
      flags,
      nil,
      function,
      nil,
      nil,
      nil
    )
  }

  private typealias FinalFunction = @convention(c) (OpaquePointer?) -> Void

  /// Adds an aggregate function that sums as the core does: exactly, and null over nothing and where 64 bits overflow.
  private static func addSum(
    _ name: String,
    of type: AttributeType,
    to connection: OpaquePointer?
  ) -> Int32 {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    let step: Function = type == .real ? addReal : addInteger
    return sqlite3_create_function_v2(
      connection,
      name,
      1,
      flags,
      nil,
      nil,
      step,
      type == .real ? realResult : integerResult,
      nil
    )
  }

  private static let addInteger: Function = { context, _, arguments in
    SumBox.add(arguments?[0], .integer64, in: context)
  }

  private static let addReal: Function = { context, _, arguments in
    SumBox.add(arguments?[0], .real, in: context)
  }

  private static let integerResult: FinalFunction = { SumBox.finish(.integer64, in: $0) }

  private static let realResult: FinalFunction = { SumBox.finish(.real, in: $0) }

  private static let folded: Function = { context, _, arguments in
    answer(context, arguments, TextFolding.folded)
  }

  private static let baseLetters: Function = { context, _, arguments in
    guard let argument = arguments?[0], sqlite3_value_type(argument) == SQLITE_TEXT else { return }
    answer(context, arguments, TextTransform.baseLetters.applied)
  }

  private static let natural: Function = { context, _, arguments in
    guard let argument = arguments?[0], sqlite3_value_type(argument) == SQLITE_TEXT else { return }
    answer(context, arguments, TextTransform.natural.applied)
  }

  private static let filing: Function = { context, _, arguments in
    guard let argument = arguments?[0], sqlite3_value_type(argument) == SQLITE_TEXT else { return }
    answer(context, arguments, TextTransform.filing.applied)
  }

  /// Returns a function of the text that is a function's first argument to SQLite.
  private static func answer(
    _ context: OpaquePointer?,
    _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
    _ change: (String) -> String
  ) {
    guard let argument = arguments?[0],
      let text = Value(argument, storage: .text).readableText
    else { return }
    var changed = change(text)
    guard !changed.utf8.isEmpty else {
      sqlite3_result_text(context, "", 0, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      return
    }
    changed.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_result_text64(
          context,
          $0.baseAddress,
          UInt64($0.count),
          unsafeBitCast(-1, to: sqlite3_destructor_type.self),
          UInt8(SQLITE_UTF8)
        )
      }
    }
  }

  /// Returns its argument's compiled pattern as a pointer, which is valid while the statement runs.
  private static let pattern: Function = { context, _, arguments in
    guard let source = arguments?[0], let number = arguments?[1] else { return }
    let pattern: Pattern
    if let cached = sqlite3_get_auxdata(context, 0) {
      pattern = Unmanaged<Pattern>.fromOpaque(cached).takeUnretainedValue()
    } else {
      guard case .text(let text) = Value(source, storage: .text),
        let kind = SQLiteDialect.PatternKind(rawValue: sqlite3_value_int(number))
      else { return }
      pattern = Pattern(text, kind)
      sqlite3_set_auxdata(context, 0, Unmanaged.passRetained(pattern).toOpaque()) { cached in
        if let cached { Unmanaged<Pattern>.fromOpaque(cached).release() }
      }
      // Without memory for it SQLite has released the pattern.
      guard sqlite3_get_auxdata(context, 0) != nil else {
        return sqlite3_result_error_nomem(context)
      }
    }
    sqlite3_result_pointer(
      context,
      Unmanaged.passUnretained(pattern).toOpaque(),
      results_pattern_type,
      nil
    )
  }

  private static let like: Function = { context, _, arguments in
    guard let text = arguments?[0], sqlite3_value_type(text) == SQLITE_TEXT,
      case .like(let pattern)? = Pattern.of(arguments?[1])
    else { return }
    let bytes = sqlite3_value_text(text)
    let count = Int(sqlite3_value_bytes(text))
    let matches = pattern.matches(UnsafeBufferPointer(start: bytes, count: count))
    sqlite3_result_int(context, matches ? 1 : 0)
  }

  private static let matches: Function = { context, _, arguments in
    guard let value = arguments?[0], sqlite3_value_type(value) == SQLITE_TEXT,
      case .matches(let pattern)? = Pattern.of(arguments?[1]),
      let text = Value(value, storage: .text).readableText
    else { return }
    let matches = pattern?.matches(text.unicodeScalars) ?? false
    sqlite3_result_int(context, matches ? 1 : 0)
  }

  /// The sum of the rows of one group, which SQLite's aggregate context refers to.
  private final class SumBox {
    private var state: AggregateState

    private init(_ type: AttributeType) { state = AggregateState(.sum, of: type) }

    /// Adds a value to the group's sum.
    static func add(_ value: OpaquePointer?, _ type: AttributeType, in context: OpaquePointer?) {
      guard let value,
        let memory = sqlite3_aggregate_context(context, Int32(MemoryLayout<Int>.size))
      else { return sqlite3_result_error_nomem(context) }
      let slot = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
      if slot.pointee == nil { slot.pointee = Unmanaged.passRetained(SumBox(type)).toOpaque() }
      guard let pointer = slot.pointee else { return }
      let box = Unmanaged<SumBox>.fromOpaque(pointer).takeUnretainedValue()
      box.state.add(Value(value, storage: type.storage))
    }

    /// Sets the sum as the function's result.
    static func finish(_ type: AttributeType, in context: OpaquePointer?) {
      // Without a row there is no memory, and the result is null.
      guard let memory = sqlite3_aggregate_context(context, 0),
        let pointer = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee
      else { return }
      let box = Unmanaged<SumBox>.fromOpaque(pointer).takeRetainedValue()
      switch box.state.result(as: type).value {
      case .integer(let sum): sqlite3_result_int64(context, sum)
      case .real(let sum): sqlite3_result_double(context, sum)
      case .null, .text, .blob, .illFormedText: return
      }
    }
  }

  /// A pattern that SQLite caches while a statement runs.
  private final class Pattern {
    enum Compiled {
      case like(LikePattern)
      /// `nil` for a text that is no regular expression, which validation refuses.
      case matches(MatchPattern?)
    }

    private let compiled: Compiled

    init(_ text: String, _ kind: SQLiteDialect.PatternKind) {
      compiled =
        switch kind {
        case .like: .like(LikePattern(text))
        case .matches: .matches(try? MatchPattern(text, caseInsensitive: false))
        case .foldingMatches: .matches(try? MatchPattern(text, caseInsensitive: true))
        }
    }

    /// The pattern that an argument points to, or `nil` for any other value.
    static func of(_ argument: OpaquePointer?) -> Compiled? {
      sqlite3_value_pointer(argument, results_pattern_type)
        .map { Unmanaged<Pattern>.fromOpaque($0).takeUnretainedValue().compiled }
    }
  }
}
