// A to-do sample of Core Data: lists, tasks and tags; sections by list, search, and reordering by hand.

import FetchedResults
import SQLitePersistence

struct TaskList: Entity {
  var id: Int64?
  var name = ""

  static let tasks = ToMany<TaskList, ToDo>("tasks", inverse: ToDo.list)

  static let schema = EntitySchema<TaskList>("TaskList", identity: \.id) {
    Attribute(\.name, "name")
    Relationship(tasks)
  }
}

struct Tag: Entity {
  var id: Int64?
  var name = ""

  static let schema = EntitySchema<Tag>("Tag", identity: \.id) { Attribute(\.name, "name") }
}

struct ToDo: Entity {
  var id: Int64?
  var title = ""
  var isDone = false
  var position = 0
  var listID: Int64?

  static let list = ToOne<ToDo, TaskList>("list", \.listID, onDelete: .cascade)
  static let tags = ToMany<ToDo, Tag>("tags", through: Link("ToDoTag", "toDoID", "tagID"))

  static let schema = EntitySchema<ToDo>("ToDo", identity: \.id) {
    Attribute(\.title, "title")
    Attribute(\.isDone, "isDone")
    Attribute(\.position, "position")
    Attribute(\.listID, "listID")
    Relationship(list)
    Relationship(tags)
  }
}

@MainActor
final class ToDoScreen {
  let store: SQLiteStore
  let list: FetchedResultsController<ToDo>

  init(at path: String) throws {
    store = try SQLiteStore(at: path, entities: [TaskList.entity, ToDo.entity, Tag.entity])
    list = FetchedResultsController(
      FetchRequest<ToDo>(sortedBy: [.ascending(\.list.name), .ascending(\.position)]),
      sectionedBy: .attribute(\.list.name),
      in: store
    )
  }

  /// Shows the tasks whose title contains a text, or that have a tag of that name.
  func search(_ text: String) async throws {
    let found: EntityPredicate<ToDo> =
      text.isEmpty
      ? .all
      : .contains(\.title, text, caseInsensitive: true) || ToDo.tags.any(\.name == text)
    try await list.update { $0.request.predicate = found.predicate }
  }

  /// Drops a task between others of its section, and numbers that section again.
  func move(_ path: RowPath, to row: Int) async throws {
    var tasks = try list.results.sections[path.section].objects()
    tasks.insert(tasks.remove(at: path.row), at: row)
    let moved = tasks.enumerated().map { index, task in
      var task = task
      task.position = index
      return task
    }
    try await store.write { for task in moved { try $0.update(task) } }
  }

  func show(_ title: String) async throws {
    try await list.refresh()
    let sections = try list.results.sections.map { section in
      "\(section.title): " + (try section.objects().map(\.title).joined(separator: ", "))
    }
    print(title, sections.joined(separator: " | "), separator: " > ")
  }
}

let screen = try ToDoScreen(at: CommandLine.arguments[1])
let home = try await screen.store.write { database in
  let home = try database.insert(TaskList(name: "Home"))
  let work = try database.insert(TaskList(name: "Work"))
  let urgent = try database.insert(Tag(name: "urgent"))
  for (index, title) in ["Bread", "Milk", "Plants"].enumerated() {
    guard case .integer(let list) = home.key else { continue }
    try database.insert(ToDo(title: title, position: index, listID: list))
  }
  guard case .integer(let list) = work.key else { return home }
  let report = try database.insert(ToDo(title: "Report", listID: list))
  try database.link(report, urgent, by: ToDo.tags)
  return home
}
try await screen.list.performFetch()
try await screen.show("all")
try await screen.move(RowPath(section: 0, row: 2), to: 0)
try await screen.show("reordered")
try await screen.store.write { try $0.update(TaskList(id: 1, name: "Zuhause")) }
try await screen.show("renamed")
try await screen.search("urgent")
try await screen.show("tagged")
try await screen.search("")
try await screen.store.write { try $0.delete(home, of: TaskList.entity) }
try await screen.show("deleted")
