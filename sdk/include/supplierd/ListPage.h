#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Query.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace supplierd {

/// How a list is ordered: by id, or by a key and, within the same key, by id.
enum class ListOrder {
    Id,
    Time, ///< the key is a DATETIME(6) as text
    Text  ///< the key is any text; it comes back from clients, who may send what they like
};

/// Where the number of a list's rows comes from.
enum class ListTotal {
    Kept,           ///< a counter: it costs nothing, so that deep pages are read from the end that is nearer
    Counted,        ///< counting costs as much as walking through the list: a cursor carries the number on
    CountedToLimit, ///< counted no further than to ListRules::countLimit, where pages by number end too
};

/// What a list is, as far as paging is concerned.
struct ListRules {
    /// Of its filters, its order and its owner: a cursor of a list with another one is refused. See ListFingerprint.
    std::uint64_t fingerprint = 0;
    ListOrder order = ListOrder::Id;
    ListTotal total = ListTotal::Kept;
    std::int64_t countLimit = 0;
    /// False: pages by number only, and no `next_cursor`.
    bool hasCursor = true;
};

/// Where a walk through a list stands: behind the last row delivered. It came from a client: take it for a place in the
/// list, never for permission to see something.
struct ListCursor {
    std::uint64_t fingerprint = 0;
    /// How many rows of the list lie before the page that it leads to.
    std::int64_t position = 0;
    std::int64_t lastId = 0;
    std::string lastKey = {};
    /// Of a list that is counted: how many rows there were when the walk began.
    std::optional<std::int64_t> total = std::nullopt;

    /// Text of [A-Za-z0-9_-].
    std::string encode() const;
    /// Nothing for a text that encode() cannot have made.
    static std::optional<ListCursor> decode(std::string_view text);
};

/// The rows that a statement has to give, in the order of the list.
struct ListWindow {
    std::int64_t limit = 20;
    std::int64_t offset = 0;
    /// `offset` counts from the list's end. The rows come in the list's order all the same.
    bool fromEnd = false;
    /// Only what comes after it. Lifetime: the call's.
    const ListCursor* after = nullptr;
    /// False: the number of all rows is known already.
    bool needsTotal = true;
};

/// How a list is read. Both may be called more than once.
struct ListStatements {
    /// Runs the statement of one page. The first column is the row's id.
    std::function<Rows&(SqlSession&, const ListWindow&)> page;
    /// How many rows the list has, or one more than ListRules::countLimit.
    std::function<std::int64_t(SqlSession&)> total;
    /// The column of a page's rows that has the total too, which makes a page one statement.
    std::optional<std::size_t> totalColumn = std::nullopt;
    /// The column with the key that the list is ordered by.
    std::optional<std::size_t> keyColumn = std::nullopt;
};

/// The `pagination` of a list's answer.
struct SUPPLIERD_API Pagination {
    std::int64_t currentPage = 1;
    std::int64_t totalItems = 0;
    std::int64_t perPage = 20;
    bool hasCursor = true;
    /// Nothing after the last page.
    std::optional<std::string> nextCursor = std::nullopt;
    /// Only of lists that are counted to a limit: whether there are more.
    std::optional<bool> isTotalCapped = std::nullopt;
    /// Only of lists of changes (`changed_after`): the number to go on from. `has_more` is written with it.
    std::optional<std::int64_t> lastChangeSeq = std::nullopt;
    Reserved reserved = {};

    std::int64_t totalPages() const { return (totalItems + perPage - 1) / perPage; }
    /// As a value.
    void write(JsonWriter& json) const;
};

/// One page of a list.
template <class Item>
struct Listed {
    std::vector<Item> items;
    Pagination pagination;
    Reserved reserved = {};
};

/// The members of a list's response, into an object that the caller opened and closes: `name` with what `write(json,
/// item)` writes as a value of each item, and `pagination`. Since 1.0.
template <class Item, class WriteItem>
void writeList(JsonWriter& json, std::string_view name, const Listed<Item>& list, const WriteItem& write) {
    json.key(name).beginArray();
    for (const Item& item : list.items)
        write(json, item);
    json.endArray().key("pagination");
    list.pagination.write(json);
}
/// With writeJson(json, item), which stands beside the item's type. Since 1.0.
template <class Item>
void writeList(JsonWriter& json, std::string_view name, const Listed<Item>& list) {
    writeList(json, name, list, [](JsonWriter& to, const Item& item) { writeJson(to, item); });
}

/// One page of a list, by number or by cursor: which rows to read, and what `pagination` says of them. A page is one
/// statement where its rows have the total; otherwise its statements see the same state of the database. Thread: a
/// value. Since 1.0.
class ListPage {
public:
    /// Reads `page`, `per_page` and `cursor`, collecting every problem.
    static ListPage read(QueryReader& reader, const ListRules& rules);

    /// Reads the page; `item` makes an item of each row. Throws DatabaseError and what `item` throws.
    template <class ReadItem>
    auto select(Database& database, const ListStatements& statements, const ReadItem& item) const {
        Listed<std::invoke_result_t<const ReadItem&, const Rows&>> listed;
        listed.pagination = run(
            database, statements, [&] { listed.items.clear(); },
            [&](const Rows& row) { listed.items.push_back(item(row)); });
        return listed;
    }

private:
    struct Seen;
    class Attempt;

    /// `begin` is called before the first row, once more when the page has to be read anew.
    Pagination run(Database& database, const ListStatements& statements, const std::function<void()>& begin,
                   const std::function<void(const Rows&)>& take) const;
    bool isDeep() const;
    std::int64_t offset() const;

    ListRules _rules;
    Page _page;
    std::optional<ListCursor> _cursor;
};

} // namespace supplierd
