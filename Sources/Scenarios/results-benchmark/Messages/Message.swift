import ResultsDomain

/// A message of the big table: about 128 bytes a row.
struct Message: Entity {
  var id: Int64?
  /// One of a thousand.
  var folder: Int64 = 0
  var date = Instant(microseconds: 0)
  /// A capital letter first, then words and a number.
  var subject = ""
  /// One of ten.
  var room: Int64 = 0
  /// One of a hundred thousand.
  var thread: Int64 = 0
  /// Mostly 0.
  var mark: Int64 = 0
  var body = ""

  static let schema = EntitySchema<Message>("Message", identity: \.id) {
    Attribute(\.folder, "folder")
    Attribute(\.date, "date")
    Attribute(\.subject, "subject")
    Attribute(\.room, "room")
    Attribute(\.thread, "thread")
    Attribute(\.mark, "mark")
    Attribute(\.body, "body")
  }

  /// Where the folder and the date stand among a row's values.
  static let (folderPlace, datePlace, bodyPlace) = (0, 1, 6)
  /// How many folders there are, at most.
  static let folders = 1000
  /// The span of all dates: ten years from 2015 on, in microseconds.
  static let dates: Range<Int64> = 1_420_070_400_000_000..<1_735_689_600_000_000
}
