#include "MoveInput.h"

#include <algorithm>
#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::size_t MAX_COMMENT = 1'000;
constexpr std::size_t MAX_CARRIER = 255;
constexpr std::size_t MAX_NUMBER = 255;
constexpr std::size_t MAX_URL = 2'048;

bool isWebAddress(std::string_view url) {
    for (const std::string_view scheme : {"https://", "http://"})
        if (url.size() > scheme.size() && url.substr(0, scheme.size()) == scheme)
            return std::none_of(url.begin(), url.end(),
                                [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; });
    return false;
}

OrderTracking readTracking(const JsonObject& object, Details& details) {
    ObjectReader reader(object, details, "tracking.");
    OrderTracking tracking;
    tracking.carrier = reader.text("carrier", {MAX_CARRIER}).value;
    tracking.number = reader.text("number", {MAX_NUMBER}).value;
    tracking.url = reader.text("url", {MAX_URL}).value;
    // A link that the dashboard shows: nothing but the web's own schemes.
    if (tracking.url && !isWebAddress(*tracking.url))
        details.add("tracking.url", "type", "tracking.url must be an http or https URL");
    return tracking;
}

} // namespace

MoveInput MoveInput::read(const JsonObject& body, Details& details) {
    ObjectReader reader(body, details);
    MoveInput input;
    if (const auto status = reader.oneOf("status", STATUS_NAMES, true).value)
        input.status = statusNamed(*status);
    input.comment = reader.text("comment", {MAX_COMMENT}).value;
    if (input.status && *input.status != OrderStatus::Shipped) {
        if (!body.get("tracking").isNull())
            input.warnings.push_back(
                {"tracking", "unsupported", "tracking was ignored: it belongs to the status shipped only"});
    } else if (const auto tracking = reader.object("tracking"))
        input.tracking = readTracking(*tracking, details);
    return input;
}

} // namespace supplierd::orders
