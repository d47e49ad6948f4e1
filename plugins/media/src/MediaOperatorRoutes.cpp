#include "MediaOperatorRoutes.h"

#include "FileRoute.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Query.h>
#include <supplierd/Validation.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd::media {

namespace {

constexpr std::size_t LISTED_AT_ONCE = 500;
constexpr std::size_t MAX_TOKEN = 32;
constexpr std::int64_t LONGEST_HOLD = 3'600;
constexpr std::size_t MAX_KEY = 64;

using Dependencies = MediaOperatorRoutes::Dependencies;

/// What of the store's `ask` throws is a 503 that says why: operators may know.
template <class Ask>
auto askStore(const Ask& ask) {
    try {
        return ask();
    } catch (const MediaStoreError& failure) {
        throw ApiError::unavailable(failure.what());
    }
}

Response verify(Request& request, const Dependencies& media) {
    Details details;
    const bool repair = ObjectReader(request.body(), details).boolean("repair").valueOr(false);
    details.throwIfAny();
    std::string input;
    JsonWriter(input).beginObject().field("repair", repair).endObject();
    return requestJob(request, media.jobs, SUPPLIERD_PLUGIN_ID, "verify", input);
}

Response move(Request& request, const Dependencies& media) {
    static constexpr std::array<std::string_view, 2> STORES = {"s3", "folder"};
    Details details;
    ObjectReader body(request.body(), details);
    const auto to = body.oneOf("to", STORES, true);
    const bool clean = body.boolean("clean").valueOr(false);
    details.throwIfAny();
    std::string input;
    JsonWriter(input).beginObject().field("to", *to.value).field("clean", clean).endObject();
    return requestJob(request, media.jobs, SUPPLIERD_PLUGIN_ID, "move", input);
}

bool isToken(std::string_view text) {
    return !text.empty() && text.size() <= MAX_TOKEN &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
}

Response hold(Request& request, const Dependencies& media) {
    Details details;
    ObjectReader body(request.body(), details);
    const auto token = body.text("token", {.maxCodePoints = MAX_TOKEN, .required = true});
    const auto seconds = body.integer("seconds", {.min = 1, .max = LONGEST_HOLD, .required = true});
    if (token.hasValue() && !isToken(*token.value))
        details.add("token", "invalid", "token must have 1 to 32 letters and digits");
    details.throwIfAny();
    return request.transact([&](Transaction& transaction) {
        const bool hasLapsed = !media.hold.hold(transaction, *token.value, std::chrono::seconds(*seconds.value));
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject().key("hold").beginObject();
        json.field("token", *token.value).field("has_lapsed", hasLapsed).endObject().endObject();
        return response;
    });
}

Response endHold(Request& request, const Dependencies& media) {
    return request.transact([&](Transaction& transaction) {
        media.hold.end(transaction, request.pathText("token"));
        Response response = request.reply();
        JsonWriter(response.data).beginObject().endObject();
        return response;
    });
}

Response listFiles(Request& request, const Dependencies& media) {
    Details details;
    const auto after = QueryReader(request.query(), details).text("after", MAX_KEY).value_or("");
    details.throwIfAny();
    const auto [files, id] = askStore([&] {
        media.storeId.requireStill(media.store);
        return std::pair(media.store.list(after, LISTED_AT_ONCE), media.store.mark());
    });
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject().field("store_id", id).key("files").beginArray();
    for (const MediaEntry& file : files)
        json.beginObject().field("key", file.key).field("bytes", file.bytes).endObject();
    json.endArray().endObject();
    return response;
}

Response readFile(Request& request, const Dependencies& media) {
    auto file = askStore([&] { return media.store.fetch(keyOf(request)); });
    if (!file)
        throw ApiError::notFound("There is no such file");
    return storedFile(std::move(file));
}

} // namespace

std::vector<Route> MediaOperatorRoutes::describe(const std::function<Dependencies()>& dependencies) {
    std::vector<Route> routes;
    const auto route = [&](Method method, std::string pattern, Body body,
                           Response (*handler)(Request&, const Dependencies&)) {
        routes.push_back(
            {method, std::move(pattern), Audience::Operator, {}, body, [dependencies, handler](Request& request) {
                 return handler(request, dependencies());
             }});
    };
    route(Method::Post, "/media/verify", Body::Json, verify);
    route(Method::Post, "/media/move", Body::Json, move);
    route(Method::Post, "/media/holds", Body::Json, hold);
    route(Method::Post, "/media/holds/{token}/end", Body::None, endHold);
    route(Method::Get, "/media/files", Body::None, listFiles);
    route(Method::Get, "/media/files/{a}/{b}/{name}", Body::None, readFile);
    return routes;
}

} // namespace supplierd::media
