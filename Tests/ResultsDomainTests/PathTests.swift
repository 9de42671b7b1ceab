import ResultsDomain
import Testing

/// Structs that name each other, with keys of one part and of two.
enum Bookshop {
  struct Country: Entity {
    var id: Int64?
    var name = ""
    static let authors = ToMany<Country, Author>("authors", inverse: Author.country)
    static let schema = EntitySchema<Country>("Country", identity: \.id) {
      Attribute(\.name, "name")
      Relationship(authors)
    }
  }

  struct Author: Entity {
    var id: Int64?
    var name = ""
    var nickname: String?
    var countryID: Int64?
    var favoriteID: Int64?
    static let country = ToOne<Author, Country>("country", \.countryID)
    static let favorite = ToOne<Author, Book>("favorite", \.favoriteID)
    static let books = ToMany<Author, Book>("books", inverse: Book.author)
    static let schema = EntitySchema<Author>("Author", identity: \.id) {
      Attribute(\.name, "name")
      Attribute(\.nickname, "nickname")
      Attribute(\.countryID, "country_id")
      Attribute(\.favoriteID, "favorite_id")
      Relationship(country)
      Relationship(favorite)
      Relationship(books)
    }
  }

  struct Book: Entity {
    var id: Int64?
    var title = ""
    var year = 0
    var price = ExactDecimal(units: 0, scale: 2)
    var authorID: Int64?
    var shop: String?
    var number: Int64?
    static let author = ToOne<Book, Author>("author", \.authorID, onDelete: .nullify)
    static let rack = ToOne<Book, Rack>("rack", \.shop, \.number)
    static let fans = ToMany<Book, Author>("fans", inverse: Author.favorite)
    static let tags = ToMany<Book, Tag>("tags", through: Tag.link.reversed)
    static let reviews = ToMany<Book, Tag>("reviews", through: Review.book, Review.tag)
    static let schema = EntitySchema<Book>("Book", identity: \.id) {
      Attribute(\.title, "title")
      Attribute(\.year, "year")
      Attribute(\.price, "price", scale: 2)
      Attribute(\.authorID, "author_id")
      Attribute(\.shop, "shop")
      Attribute(\.number, "number")
      Relationship(author)
      Relationship(rack)
      Relationship(fans)
      Relationship(tags)
      Relationship(reviews)
    }
  }

  struct Tag: Entity {
    var id: Int64?
    var name = ""
    var rank = 0
    static let link = Link("BookTag", "tagID", "bookID")
    static let books = ToMany<Tag, Book>("books", through: link)
    static let schema = EntitySchema<Tag>("Tag", identity: \.id) {
      Attribute(\.name, "name")
      Attribute(\.rank, "rank")
      Relationship(books)
    }
  }

  struct Review: Entity {
    var id: Int64?
    var bookID: Int64 = 0
    var tagID: Int64 = 0
    static let book = ToOne<Review, Book>("book", \.bookID, onDelete: .cascade)
    static let tag = ToOne<Review, Tag>("tag", \.tagID)
    static let schema = EntitySchema<Review>("Review", identity: \.id) {
      Attribute(\.bookID, "book")
      Attribute(\.tagID, "tag")
    }
  }

  struct Rack: Entity {
    var shop = ""
    var number: Int64 = 0
    var title = ""
    static let schema = EntitySchema<Rack>("Rack", compoundIdentity: ["shop", "number"]) {
      Attribute(\.shop, "shop")
      Attribute(\.number, "number")
      Attribute(\.title, "title")
    }
  }
}

@Suite("Typed paths")
struct PathTests {
  typealias Book = Bookshop.Book
  typealias Author = Bookshop.Author
  typealias Tag = Bookshop.Tag
  typealias Rack = Bookshop.Rack

  /// The text of a predicate that is valid for books.
  func text(_ predicate: EntityPredicate<Book>) throws -> String {
    try predicate.predicate.validate(in: Book.entity)
    return predicate.predicate.description
  }

  @Test("schemas that name each other describe their relationships, whichever is used first")
  func schemas() throws {
    let author = try #require(Book.entity.relationship(named: "author"))
    #expect(author.kind == .toOne(foreignKey: ["author_id"]))
    #expect(author.onDelete == .nullify)
    #expect(author.destination == Author.entity)
    let books = try #require(Author.entity.relationship(named: "books"))
    #expect(books.kind == .toMany(foreignKey: ["author_id"]))
    #expect(!books.isToOne)
    let fans = try #require(Book.entity.relationship(named: "fans"))
    #expect(fans.kind == .toMany(foreignKey: ["favorite_id"]))
    let rack = try #require(Book.entity.relationship(named: "rack"))
    #expect(rack.kind == .toOne(foreignKey: ["shop", "number"]))
    #expect(rack.destination == Rack.entity)
  }

  @Test("a link is one entity, whichever side declares it; a struct can link too")
  func links() throws {
    let link = try #require(Book.tags.link)
    #expect(link.identity == .compound(["bookID", "tagID"]))
    let other = try #require(Tag.books.link)
    #expect(link.stored == other.stored)
    #expect(link.attributes.map(\.name) == ["bookID", "tagID"])
    #expect(other.attributes.map(\.name) == ["tagID", "bookID"])
    #expect(other.keyAttributeIndexes == [1, 0])
    #expect(other.storedValues([7, 9]) == [9, 7])
    guard case .manyToMany(_, let from, let to) = Book.entity.relationship(named: "tags")?.kind
    else {
      Issue.record("not many-to-many")
      return
    }
    #expect(from == ["bookID"])
    #expect(to == ["tagID"])
    let reviews = try #require(Book.entity.relationship(named: "reviews"))
    #expect(
      reviews.kind
        == .manyToMany(
          link: EntityReference { Bookshop.Review.entity },
          from: ["book"],
          to: ["tag"]
        )
    )
  }

  @Test("key paths and values of related objects make the same conditions")
  func conditions() throws {
    #expect(try text(\.author.name == "Eco") == "author.name == 'Eco'")
    #expect(try text(Book.author.name == "Eco") == "author.name == 'Eco'")
    #expect(try text(\.author.nickname == nil) == "author.nickname == NULL")
    #expect(try text(\.author.nickname != nil) == "author.nickname != NULL")
    #expect(try text(\.author.country.name < "M") == "author.country.name < 'M'")
    #expect(try text(\.author.id >= 3) == "author.SELF >= 3")
    #expect(try text(\.tags.count > 3) == "tags.@count > 3")
    #expect(try text(\.author.books.year.max <= 1990) == "author.books.@max.year <= 1990")
    #expect(try text(\.tags.rank.sum == 12) == "tags.@sum.rank == 12")
    #expect(try text(.contains(\.author.nickname, "a")) == "author.nickname CONTAINS 'a'")
    #expect(
      try text(.beginsWith(Book.author.name, "a", caseInsensitive: true))
        == "author.name BEGINSWITH[c] 'a'"
    )
    #expect(try text(.endsWith(\.author.name, "a")) == "author.name ENDSWITH 'a'")
    #expect(try text(.like(\.author.name, "a*")) == "author.name LIKE 'a*'")
    #expect(try text(.in(\.author.name, ["a", "b"])) == "author.name IN {'a', 'b'}")
    #expect(try text(.between(\.tags.count, 2, 3)) == "tags.@count BETWEEN {2, 3}")
    #expect(try text(.isNull(\.author.name)) == "author.name == NULL")
  }

  @Test("decimals of related objects compare with numbers of any scale")
  func decimals() throws {
    let half = ExactDecimal(units: 5, scale: 1)
    #expect(
      try text(\.author.books.price.sum > half) == "author.books.@sum.price > 50"
    )
    #expect(
      try text(\.author.favorite.price <= ExactDecimal(units: 5, scale: 3))
        == "author.favorite.price <= 0"
    )
  }

  @Test("R93: quantifiers apply a condition to each element")
  func quantifiers() throws {
    let condition = Book.tags.any(\.name == "sf" && \.rank >= 2)
    #expect(
      condition.predicate
        == .quantified(
          .any,
          ["tags"],
          .and([
            .comparison(.attribute("name"), .equal, .literal(.text("sf"))),
            .comparison(.attribute("rank"), .greaterOrEqual, .literal(.integer(2))),
          ])
        )
    )
    #expect(try text(Book.tags.all(\.rank > 1)) == "ALL tags.rank > 1")
    #expect(try text(Book.tags.none(\.rank > 1)) == "NONE tags.rank > 1")
    #expect(try text(Book.author.books.any(\.year > 1)) == "ANY author.books.year > 1")
    #expect(
      try text(Book.tags.count(where: \.rank > 1) == 4)
        == "SUBQUERY(tags, $x, $x.rank > 1).@count == 4"
    )
  }

  @Test("a relationship compares by its foreign key alone")
  func foreignKeys() throws {
    #expect(try text(\.author == nil) == "author_id == NULL")
    #expect(try text(\.author != nil) == "author_id != NULL")
    #expect(try text(\.author == Author(id: 7)) == "author_id == 7")
    #expect(try text(Book.author == Author()) == "FALSEPREDICATE")
    #expect(try text(\.author.country == nil) == "author.country_id == NULL")
    #expect(
      try text(.in(\.author, [Author(id: 7), Author(), Author(id: 2)])) == "author_id IN {7, 2}"
    )
    #expect(try text(\.rack == Rack(shop: "x", number: 2)) == "shop == 'x' AND number == 2")
    #expect(try text(\.rack == nil) == "shop == NULL OR number == NULL")
    #expect(
      try text(.in(\.rack, [Rack(shop: "x", number: 2), Rack(shop: "y", number: 3)]))
        == "(shop == 'x' AND number == 2) OR (shop == 'y' AND number == 3)"
    )
  }

  @Test("paths order, divide into sections and name properties")
  func requests() throws {
    let request = FetchRequest<Book>(sortedBy: [
      .ascending(\.author.name, nulls: .last), .descending(\.tags.count), .ascending(\.title),
    ])
    #expect(
      request.sortDescriptors.map(\.expression.description) == [
        "author.name", "tags.@count", "title",
      ]
    )
    #expect(request.sortDescriptors[0].nulls == .last)
    let section = EntitySectionKey<Book>.attribute(\.author.country.name, .descending)
    guard case .expression(let expression, _, .descending, _) = section.key.source else {
      Issue.record("not an expression")
      return
    }
    #expect(expression.description == "author.country.name")
    let chosen = request.returning([
      .attribute(\.title), .attribute(\.author.name), .attribute(Book.tags.rank.max),
    ])
    #expect(chosen.propertiesToFetch == ["title", "author.name", "tags.@max.rank"])
  }

  @Test("a predicate of nine terms compiles")
  func nineTerms() throws {
    let predicate: EntityPredicate<Book> =
      (\.author.name == "Eco" || \.tags.count > 3)
      && (\.year > 1990 || \.author.country.name != "IT")
      && \.author.books.count < 10 && (.contains(\.author.nickname, "x") || \.title == "a")
      && \.author.books.year.max >= 2000 && \.author == nil
    #expect(try text(predicate).contains("author.books.@max.year >= 2000"))
  }
}
