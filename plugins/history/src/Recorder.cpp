#include "Recorder.h"

#include "RecordedBody.h"
#include "Secrets.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace supplierd::history {

namespace {

constexpr std::size_t BATCH = 512;
constexpr auto GATHERING = std::chrono::milliseconds(500);
constexpr auto PAUSE = std::chrono::seconds(1); ///< while the database is away
constexpr int REPEATS = 30;
constexpr std::int64_t SHARE = 8;       ///< of the limits may be added before they are looked after
constexpr std::size_t MAX_KEYS = 1'000; ///< of a shard, until those of past minutes are forgotten

constexpr std::size_t MAX_NAME = 64;
constexpr std::size_t MAX_METHOD = 255;
constexpr std::size_t MAX_MESSAGE = 1'000;

/// Of the pieces of a request's head: bytes that are no UTF-8 as an URL has them.
std::string asText(std::string_view text) {
    if (isUtf8(text))
        return std::string(text);
    std::string escaped;
    for (const char c : text) {
        std::array<char, 4> code{};
        if (static_cast<unsigned char>(c) < 0x80)
            escaped += c;
        else if (std::snprintf(code.data(), code.size(), "%%%02X", static_cast<unsigned char>(c)) == 3)
            escaped += code.data();
    }
    return escaped;
}

std::string head(std::string_view text, std::size_t bytes) {
    return std::string(withoutTail(asText(withoutSecrets(text)).substr(0, bytes)));
}

std::string headersOf(const AnsweredRequest& request) {
    std::string object;
    JsonWriter json(object);
    json.beginObject();
    for (const auto& [name, value] : request.headers)
        json.field(name, withoutSecrets(value));
    json.endObject();
    return object;
}

std::string_view contentTypeOf(const AnsweredRequest& request) {
    for (const auto& [name, value] : request.headers)
        if (name == "Content-Type")
            return value;
    return {};
}

/// An envelope without its details, which may be cut off. (Within a text of JSON this would have backslashes.)
std::string withoutDetails(std::string_view body) {
    const auto details = body.find(",\"details\":");
    return std::string(body.substr(0, details)) + (details == std::string_view::npos ? "" : "}}");
}

/// What the envelope of an error says; also of an answer that was replayed, which has no code of its own.
void readError(std::string_view body, RequestRecord& record) {
    try {
        const JsonDocument document = parseJsonObject(withoutDetails(body));
        const JsonObject error = document.object().get("error").object();
        if (record.errorCode.empty())
            record.errorCode = head(error.get("code").text(), MAX_NAME);
        record.errorMessage = head(error.get("message").text(), MAX_MESSAGE);
    } catch (const std::exception&) {
        return; // a page, or cut off: its text is kept all the same
    }
}

} // namespace

ObserverOptions Recorder::options(std::size_t body) {
    const std::size_t told = body == 0 ? 0 : body + SECRET_MARGIN;
    return {.requestBody = told,
            .errorBody = std::size_t{8'192} + SECRET_MARGIN,
            .headers = {"Content-Type", "Idempotency-Key", "If-Match", "If-None-Match"}};
}

Recorder::Recorder(Host& host, const Settings& settings)
    : _database(host.database()),
      _log(host.log()),
      _settings(settings),
      _recorded(host.metrics().counter("requests_total", "Requests of suppliers' keys", {{"outcome", "recorded"}})),
      _skipped(host.metrics().counter("requests_total", "Requests of suppliers' keys", {{"outcome", "skipped"}})),
      _dropped(host.metrics().counter("requests_total", "Requests of suppliers' keys", {{"outcome", "dropped"}})),
      _removed(
          host.metrics().counter("removed_total", "Recorded requests that were removed, for their age or number")) {}

void Recorder::begin() {
    _thread = std::thread([this] { run(); });
}

void Recorder::end() {
    {
        const std::lock_guard lock(_mutex);
        _isEnding = true;
    }
    _wake.notify_all();
    if (_thread.joinable())
        _thread.join();
}

void Recorder::answered(std::span<const AnsweredRequest> requests) {
    std::vector<RequestRecord> records;
    std::size_t bytes = 0;
    for (const AnsweredRequest& request : requests) {
        records.push_back(recordOf(request));
        bytes += static_cast<std::size_t>(records.back().size());
    }
    if (records.empty())
        return;
    bool isFull = false;
    {
        const std::lock_guard lock(_mutex);
        if (_isEnding || _waiting.size() + records.size() > WAITING || _waitingBytes + bytes > WAITING_BYTES) {
            isFull = true;
        } else {
            _waitingBytes += bytes;
            std::move(records.begin(), records.end(), std::back_inserter(_waiting));
        }
    }
    if (isFull)
        _dropped.add(static_cast<double>(records.size()));
    else
        _wake.notify_all();
}

bool Recorder::wants(const RequestSummary& facts) {
    enum Kind : std::size_t { Error, Write, Read };
    if (facts.supplierId == 0 || facts.keyId == 0)
        return false;
    const bool isRead = facts.method == "GET" || facts.method == "HEAD";
    const Kind kind = RequestRecord::isError(facts.status) ? Error : isRead ? Read : Write;
    const std::array<std::int64_t, 3> rates{_settings.rates.errors, _settings.rates.writes, _settings.rates.reads};
    const std::int64_t minute = microsecondsSince1970(facts.answeredAt) / 60'000'000;
    bool isWanted = false;
    {
        Shard& shard = _shards[static_cast<std::size_t>(facts.keyId) % _shards.size()];
        const std::lock_guard lock(shard.mutex);
        if (shard.minutes.size() > MAX_KEYS)
            std::erase_if(shard.minutes, [&](const auto& entry) { return entry.second.minute != minute; });
        KeyMinute& key = shard.minutes[facts.keyId];
        if (key.minute != minute)
            key = {minute, {}};
        isWanted = key.recorded[kind] < rates[kind];
        key.recorded[kind] += isWanted ? 1 : 0;
    }
    if (!isWanted)
        _skipped.add();
    return isWanted;
}

RequestRecord Recorder::recordOf(const AnsweredRequest& request) const {
    RequestRecord record;
    record.supplierId = request.supplierId;
    record.id = microsecondsSince1970(request.answeredAt);
    record.keyId = request.keyId;
    record.keyPrefix = asText(request.keyPrefix).substr(0, MAX_NAME);
    record.method = head(request.method, MAX_METHOD);
    record.path = asText(withoutSecrets(request.path));
    record.query = asText(withoutSecrets(request.query));
    record.status = request.status;
    record.errorCode = request.errorCode.substr(0, MAX_NAME);
    record.requestId = head(request.requestId, MAX_NAME);
    record.clientAddress = request.clientAddress.substr(0, MAX_NAME);
    record.tookMicroseconds = request.took.count();
    record.headers = headersOf(request);
    record.bodySize = static_cast<std::int64_t>(request.requestBodySize);
    record.body =
        RecordedBody::of(request.requestBody, request.requestBodySize, contentTypeOf(request), _settings.body);
    if (!record.isError())
        return record;
    readError(request.errorBody, record);
    constexpr std::size_t RESPONSE = 8'192;
    const auto response = RecordedBody::of(request.errorBody, request.errorBody.size(), "text/plain", RESPONSE);
    record.response = response.isUtf8() ? response.text : std::string();
    return record;
}

void Recorder::run() {
    std::unique_lock lock(_mutex);
    while (!_isEnding || !_waiting.empty()) {
        _wake.wait(lock, [this] { return _isEnding || !_waiting.empty(); });
        _wake.wait_for(lock, GATHERING, [this] { return _isEnding || _waiting.size() >= BATCH; });
        const auto count = static_cast<std::ptrdiff_t>(std::min(BATCH, _waiting.size()));
        std::vector<RequestRecord> batch(std::make_move_iterator(_waiting.begin()),
                                         std::make_move_iterator(_waiting.begin() + count));
        _waiting.erase(_waiting.begin(), _waiting.begin() + count);
        for (const RequestRecord& record : batch)
            _waitingBytes -= static_cast<std::size_t>(record.size());
        lock.unlock();
        write(batch);
        lock.lock();
    }
}

/// Again while the database is away; the others wait meanwhile, and then are dropped.
void Recorder::write(std::vector<RequestRecord>& batch) {
    noteAdded(batch); // whatever becomes of it
    std::string reason;
    for (int attempt = 0; !batch.empty(); ++attempt) {
        const std::size_t before = batch.size();
        bool isAway = false;
        try {
            RequestStore::add(_database, batch);
        } catch (const ApiError& error) {
            isAway = error.kind() == ErrorKind::Unavailable;
            reason = error.what();
        } catch (const std::exception& failure) {
            reason = failure.what();
        }
        _recorded.add(static_cast<double>(before - batch.size()));
        if (batch.empty())
            break;
        std::unique_lock lock(_mutex);
        if (!isAway || attempt == REPEATS || _isEnding)
            break;
        _wake.wait_for(lock, PAUSE, [this] { return _isEnding; });
    }
    if (!batch.empty()) {
        _dropped.add(static_cast<double>(batch.size()));
        _log.warning("requests were not recorded",
                     {{"requests", static_cast<std::int64_t>(batch.size())}, {"reason", reason}});
    }
    trimFull();
}

void Recorder::noteAdded(std::span<const RequestRecord> batch) {
    for (const RequestRecord& record : batch) {
        Added& added = _added[record.supplierId];
        ++added.requests;
        added.bytes += record.size();
    }
}

/// Of those who have added much, so that nobody waits for the hour's end.
void Recorder::trimFull() {
    for (auto& [supplier, added] : _added) {
        if (added.requests * SHARE < _settings.limits.requests && added.bytes * SHARE < _settings.limits.bytes)
            continue;
        added = {};
        try {
            _removed.add(static_cast<double>(RequestStore::trim(
                _database, supplier, _settings.limits,
                [this](std::string_view sql, SqlParams params) { return _database.execute(sql, params); })));
        } catch (const std::exception& failure) { // with the next ones, or by the job
            _log.warning("recorded requests were not trimmed", {{"reason", std::string(failure.what())}});
        }
    }
}

} // namespace supplierd::history
