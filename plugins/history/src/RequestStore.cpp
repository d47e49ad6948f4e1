#include "RequestStore.h"

#include <supplierd/Errors.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace supplierd::history {

namespace {

constexpr std::string_view INSERT = R"sql(
INSERT INTO history_requests (supplier_id, id, key_id, key_prefix, method, path, query, status, error_code,
    error_message, request_id, client_address, took_us, headers, body_size, body_form, body, response, size)
VALUES )sql";
constexpr std::string_view ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr std::size_t COLUMNS = 19;
/// A statement for each number of rows would be kept by each session: so there are three.
constexpr std::array<std::size_t, 3> ROWS{64, 8, 1};

constexpr std::string_view NEXT_SUPPLIER = "SELECT MIN(supplier_id) FROM history_requests WHERE supplier_id > ?";

constexpr std::string_view SELECT_SIZES = R"sql(
SELECT id, status, size FROM history_requests WHERE supplier_id = ? ORDER BY id DESC
)sql";

constexpr std::string_view REMOVE_OLD = R"sql(
DELETE FROM history_requests WHERE supplier_id = ? AND id < ? ORDER BY id LIMIT 500
)sql";
constexpr std::string_view REMOVE_ERRORS = R"sql(
DELETE FROM history_requests WHERE supplier_id = ? AND id <= ? AND status >= 400 ORDER BY id LIMIT 500
)sql";
constexpr std::string_view REMOVE_OTHERS = R"sql(
DELETE FROM history_requests WHERE supplier_id = ? AND id <= ? AND status < 400 ORDER BY id LIMIT 500
)sql";

std::string insertOf(std::size_t rows) {
    std::string sql(INSERT);
    for (std::size_t i = 0; i < rows; ++i)
        sql.append(i == 0 ? "" : ", ").append(ROW);
    return sql;
}

void insert(Database& database, std::span<const RequestRecord> records) {
    static const std::array<std::string, ROWS.size()> STATEMENTS{insertOf(ROWS[0]), insertOf(ROWS[1]),
                                                                 insertOf(ROWS[2])};
    std::vector<SqlParam> params;
    params.reserve(records.size() * COLUMNS);
    for (const RequestRecord& record : records)
        params.insert(params.end(),
                      {record.supplierId, record.id, record.keyId, record.keyPrefix, record.method, record.path,
                       record.query, record.status, record.errorCode, record.errorMessage, record.requestId,
                       record.clientAddress, record.tookMicroseconds, record.headers, record.bodySize, record.body.form,
                       record.body.text, record.response, record.size()});
    const auto form = std::find(ROWS.begin(), ROWS.end(), records.size()) - ROWS.begin();
    database.execute(STATEMENTS[static_cast<std::size_t>(form)], SqlParams(params));
}

/// By less than a millisecond: other servers' requests of the same moment are elsewhere then, most probably.
void moveIds(std::span<RequestRecord> records) {
    static thread_local std::minstd_rand random{std::random_device()()};
    const auto by = std::uniform_int_distribution<std::int64_t>(1, 999)(random);
    for (RequestRecord& record : records)
        record.id += by;
}

void insertUnique(Database& database, std::span<RequestRecord> records) {
    constexpr int ATTEMPTS = 5;
    for (int attempt = 1;; ++attempt) {
        try {
            insert(database, records);
            return;
        } catch (const DatabaseError& error) {
            if (!error.isDuplicateKey() || attempt == ATTEMPTS)
                throw;
        }
        moveIds(records);
    }
}

/// The ids up to which requests are beyond the limits, of errors and of the others.
struct Cuts {
    std::int64_t errors = 0;
    std::int64_t others = 0;
};

Cuts findCuts(Database& database, std::int64_t supplierId, const RequestLimits& limits) {
    struct Kept {
        std::int64_t requests = 0;
        std::int64_t bytes = 0;
    };
    return database.read([&](SqlSession& session) {
        Cuts cuts;
        Kept errors;
        Kept others;
        Rows& row = session.query(SELECT_SIZES, {supplierId});
        while (row.next()) {
            const bool isError = RequestRecord::isError(row.integer(1));
            Kept& kept = isError ? errors : others;
            std::int64_t& cut = isError ? cuts.errors : cuts.others;
            ++kept.requests;
            kept.bytes += row.integer(2);
            if (cut == 0 && (kept.requests > limits.requests / 2 || kept.bytes > limits.bytes / 2))
                cut = row.integer(0);
        }
        return cuts;
    });
}

} // namespace

std::int64_t microsecondsSince1970(std::chrono::system_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

void RequestStore::add(Database& database, std::vector<RequestRecord>& records) {
    // Neighbours in the table, and two servers take their locks in the same order.
    std::sort(records.begin(), records.end(), [](const RequestRecord& a, const RequestRecord& b) {
        return a.supplierId != b.supplierId ? a.supplierId < b.supplierId : a.id < b.id;
    });
    for (std::size_t i = 1; i < records.size(); ++i)
        if (records[i].supplierId == records[i - 1].supplierId)
            records[i].id = std::max(records[i].id, records[i - 1].id + 1);
    std::size_t added = 0;
    try {
        for (const std::size_t rows : ROWS)
            for (; records.size() - added >= rows; added += rows)
                insertUnique(database, std::span(records).subspan(added, rows));
    } catch (...) {
        records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(added));
        throw;
    }
    records.clear();
}

std::int64_t RequestStore::trim(Database& database, std::int64_t supplierId, const RequestLimits& limits,
                                const Remove& remove) {
    std::int64_t removed = 0;
    const auto removeAll = [&](std::string_view sql, std::int64_t id) {
        const std::array<SqlParam, 2> params{supplierId, id};
        for (std::int64_t piece = 1; piece > 0; removed += piece)
            piece = remove(sql, params);
    };
    removeAll(REMOVE_OLD, microsecondsSince1970(std::chrono::system_clock::now()) - limits.keep.count());
    const Cuts cuts = findCuts(database, supplierId, limits);
    if (cuts.errors > 0)
        removeAll(REMOVE_ERRORS, cuts.errors);
    if (cuts.others > 0)
        removeAll(REMOVE_OTHERS, cuts.others);
    return removed;
}

std::int64_t RequestStore::trimAll(Database& database, JobRun& run, const RequestLimits& limits) {
    const auto nextAfter = [&](std::int64_t supplierId) {
        return database.read([&](SqlSession& session) {
            Rows& row = session.query(NEXT_SUPPLIER, {supplierId});
            return row.next() ? row.integer(0) : 0; // NULL is 0 too
        });
    };
    const Remove remove = [&](std::string_view sql, SqlParams params) {
        std::int64_t removed = 0;
        run.withTransaction([&](Transaction& transaction) { removed = transaction.execute(sql, params); });
        return removed;
    };
    std::int64_t removed = 0;
    for (std::int64_t supplier = nextAfter(0); supplier != 0; supplier = nextAfter(supplier)) {
        run.throwIfStopped();
        removed += trim(database, supplier, limits, remove);
    }
    return removed;
}

} // namespace supplierd::history
