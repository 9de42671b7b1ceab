/// The fourteen books of the demo, of four publishers.
public enum DemoBooks {
  /// The books, in the order they are added.
  public static let all: [Book] = [
    Book(publisher: "早川書房", title: "エターナル・フレイム"),
    Book(publisher: "東京創元社", title: "帰還兵の戦場1"),
    Book(publisher: "東京創元社", title: "叛逆航路"),
    Book(publisher: "東京創元社", title: "ラドチ戦史"),
    Book(publisher: "岩波書店", title: "影との戦い"),
    Book(publisher: "岩波書店", title: "こわれた腕環"),
    Book(publisher: "岩波書店", title: "さいはての島へ"),
    Book(publisher: "岩波書店", title: "帰還"),
    Book(publisher: "岩波書店", title: "ホビットの冒険 上"),
    Book(publisher: "文藝春秋", title: "ミスター・メルセデス 上"),
    Book(publisher: "早川書房", title: "クロックワーク・ロケット"),
    Book(publisher: "早川書房", title: "神の水"),
    Book(publisher: "早川書房", title: "ロックイン-統合捜査-"),
    Book(publisher: "文藝春秋", title: "11/22/63(上)"),
  ]
}
