#include "imports/ImportStore.h"

#include <supplierd/Cursor.h>
#include <supplierd/JsonBody.h>

#include <Poco/SHA2Engine.h>

#include <limits>
#include <utility>

namespace supplierd::csv {

namespace {

constexpr std::string_view INSERT_IMPORT = R"(
INSERT INTO csv_imports (supplier_id, slot, state, is_dry_run, clears_empty, file_name, actor, actor_kind, request_id)
VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?))";

constexpr std::string_view COUNT_UNDER_WAY =
    "SELECT COUNT(*) FROM csv_imports WHERE supplier_id = ? AND slot IS NOT NULL";

constexpr std::string_view INSERT_PIECE = "INSERT INTO csv_import_pieces (import_id, piece, data) VALUES (?, ?, ?)";
constexpr std::string_view TOUCH = "UPDATE csv_imports SET touched_at = NOW(6) WHERE id = ?";
constexpr std::string_view SELECT_PIECE = "SELECT data FROM csv_import_pieces WHERE import_id = ? AND piece = ?";

constexpr std::string_view RECEIVE = R"(
UPDATE csv_imports SET state = 1, file_bytes = ?, character_set = ?, field_separator = ?, decimal_sign = ?, heading = ?,
    heading_row = ?, last_row = ?, rows_total = ?, touched_at = NOW(6)
WHERE id = ? AND state = 0)";

constexpr std::string_view COLUMNS = R"(
SELECT id, supplier_id, state, is_dry_run, clears_empty, file_name, file_bytes, has_file, character_set, field_separator,
    decimal_sign, heading, heading_row, actor, actor_kind, request_id, rows_total, last_row, rows_done, rows_created,
    rows_updated, rows_unchanged, rows_failed, problem, created_at, started_at, finished_at,
    unfetched_images, far_prices
FROM csv_imports )";

constexpr std::string_view COUNT = "SELECT COUNT(*) FROM csv_imports WHERE supplier_id = ?";

constexpr std::string_view SELECT_ERRORS = R"(
SELECT row_no, sku, details FROM csv_import_errors WHERE import_id = ? AND row_no > ? ORDER BY row_no LIMIT ?)";

constexpr std::string_view SELECT_UNFINISHED = R"(
SELECT id FROM csv_imports WHERE state IN (1, 2) ORDER BY id LIMIT ?)";

constexpr std::string_view LOCK = "SELECT state FROM csv_imports WHERE id = ? FOR UPDATE";

constexpr std::string_view ADVANCE = R"(
UPDATE csv_imports SET state = 2, started_at = COALESCE(started_at, NOW(6)), touched_at = NOW(6), last_row = ?,
    rows_done = rows_done + ?, rows_created = rows_created + ?, rows_updated = rows_updated + ?,
    rows_unchanged = rows_unchanged + ?, rows_failed = rows_failed + ?, unfetched_images = unfetched_images + ?,
    far_prices = far_prices + ?
WHERE id = ?)";

constexpr std::string_view INSERT_ERRORS = R"(
INSERT INTO csv_import_errors (import_id, row_no, sku, details)
SELECT ?, t.row_no, t.sku, t.details
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    row_no BIGINT PATH '$[0]',
    sku VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
    details MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]')) t)";

constexpr std::string_view INSERT_CHANGES = R"(
INSERT INTO csv_import_changes (import_id, row_no, sku, name, is_new, is_far_price, fields_before, fields_after)
SELECT ?, t.row_no, t.sku, t.name, t.is_new, t.is_far_price, t.fields_before, t.fields_after
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    row_no BIGINT PATH '$[0]',
    sku VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
    is_new TINYINT PATH '$[3]',
    is_far_price TINYINT PATH '$[4]',
    fields_before MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]',
    fields_after MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]')) t)";
constexpr std::string_view SELECT_CHANGES = R"(
SELECT row_no, sku, name, is_new, is_far_price, fields_before, fields_after
FROM csv_import_changes WHERE import_id = ? ORDER BY is_far_price DESC, row_no LIMIT ?)";

constexpr std::string_view END = R"(
UPDATE csv_imports SET state = ?, slot = NULL, problem = ?, finished_at = NOW(6), touched_at = NOW(6)
WHERE id = ? AND state < 3)";

constexpr std::string_view REMOVE_PIECES = "DELETE FROM csv_import_pieces WHERE import_id = ?";
constexpr std::string_view REMOVE_ERRORS = "DELETE FROM csv_import_errors WHERE import_id = ?";
constexpr std::string_view REMOVE_CHANGES = "DELETE FROM csv_import_changes WHERE import_id = ?";
constexpr std::string_view REMOVE_IMPORT = "DELETE FROM csv_imports WHERE id = ?";

constexpr std::string_view SELECT_OLD_FILE = R"(
SELECT id FROM csv_imports WHERE state >= 3 AND has_file = 1 AND finished_at < NOW(6) - INTERVAL ? DAY
ORDER BY id LIMIT 1 FOR UPDATE)";
constexpr std::string_view FORGET_FILE = "UPDATE csv_imports SET has_file = 0 WHERE id = ?";
constexpr std::string_view SELECT_OLD = R"(
SELECT id FROM csv_imports WHERE state >= 3 AND finished_at < NOW(6) - INTERVAL ? DAY ORDER BY id LIMIT 1 FOR UPDATE)";
// Of one supplier, all but the newest. Not locked: they would wait for the one whose batch is being written.
constexpr std::string_view SELECT_SURPLUS_FILES = R"(
SELECT id FROM csv_imports WHERE supplier_id = ? AND state >= 3 AND has_file = 1
ORDER BY id DESC LIMIT 100 OFFSET ?)";
constexpr std::string_view SELECT_SURPLUS = R"(
SELECT id FROM csv_imports WHERE supplier_id = ? AND state >= 3 ORDER BY id DESC LIMIT 100 OFFSET ?)";
constexpr std::string_view SELECT_LAST_SHOWN_ERROR = R"(
SELECT row_no FROM csv_import_errors WHERE import_id = ? ORDER BY row_no LIMIT 1 OFFSET ?)";
constexpr std::string_view REMOVE_ERRORS_AFTER = "DELETE FROM csv_import_errors WHERE import_id = ? AND row_no > ?";
constexpr std::string_view GIVE_UP = R"(
UPDATE csv_imports SET state = 5, slot = NULL, finished_at = NOW(6), problem = 'the file did not come to its end'
WHERE state = 0 AND touched_at < NOW(6) - INTERVAL 10 MINUTE)";

constexpr std::string_view SELECT_IMAGES = R"(
SELECT STRAIGHT_JOIN u.product_id, u.url_hash, u.image_id
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
JOIN csv_image_urls u FORCE INDEX (PRIMARY) ON u.product_id = t.id)";
constexpr std::string_view INSERT_IMAGE = R"(
INSERT INTO csv_image_urls (product_id, url_hash, image_id) VALUES (?, ?, ?)
ON DUPLICATE KEY UPDATE image_id = VALUES(image_id), fetched_at = NOW(6))";
constexpr std::string_view REMOVE_IMAGES =
    "DELETE FROM csv_image_urls WHERE fetched_at < NOW(6) - INTERVAL ? DAY LIMIT 1000";

ImportRecord recordOf(const Rows& row) {
    std::size_t column = 0;
    ImportRecord import;
    import.id = row.integer(column++);
    import.supplierId = row.integer(column++);
    import.state = static_cast<ImportState>(row.integer(column++));
    import.isDryRun = row.boolean(column++);
    import.clearsEmpty = row.boolean(column++);
    import.fileName = row.maybeText(column++);
    import.fileBytes = row.integer(column++);
    import.hasFile = row.boolean(column++);
    import.format.characterSet = static_cast<CharacterSet>(row.integer(column++));
    import.format.separator = row.text(column++).front();
    import.format.decimalSign = row.text(column++).front();
    if (const auto heading = row.maybeText(column++)) {
        const JsonDocument cells = parseJson(*heading);
        for (const JsonValue cell : cells.array())
            import.heading.emplace_back(cell.text());
    }
    import.headingRow = row.integer(column++);
    import.actor.name = row.text(column++);
    import.actor.kind = static_cast<Actor::Kind>(row.integer(column++));
    import.actor.requestId = row.text(column++);
    import.rowsTotal = row.integer(column++);
    import.lastRow = row.integer(column++);
    import.rows.done = row.integer(column++);
    import.rows.created = row.integer(column++);
    import.rows.updated = row.integer(column++);
    import.rows.unchanged = row.integer(column++);
    import.rows.failed = row.integer(column++);
    import.problem = row.maybeText(column++);
    import.createdAt = row.time(column++);
    import.startedAt = row.maybeTime(column++);
    import.finishedAt = row.maybeTime(column++);
    import.rows.unfetchedImages = row.integer(column++);
    import.rows.farPrices = row.integer(column);
    return import;
}

std::optional<std::int64_t> firstOf(Rows& rows) {
    return rows.next() ? std::optional(rows.integer(0)) : std::nullopt;
}

std::vector<std::int64_t> idsOf(Rows& rows) {
    std::vector<std::int64_t> ids;
    while (rows.next())
        ids.push_back(rows.integer(0));
    return ids;
}

/// Without it nobody sees more errors than the API shows.
std::int64_t forgetFile(SqlSession& session, std::int64_t id) {
    session.execute(REMOVE_PIECES, {id});
    if (const auto last = firstOf(session.query(SELECT_LAST_SHOWN_ERROR, {id, ImportStore::SHOWN_ERRORS - 1})))
        session.execute(REMOVE_ERRORS_AFTER, {id, *last});
    return session.execute(FORGET_FILE, {id});
}

std::int64_t removeImport(SqlSession& session, std::int64_t id) {
    session.execute(REMOVE_PIECES, {id});
    session.execute(REMOVE_ERRORS, {id});
    session.execute(REMOVE_CHANGES, {id});
    return session.execute(REMOVE_IMPORT, {id});
}

} // namespace

std::string reasonsOf(const FailedRow& row) {
    std::string reasons;
    const JsonDocument details = parseJson(row.details);
    for (const JsonValue detail : details.array()) {
        const JsonObject object = detail.object();
        reasons.append(reasons.empty() ? "" : "; ");
        if (const JsonValue column = object.get("column");
            column.isText() && column.text() != object.get("field").text())
            reasons.append(column.text()).append(": ");
        reasons.append(object.get("message").text());
    }
    return reasons;
}

ApiError tooManyImports(std::int64_t atOnce) {
    return ApiError::validation(
        {{"", "too_many",
          "Only " + std::to_string(atOnce) + " imports may be under way at once: wait for one to end, or cancel it"}});
}

std::int64_t ImportStore::begin(const ImportRecord& import, std::int64_t atOnce) {
    // A free slot is found by taking it: of two that try, the unique key lets one.
    for (std::int64_t slot = 1; slot <= atOnce; ++slot) {
        try {
            std::int64_t id = 0;
            _database.withTransaction([&](Transaction& transaction) {
                transaction.execute(INSERT_IMPORT,
                                    {import.supplierId, slot, import.isDryRun, import.clearsEmpty, import.fileName,
                                     import.actor.name, static_cast<int>(import.actor.kind), import.actor.requestId});
                id = transaction.lastInsertId();
            });
            return id;
        } catch (const DatabaseError& error) {
            if (!error.isDuplicateKey())
                throw;
        }
    }
    throw tooManyImports(atOnce);
}

std::int64_t ImportStore::underWay(std::int64_t supplierId) {
    return _database.read([&](SqlSession& session) {
        Rows& rows = session.query(COUNT_UNDER_WAY, {supplierId});
        return rows.next() ? rows.integer(0) : 0;
    });
}

void ImportStore::addPiece(std::int64_t id, std::int64_t piece, std::string_view bytes) {
    _database.withTransaction([&](Transaction& transaction) {
        transaction.execute(INSERT_PIECE, {id, piece, bytes});
        transaction.execute(TOUCH, {id});
    });
}

std::string ImportStore::piece(std::int64_t id, std::int64_t piece) {
    return _database.read([&](SqlSession& session) {
        Rows& rows = session.query(SELECT_PIECE, {id, piece});
        return rows.next() ? std::string(rows.text(0)) : std::string();
    });
}

void ImportStore::receive(SqlSession& session, const ImportRecord& import) {
    const std::string separator(1, import.format.separator);
    const std::string sign(1, import.format.decimalSign);
    const std::string heading = jsonArray(import.heading);
    session.execute(RECEIVE, {import.fileBytes, static_cast<int>(import.format.characterSet), separator, sign, heading,
                              import.headingRow, import.headingRow, import.rowsTotal, import.id});
}

void ImportStore::remove(std::int64_t id) {
    _database.withTransaction([&](Transaction& transaction) { removeImport(transaction, id); });
}

std::optional<ImportRecord> ImportStore::find(SqlSession& session, std::int64_t supplierId, std::int64_t id) {
    static const std::string SQL = std::string(COLUMNS).append("WHERE id = ? AND supplier_id = ?");
    Rows& rows = session.query(SQL, {id, supplierId});
    return rows.next() ? std::optional(recordOf(rows)) : std::nullopt;
}

std::optional<ImportRecord> ImportStore::find(SqlSession& session, std::int64_t id) {
    static const std::string SQL = std::string(COLUMNS).append("WHERE id = ?");
    Rows& rows = session.query(SQL, {id});
    return rows.next() ? std::optional(recordOf(rows)) : std::nullopt;
}

std::optional<ImportRecord> ImportStore::find(std::int64_t id) {
    return _database.read([&](SqlSession& session) { return find(session, id); });
}

ListRules ImportStore::rules(std::int64_t supplierId) {
    ListFingerprint print;
    print.add(supplierId);
    return {.fingerprint = print.value(), .total = ListTotal::Counted};
}

Listed<ImportRecord> ImportStore::list(std::int64_t supplierId, const ListPage& page) {
    static const std::string SQL =
        std::string(COLUMNS).append("WHERE supplier_id = ? AND id < ? ORDER BY id DESC LIMIT ? OFFSET ?");
    constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();
    const ListStatements statements{
        .page = [&](SqlSession& session, const ListWindow& window) -> Rows& {
            return session.query(SQL,
                                 {supplierId, window.after ? window.after->lastId : LAST, window.limit, window.offset});
        },
        .total = [&](SqlSession& session) { return firstOf(session.query(COUNT, {supplierId})).value_or(0); }};
    return page.select(_database, statements, recordOf);
}

std::vector<FailedRow> ImportStore::errors(SqlSession& session, std::int64_t id, std::int64_t afterRow,
                                           std::int64_t limit) {
    std::vector<FailedRow> failed;
    Rows& rows = session.query(SELECT_ERRORS, {id, afterRow, limit});
    while (rows.next())
        failed.push_back({rows.integer(0), std::string(rows.text(1)), std::string(rows.text(2))});
    return failed;
}

std::vector<std::int64_t> ImportStore::unfinished(std::int64_t limit) {
    return _database.read([&](SqlSession& session) { return idsOf(session.query(SELECT_UNFINISHED, {limit})); });
}

bool ImportStore::lock(SqlSession& session, std::int64_t id) {
    Rows& rows = session.query(LOCK, {id});
    if (!rows.next())
        return false;
    const auto state = static_cast<ImportState>(rows.integer(0));
    return state == ImportState::Waiting || state == ImportState::Running;
}

void ImportStore::advance(SqlSession& session, std::int64_t id, std::int64_t lastRow, const RowCounts& rows) {
    session.execute(ADVANCE, {lastRow, rows.done, rows.created, rows.updated, rows.unchanged, rows.failed,
                              rows.unfetchedImages, rows.farPrices, id});
}

void ImportStore::addErrors(SqlSession& session, std::int64_t id, const std::vector<FailedRow>& rows) {
    if (rows.empty())
        return;
    std::string text;
    JsonWriter json(text);
    json.beginArray();
    for (const FailedRow& row : rows)
        json.beginArray().value(row.row).value(row.sku).value(row.details).endArray();
    json.endArray();
    session.execute(INSERT_ERRORS, {id, text});
}

void ImportStore::addChanges(SqlSession& session, std::int64_t id, const std::vector<ChangedRow>& rows) {
    if (rows.empty())
        return;
    std::string text;
    JsonWriter json(text);
    json.beginArray();
    for (const ChangedRow& row : rows)
        json.beginArray()
            .value(row.row)
            .value(row.sku)
            .value(row.name)
            .value(row.isNew ? 1 : 0)
            .value(row.isFarPrice ? 1 : 0)
            .value(row.before)
            .value(row.after)
            .endArray();
    json.endArray();
    session.execute(INSERT_CHANGES, {id, text});
}

std::vector<ChangedRow> ImportStore::changes(SqlSession& session, std::int64_t id) {
    std::vector<ChangedRow> changed;
    Rows& rows = session.query(SELECT_CHANGES, {id, SHOWN_CHANGES});
    while (rows.next())
        changed.push_back({.row = rows.integer(0),
                           .sku = std::string(rows.text(1)),
                           .name = std::string(rows.text(2)),
                           .isNew = rows.boolean(3),
                           .isFarPrice = rows.boolean(4),
                           .before = std::string(rows.text(5)),
                           .after = std::string(rows.text(6))});
    return changed;
}

std::string ImportStore::hashOf(const std::string& url) {
    Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
    engine.update(url);
    return Poco::DigestEngine::digestToHex(engine.digest());
}

std::map<ImportStore::ImageUrl, std::int64_t> ImportStore::imagesOf(SqlSession& session,
                                                                    const std::vector<std::int64_t>& products) {
    std::map<ImageUrl, std::int64_t> images;
    const std::string list = jsonArray(products);
    Rows& rows = session.query(SELECT_IMAGES, {list});
    while (rows.next())
        images.emplace(ImageUrl(rows.integer(0), rows.text(1)), rows.integer(2));
    return images;
}

void ImportStore::addImage(SqlSession& session, std::int64_t product, const std::string& hash, std::int64_t image) {
    session.execute(INSERT_IMAGE, {product, hash, image});
}

std::int64_t ImportStore::removeImages(SqlSession& session, std::int64_t days) {
    return session.execute(REMOVE_IMAGES, {days});
}

bool ImportStore::end(SqlSession& session, std::int64_t id, ImportState state,
                      const std::optional<std::string>& problem) {
    return session.execute(END, {static_cast<int>(state), problem, id}) > 0;
}

std::int64_t ImportStore::removeFiles(SqlSession& session, std::int64_t days) {
    const auto id = firstOf(session.query(SELECT_OLD_FILE, {days}));
    return id ? forgetFile(session, *id) : 0;
}

std::int64_t ImportStore::removeImports(SqlSession& session, std::int64_t days) {
    const auto id = firstOf(session.query(SELECT_OLD, {days}));
    return id ? removeImport(session, *id) : 0;
}

void ImportStore::removeSurplus(std::int64_t supplierId, const ImportRetention& most) {
    _database.withTransaction([&](Transaction& transaction) {
        for (const std::int64_t id : idsOf(transaction.query(SELECT_SURPLUS_FILES, {supplierId, most.files})))
            forgetFile(transaction, id);
        for (const std::int64_t id : idsOf(transaction.query(SELECT_SURPLUS, {supplierId, most.imports})))
            removeImport(transaction, id);
    });
}

std::int64_t ImportStore::giveUpReceiving(SqlSession& session) {
    return session.execute(GIVE_UP, {});
}

} // namespace supplierd::csv
