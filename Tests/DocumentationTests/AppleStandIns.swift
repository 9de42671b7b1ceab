// Stand-ins for the declarations of SwiftUI and UIKit that `docs/user-interfaces.md` uses, where there is neither: with their generic
// requirements and isolation, as Apple documents them, and without behaviour. The page's code compiles against them on Linux.

#if canImport(SwiftUI) && canImport(UIKit)
import SwiftUI
import UIKit
#else
import Foundation

// MARK: - SwiftUI

@MainActor @preconcurrency
protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  var body: Never { fatalError() }
}

@resultBuilder
enum ViewBuilder {
  static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

extension Optional: View where Wrapped: View {
  var body: Never { fatalError() }
}

struct Shown: View { var body: Never { fatalError() } }

struct Text: View {
  init<Content: StringProtocol>(_ content: Content) {}
  var body: Never { fatalError() }
}

struct List<Content>: View {
  init<Data, RowContent>(
    _ data: Data,
    @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
  )
  where
    Content == ForEach<Data, Data.Element.ID, RowContent>,
    Data: RandomAccessCollection,
    RowContent: View,
    Data.Element: Identifiable
  {}
  var body: Never { fatalError() }
}

struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
  init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
  where ID == Data.Element.ID, Data.Element: Identifiable {}
  var body: Never { fatalError() }
}

struct Section<Content: View>: View {
  init<Title: StringProtocol>(_ title: Title, @ViewBuilder content: () -> Content) {}
  var body: Never { fatalError() }
}

@propertyWrapper
struct State<Value> {
  init(wrappedValue value: Value) { wrappedValue = value }
  var wrappedValue: Value
  var projectedValue: Binding<Value> { Binding() }
}

struct Binding<Value> {}

extension View {
  func overlay(@ViewBuilder content: () -> some View) -> some View { Shown() }
  func refreshable(action: @escaping @Sendable () async -> Void) -> some View { Shown() }
  func searchable(text: Binding<String>) -> some View { Shown() }
  func onAppear(perform action: (() -> Void)? = nil) -> some View { Shown() }
  func onDisappear(perform action: (() -> Void)? = nil) -> some View { Shown() }
  func onChange<Value: Equatable>(of value: Value, _ action: @escaping () -> Void) -> some View {
    Shown()
  }
}

// MARK: - UIKit

struct NSDiffableDataSourceSnapshot<
  SectionIdentifierType: Hashable & Sendable,
  ItemIdentifierType: Hashable & Sendable
> {
  mutating func appendSections(_ identifiers: [SectionIdentifierType]) {}
  mutating func appendItems(
    _ identifiers: [ItemIdentifierType],
    toSection sectionIdentifier: SectionIdentifierType? = nil
  ) {}
  mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {}
  mutating func reloadSections(_ identifiers: [SectionIdentifierType]) {}
}

@MainActor
class UITableViewDiffableDataSource<
  SectionIdentifierType: Hashable & Sendable,
  ItemIdentifierType: Hashable & Sendable
> {
  init(
    tableView: UITableView,
    cellProvider: @escaping (UITableView, IndexPath, ItemIdentifierType) -> UITableViewCell?
  ) {}
  func apply(
    _ snapshot: NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>,
    animatingDifferences: Bool = true,
    completion: (() -> Void)? = nil
  ) {}
  func applySnapshotUsingReloadData(
    _ snapshot: NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>,
    completion: (() -> Void)? = nil
  ) {}
}

@MainActor
class UILabel { var text: String? }

@MainActor
class UITableViewCell { var textLabel: UILabel? }

@MainActor
class UITableView {
  enum RowAnimation { case automatic }
  func dequeueReusableCell(withIdentifier identifier: String, for path: IndexPath)
    -> UITableViewCell
  {
    UITableViewCell()
  }
  func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {}
  func deleteSections(_ sections: IndexSet, with animation: RowAnimation) {}
  func insertSections(_ sections: IndexSet, with animation: RowAnimation) {}
  func reloadSections(_ sections: IndexSet, with animation: RowAnimation) {}
  func deleteRows(at paths: [IndexPath], with animation: RowAnimation) {}
  func insertRows(at paths: [IndexPath], with animation: RowAnimation) {}
  func reloadRows(at paths: [IndexPath], with animation: RowAnimation) {}
  func reconfigureRows(at paths: [IndexPath]) {}
  func moveRow(at path: IndexPath, to newPath: IndexPath) {}
  func reloadData() {}
}
#endif
