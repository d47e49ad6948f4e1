#include "CommitLog.h"

namespace supplierd::tests {

namespace {

constexpr const char* CREATE_TABLE = R"sql(
CREATE TABLE commit_log (
    supplier_id BIGINT NOT NULL,
    seq         BIGINT NOT NULL,
    kind        CHAR(1) NOT NULL,
    product_id  BIGINT NOT NULL,
    id          BIGINT NOT NULL,
    row_values  LONGTEXT NULL,
    PRIMARY KEY (supplier_id, seq, kind, product_id, id)
) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
)sql";

/// With @ for the row.
constexpr const char* PRODUCT = R"sql(JSON_OBJECT(
    'name', @.name, 'sku', @.sku, 'type', @.type, 'category', @.category_id, 'price', CAST(@.base_price * 10000 AS SIGNED),
    'unit', @.unit, 'stock', @.stock_qty, 'least', @.min_order_qty, 'color', @.color, 'stem', @.stem_length,
    'country', @.country_of_origin, 'vat', CAST(@.vat_rate * 10000 AS SIGNED), 'description', @.description,
    'active', @.is_active, 'approval', @.approval, 'reason', @.approval_reason, 'version', @.version,
    'change', @.change_seq, 'created', DATE_FORMAT(@.created_at, '%Y-%m-%dT%H:%i:%s.%f'),
    'updated', DATE_FORMAT(@.updated_at, '%Y-%m-%dT%H:%i:%s.%f'), 'deleted', @.deleted,
    'deleted_at', DATE_FORMAT(@.deleted_at, '%Y-%m-%dT%H:%i:%s.%f'), 'image', @.primary_image))sql";

constexpr const char* VARIANT = R"sql(JSON_OBJECT(
    'sku', @.sku, 'name', @.name, 'color', @.color, 'stem', @.stem_length, 'price', CAST(@.base_price * 10000 AS SIGNED),
    'stock', @.stock_qty, 'active', @.is_active))sql";

struct Table {
    const char* name;
    char kind;
    const char* supplier; ///< the id, as SQL
    const char* productId;
    const char* id;
    const char* values;
};

constexpr const char* OWNER = "(SELECT p.supplier_id FROM products p WHERE p.id = @.product_id)";

constexpr Table TABLES[] = {
    {"products", 'P', "@.supplier_id", "@.id", "0", PRODUCT},
    {"product_variants", 'V', OWNER, "@.product_id", "@.id", VARIANT},
    {"product_skus", 'S', "@.supplier_id", "@.product_id", "@.variant_id", "JSON_OBJECT('sku', @.sku)"},
    {"test_images", 'I', OWNER, "@.product_id", "@.id", "JSON_OBJECT('path', @.path)"},
    {"categories", 'C', "0", "0", "@.id", "JSON_OBJECT('name', @.name)"},
};

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

std::string valuesOf(const Table& table, const std::string& seq, const std::string& row, bool isGone) {
    const std::string supplier = replaced(table.supplier, "@", row);
    return supplier + ", " + replaced(seq, "$", supplier) + ", '" + table.kind + "', " +
           replaced(table.productId, "@", row) + ", " + replaced(table.id, "@", row) + ", " +
           (isGone ? std::string("NULL") : replaced(table.values, "@", row));
}

} // namespace

CommitLog::CommitLog(TestDatabase& database) : _database(database) {
    // Categories take their number after they were written: it is the next one, where one at a time writes them.
    const std::string present = "(SELECT s.change_seq + ($ = 0) FROM supplier_state s WHERE s.supplier_id = $)";
    _database.exec(CREATE_TABLE);
    for (const Table& table : TABLES) {
        const std::string name = table.name;
        _database.exec("INSERT INTO commit_log SELECT " + valuesOf(table, "0", "t", false) + " FROM " + name + " t");
        for (const char* event : {"INSERT", "UPDATE", "DELETE"}) {
            const bool isGone = event[0] == 'D';
            _database.exec("CREATE TRIGGER log_" + name + "_" + event + " AFTER " + event + " ON " + name +
                           " FOR EACH ROW REPLACE INTO commit_log VALUES (" +
                           valuesOf(table, present, isGone ? "OLD" : "NEW", isGone) + ")");
        }
    }
}

std::map<std::int64_t, std::vector<CommitLog::Row>> CommitLog::takeNew() {
    std::map<std::int64_t, std::vector<Row>> rows;
    for (const TestRow& supplier : _database.query("SELECT DISTINCT supplier_id FROM commit_log")) {
        const std::int64_t id = std::stoll(supplier[0].value());
        std::int64_t& taken = _taken.try_emplace(id, -1).first->second;
        for (const TestRow& row : _database.query(
                 "SELECT seq, kind, product_id, id, row_values FROM commit_log WHERE supplier_id = " +
                 std::to_string(id) + " AND seq > " + std::to_string(taken) + " ORDER BY seq, kind, product_id, id"))
            rows[id].push_back({id, std::stoll(row[0].value()), Kind{row[1].value()[0]}, std::stoll(row[2].value()),
                                std::stoll(row[3].value()),
                                row[4] ? nlohmann::json::parse(*row[4]) : nlohmann::json()});
        if (!rows[id].empty())
            taken = rows[id].back().seq;
    }
    return rows;
}

} // namespace supplierd::tests
