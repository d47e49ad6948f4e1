#include "imports/OrderImportRun.h"

#include <supplierd/JsonBody.h>

#include <exception>
#include <optional>

namespace supplierd::orders {

namespace {

/// The order is the reason, not the environment.
bool isRefusal(const ApiError& error) {
    switch (error.kind()) {
    case ErrorKind::BadRequest:
    case ErrorKind::NotFound:
    case ErrorKind::Conflict:
    case ErrorKind::PayloadTooLarge:
    case ErrorKind::Validation:
        return true;
    default:
        return false;
    }
}

/// Of a text that is valid JSON. Throws ApiError (BadRequest) for what is no object.
JsonDocument objectOf(const std::string& order) {
    if (!order.starts_with('{'))
        throw ApiError(ErrorKind::BadRequest, "an order must be a JSON object");
    return parseJson(order);
}

std::optional<std::string> orderNumberOf(const std::string& order) {
    if (!order.starts_with('{'))
        return std::nullopt;
    const JsonDocument document = objectOf(order);
    const JsonValue number = document.get("order_number");
    return number.isText() ? std::optional<std::string>(number.text()) : std::nullopt;
}

/// All that is wrong, on one line.
std::string messageOf(const std::string& message, const std::vector<Detail>& details) {
    std::string text;
    for (const Detail& detail : details) {
        const bool namesField = detail.field.empty() || detail.message.find(detail.field) != std::string::npos;
        text.append(text.empty() ? "" : "; ").append(namesField ? "" : detail.field + ": ").append(detail.message);
    }
    return text.empty() ? message : text;
}

std::string failureJson(std::int64_t position, const std::string& order, const std::string& message,
                        const std::vector<Detail>& details) {
    std::string text;
    JsonWriter json(text);
    json.beginObject().field("position", position).field("order_number", orderNumberOf(order));
    json.field("message", messageOf(message, details)).key("details").beginArray();
    for (const Detail& detail : details)
        json.beginObject()
            .field("field", detail.field)
            .field("code", detail.code)
            .field("message", detail.message)
            .endObject();
    json.endArray().endObject();
    return text;
}

} // namespace

void OrderImportRun::work() {
    constexpr int TURN = 100;
    for (auto ids = _store.unfinished(); !ids.empty(); ids = _store.unfinished())
        for (const std::int64_t id : ids)
            for (int orders = 0; orders < TURN && step(id); ++orders)
                _run.throwIfStopped();
    if (_placed > 0)
        _run.report("took in " + std::to_string(_placed) + " orders");
}

bool OrderImportRun::step(std::int64_t id) {
    try {
        bool isPlaced = false;
        _run.withTransaction([&](Transaction& transaction) { isPlaced = placeNext(transaction, id); });
        _placed += isPlaced ? 1 : 0;
        return isPlaced;
    } catch (const JobStopped&) {
        throw;
    } catch (const ApiError& error) {
        if (error.kind() == ErrorKind::Unavailable)
            throw;
        return isRefusal(error) ? fail(id, error.message(), error.details()) : stop(id, error);
    } catch (const DatabaseError& error) {
        if (error.isConnectionLost())
            throw;
        return error.isRetryable() ? fail(id, "other transactions held it up repeatedly", {}) : stop(id, error);
    } catch (const std::exception& error) {
        return stop(id, error);
    }
}

/// False when none is left, or the import was stopped meanwhile.
bool OrderImportRun::placeNext(Transaction& transaction, std::int64_t id) {
    const auto import = OrderImportStore::lock(transaction, id);
    if (!import)
        return false;
    const std::int64_t position = import->done() + 1;
    if (position > import->total) {
        OrderImportStore::end(transaction, id, ImportState::Done);
        return false;
    }
    const JsonDocument order = objectOf(OrderImportStore::order(transaction, id, position));
    const bool isNew = _book.place(transaction, order.object(), import->actor).isNew;
    OrderImportStore::advance(transaction, id, position, isNew ? ImportOutcome::Created : ImportOutcome::Existing);
    return true;
}

bool OrderImportRun::fail(std::int64_t id, const std::string& message, const std::vector<Detail>& details) {
    bool goesOn = false;
    _run.withTransaction([&](Transaction& transaction) {
        const auto import = OrderImportStore::lock(transaction, id);
        goesOn = import && !import->stopsOnError;
        if (!import)
            return;
        const std::int64_t position = import->done() + 1;
        const std::string order = OrderImportStore::order(transaction, id, position);
        OrderImportStore::advance(transaction, id, position, ImportOutcome::Failed,
                                  failureJson(position, order, message, details));
        if (import->stopsOnError)
            OrderImportStore::end(transaction, id, ImportState::Stopped, "an order failed");
    });
    return goesOn;
}

/// One that cannot go on must not keep the others from it.
bool OrderImportRun::stop(std::int64_t id, const std::exception& error) {
    _log.error("an import of orders was stopped", {{"import", id}, {"reason", std::string(error.what())}});
    _run.withTransaction([&](Transaction& transaction) {
        OrderImportStore::end(transaction, id, ImportState::Stopped, "internal error");
    });
    return false;
}

} // namespace supplierd::orders
