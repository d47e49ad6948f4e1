#include "host/ctl/backup/FreshNumbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

namespace {

/// ChangePlace holds 2^32 numbers: room for more than two hundred restores.
constexpr std::int64_t LEAST_RAISE = std::int64_t{1} << 24;
constexpr std::int64_t MOST_RAISE = std::int64_t{1} << 30;
/// Of one supplier, day and night: more than that nobody writes for long.
constexpr std::int64_t COMMITS_PER_SECOND = 100;
/// Of ids and versions.
constexpr std::int64_t SMALL_RAISE = std::int64_t{1} << 20;
/// Rows of one number, as if one commit had changed them: a page of a list holds them.
constexpr std::int64_t ROWS_OF_ONE_NUMBER = 100;

constexpr std::string_view SELECT_AGE = R"sql(
SELECT COALESCE(MAX(TIMESTAMPDIFF(SECOND, changed_at, NOW(6))), 0)
FROM (SELECT changed_at FROM changes ORDER BY changed_at DESC LIMIT 1) newest
)sql";

constexpr std::string_view RAISE_SUPPLIERS = "UPDATE supplier_state SET change_seq = change_seq + ?";

/// Of the time of the backup: they run no more, or say so again within ten seconds.
constexpr std::string_view FORGET_SERVERS = "DELETE FROM servers";

constexpr std::string_view SELECT_COLUMNS = R"sql(
SELECT c.table_name, c.column_name, c.data_type, c.extra, COALESCE(t.auto_increment, 0)
FROM information_schema.columns c
    JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema = DATABASE() AND t.table_type = 'BASE TABLE'
ORDER BY c.table_name
)sql";

struct TableOfNumbers {
    std::set<std::string> columns;
    std::set<std::string> integers; ///< of them, BIGINT
    bool givesIds = false;
    std::int64_t nextId = 0;

    bool has(const char* column) const { return integers.contains(column); }
    bool isOfSuppliers() const { return has("id") && has("supplier_id") && has("change_seq"); }
    bool isCounter() const {
        return columns.size() == 2 && columns.contains("id") && columns.contains("change_seq") && has("change_seq");
    }
    bool hasVersions() const { return columns.contains("id") && has("version"); }
};

std::map<std::string, TableOfNumbers> tablesOf(Database& database) {
    return database.read([](SqlSession& session) {
        std::map<std::string, TableOfNumbers> tables;
        Rows& row = session.query(SELECT_COLUMNS);
        while (row.next()) {
            auto& table = tables[std::string(row.text(0))];
            table.columns.emplace(row.text(1));
            if (row.text(2) == "bigint")
                table.integers.emplace(row.text(1));
            if (row.text(2) == "bigint" && row.text(3).find("auto_increment") != std::string_view::npos) {
                table.givesIds = true;
                table.nextId = row.integer(4);
            }
        }
        return tables;
    });
}

/// A name cannot be bound; it comes from the database itself.
std::string quoted(const std::string& name) {
    std::string text = "`";
    for (const char c : name)
        text += c == '`' ? std::string("``") : std::string(1, c);
    return text + "`";
}

std::int64_t integerOf(Database& database, const std::string& sql) {
    return database.read([&](SqlSession& session) {
        Rows& row = session.query(sql);
        return row.next() ? row.integer(0) : 0;
    });
}

std::string mostRowsOfASupplier(const std::string& table) {
    return fmt::format("SELECT COALESCE(MAX(n), 0) FROM (SELECT COUNT(*) AS n FROM {} GROUP BY supplier_id) counts",
                       quoted(table));
}

/// In the order that they had, up to their suppliers' new numbers; the parameter says how many numbers there are.
std::string stampStatement(const std::string& table) {
    return fmt::format(R"sql(
UPDATE {0} r
    JOIN (SELECT id, (ROW_NUMBER() OVER (PARTITION BY supplier_id ORDER BY change_seq, id) - 1) DIV {1} AS place FROM {0}) o
        ON o.id = r.id
    JOIN supplier_state s ON s.supplier_id = r.supplier_id
SET r.change_seq = s.change_seq - ? + 1 + o.place
)sql",
                       quoted(table), ROWS_OF_ONE_NUMBER);
}

} // namespace

FreshNumbers giveFreshNumbers(Database& database) {
    FreshNumbers fresh;
    const auto tables = tablesOf(database);
    if (tables.contains("servers"))
        database.execute(FORGET_SERVERS);
    std::int64_t numbers = 1;
    for (const auto& [name, table] : tables)
        if (table.isOfSuppliers())
            numbers = std::max(numbers, integerOf(database, mostRowsOfASupplier(name)) / ROWS_OF_ONE_NUMBER + 1);
    fresh.raisedBy =
        std::clamp(integerOf(database, std::string(SELECT_AGE)) * COMMITS_PER_SECOND, LEAST_RAISE, MOST_RAISE);
    // First, so that no row has a greater number than its supplier, also for those who look meanwhile.
    database.execute(RAISE_SUPPLIERS, {fresh.raisedBy + numbers});
    for (const auto& [name, table] : tables) {
        if (table.isOfSuppliers())
            fresh.rows += database.execute(stampStatement(name), {numbers});
        if (table.isCounter())
            fresh.rows += database.execute(fmt::format("UPDATE {} SET change_seq = change_seq + ?", quoted(name)),
                                           {fresh.raisedBy});
        if (table.hasVersions())
            database.execute(fmt::format("UPDATE {} SET version = version + ?", quoted(name)), {SMALL_RAISE});
        if (table.givesIds) {
            database.execute(
                fmt::format("ALTER TABLE {} AUTO_INCREMENT = {}", quoted(name), table.nextId + SMALL_RAISE));
            ++fresh.tables;
        }
    }
    return fresh;
}

} // namespace supplierd::host
