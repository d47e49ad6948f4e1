#include "RequestList.h"

#include "CurlCommand.h"

#include <supplierd/Cursor.h>
#include <supplierd/JsonBody.h>

#include <Poco/Base64Encoder.h>
#include <Poco/DateTimeFormatter.h>
#include <Poco/String.h>
#include <Poco/Timestamp.h>

#include <algorithm>
#include <array>
#include <limits>
#include <list>
#include <sstream>
#include <vector>

namespace supplierd::history {

namespace {

constexpr std::string_view BASE = "/api/v1/supplier";
constexpr std::size_t MAX_PATH = 1'000;
constexpr std::size_t MAX_REQUEST_ID = 64;
constexpr std::array<std::string_view, 6> METHODS{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};

constexpr std::string_view SELECT = R"sql(
SELECT id, key_id, key_prefix, method, path, query, status, error_code, error_message, request_id, client_address,
    took_us, body_size FROM history_requests WHERE supplier_id = ? AND id < ?)sql";
constexpr std::string_view SELECT_END = " ORDER BY id DESC LIMIT ? OFFSET ?";
constexpr std::string_view COUNT =
    "SELECT COUNT(*) FROM (SELECT id FROM history_requests WHERE supplier_id = ? AND id < ?";
constexpr std::string_view COUNT_END = " LIMIT ?) counted";

constexpr std::string_view SELECT_ONE = R"sql(
SELECT id, key_id, key_prefix, method, path, query, status, error_code, error_message, request_id, client_address,
    took_us, body_size, body_form, body, response, headers FROM history_requests WHERE supplier_id = ? AND id = ?
)sql";

/// Conditions in constant pieces, with what stands for their marks.
class Filters {
public:
    Filters(QueryReader& reader, std::int64_t supplierId) {
        _print.add(supplierId);
        narrow(" AND key_id = ?", reader.integer("key_id", 1));
        readStatus(reader);
        narrow(" AND method = ?", reader.oneOf("method", METHODS));
        readPath(reader);
        narrow(" AND request_id = ?", reader.text("request_id", MAX_REQUEST_ID));
        narrow(" AND id >= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', CAST(? AS DATETIME(6)))", reader.time("from"));
        narrow(" AND id <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', CAST(? AS DATETIME(6)))", reader.time("to"));
    }

    const std::string& sql() const { return _sql; }
    const std::vector<SqlParam>& params() const { return _params; }
    std::uint64_t fingerprint() const { return _print.value(); }

private:
    template <class Value>
    void narrow(std::string_view condition, const std::optional<Value>& value) {
        _print.add(condition.substr(0, value ? condition.size() : 0));
        if (!value)
            return;
        if constexpr (std::is_same_v<Value, std::string>)
            _params.emplace_back(_texts.emplace_back(*value));
        else
            _params.emplace_back(*value);
        _print.add(*value);
        _sql += condition;
    }

    /// "422", "4xx"; `errors=true` is all from 400 on.
    void readStatus(QueryReader& reader) {
        if (const auto text = reader.text("status", 3)) {
            const bool isClass = text->size() == 3 && text->substr(1) == "xx";
            const bool isKnown = text->size() == 3 && text->front() >= '1' && text->front() <= '5' &&
                                 (isClass || text->find_first_not_of("0123456789") == std::string::npos);
            if (!isKnown)
                reader.details().add("status", "not_in_set",
                                     "status must be a status such as 422, or 2xx, 3xx, 4xx, 5xx");
            else if (isClass)
                narrow(" AND status DIV 100 = ?", std::optional<std::int64_t>(text->front() - '0'));
            else
                narrow(" AND status = ?", std::optional<std::int64_t>(std::stoi(*text)));
        }
        if (reader.boolean("errors").value_or(false))
            narrow(" AND status >= ?", std::optional<std::int64_t>(400));
    }

    /// Of a path, with or without the base that all have.
    void readPath(QueryReader& reader) {
        auto path = reader.text("path", MAX_PATH);
        if (!path)
            return;
        if (!path->starts_with("/api/"))
            path = std::string(BASE) + (path->starts_with('/') ? "" : "/") + *path;
        narrow(" AND LEFT(path, CHAR_LENGTH(?)) = ?", path);
        _params.emplace_back(_params.back());
    }

    std::string _sql;
    std::list<std::string> _texts; ///< of the parameters; they stay where they are
    std::vector<SqlParam> _params;
    ListFingerprint _print;
};

/// The statement's parameters: the filters' between the others.
std::vector<SqlParam> paramsOf(const Filters& filters, std::int64_t supplierId, std::int64_t before,
                               std::initializer_list<SqlParam> last) {
    std::vector<SqlParam> params{supplierId, before};
    params.insert(params.end(), filters.params().begin(), filters.params().end());
    params.insert(params.end(), last);
    return params;
}

RequestRecord readRecord(const Rows& row) {
    RequestRecord record;
    record.id = row.integer(0);
    record.keyId = row.integer(1);
    record.keyPrefix = row.text(2);
    record.method = row.text(3);
    record.path = row.text(4);
    record.query = row.text(5);
    record.status = row.integer(6);
    record.errorCode = row.text(7);
    record.errorMessage = row.text(8);
    record.requestId = row.text(9);
    record.clientAddress = row.text(10);
    record.tookMicroseconds = row.integer(11);
    record.bodySize = row.integer(12);
    return record;
}

/// Not longer than the headers' document.
std::optional<std::string_view> headerOf(const JsonObject& headers, std::string_view name) {
    const JsonValue value = headers.get(name);
    return value.isText() ? std::optional(value.text()) : std::nullopt;
}

std::string base64(const std::string& bytes) {
    std::ostringstream text;
    Poco::Base64Encoder encoder(text);
    encoder.rdbuf()->setLineLength(0);
    encoder << bytes;
    encoder.close();
    return text.str();
}

void writeBody(JsonWriter& json, const RequestRecord& record) {
    if (record.bodySize == 0) {
        json.key("body").null();
        return;
    }
    json.key("body").beginObject().field("size", record.bodySize).field("is_whole", record.body.isWhole());
    if (!record.body.isKept()) {
        json.key("text").null();
    } else {
        const std::string bytes = record.body.bytes();
        json.field("text", bytes);
        if (!record.body.isUtf8())
            json.field("base64", base64(bytes));
    }
    json.endObject();
}

} // namespace

Listed<RequestRecord> listRequests(Database& database, std::int64_t supplierId, const QueryParameters& query) {
    constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();
    Details details;
    QueryReader reader(query, details);
    const Filters filters(reader, supplierId);
    const ListPage page = ListPage::read(
        reader, {.fingerprint = filters.fingerprint(), .total = ListTotal::CountedToLimit, .countLimit = MAX_COUNT});
    details.throwIfAny();
    const std::string select = std::string(SELECT) + filters.sql() + std::string(SELECT_END);
    const std::string count = std::string(COUNT) + filters.sql() + std::string(COUNT_END);
    const ListStatements statements{.page = [&](SqlSession& session, const ListWindow& window) -> Rows& {
                                        const auto params =
                                            paramsOf(filters, supplierId, window.after ? window.after->lastId : LAST,
                                                     {window.limit, window.offset});
                                        return session.query(select, SqlParams(params));
                                    },
                                    .total = [&](SqlSession& session) -> std::int64_t {
                                        const auto params = paramsOf(filters, supplierId, LAST, {MAX_COUNT + 1});
                                        Rows& row = session.query(count, SqlParams(params));
                                        return row.next() ? row.integer(0) : 0;
                                    }};
    return page.select(database, statements, readRecord);
}

std::optional<RequestRecord> findRequest(Database& database, std::int64_t supplierId, std::int64_t id) {
    return database.read([&](SqlSession& session) -> std::optional<RequestRecord> {
        Rows& row = session.query(SELECT_ONE, {supplierId, id});
        if (!row.next())
            return std::nullopt;
        RequestRecord record = readRecord(row);
        record.body = {row.integer(13), std::string(row.text(14))};
        record.response = row.text(15);
        record.headers = row.text(16);
        return record;
    });
}

void writeFields(JsonWriter& json, const RequestRecord& record) {
    json.field("id", record.id);
    json.field("answered_at", Poco::DateTimeFormatter::format(Poco::Timestamp(record.id), "%Y-%m-%dT%H:%M:%S.%FZ"));
    json.field("method", record.method).field("path", record.path).field("query", record.query);
    json.field("status", record.status).key("error");
    if (!record.isError())
        json.null();
    else
        json.beginObject().field("code", record.errorCode).field("message", record.errorMessage).endObject();
    json.field("took_us", record.tookMicroseconds).field("request_id", record.requestId);
    json.field("client_address", record.clientAddress);
    json.key("key").beginObject().field("id", record.keyId).field("prefix", record.keyPrefix).endObject();
    json.field("body_size", record.bodySize);
}

void writeDetails(JsonWriter& json, const RequestRecord& record, std::string_view origin) {
    const JsonDocument headers = parseJsonObject(record.headers);
    json.key("headers").raw(record.headers);
    writeBody(json, record);
    json.key("response");
    if (record.response.empty())
        json.null();
    else
        json.value(record.response);
    const std::string body = record.body.bytes();
    json.field("curl", curlCommand({.origin = origin,
                                    .method = record.method,
                                    .path = record.path,
                                    .query = record.query,
                                    .contentType = headerOf(headers.object(), "Content-Type"),
                                    .bodySize = static_cast<std::uint64_t>(record.bodySize),
                                    .body = record.bodySize == 0 || record.body.isWhole()
                                                ? std::optional<std::string_view>(body)
                                                : std::nullopt}));
}

} // namespace supplierd::history
