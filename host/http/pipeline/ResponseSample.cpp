#include "host/http/pipeline/ResponseSample.h"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace supplierd::host {

namespace {

bool isJsonText(const Response& response) {
    if (response.content || response.stream || response.data.empty())
        return false;
    return response.contentType.empty() || response.contentType.starts_with("application/json");
}

} // namespace

void ResponseSample::check(const Response& response) const {
    thread_local int left = 0; // a count of each thread: no store is shared
    if (_oneIn == 0 || !isJsonText(response))
        return;
    if (left > 0) {
        --left;
        return;
    }
    left = _oneIn - 1;
    try {
        if (nlohmann::json::accept(response.data))
            return;
        [[maybe_unused]] const auto parsed = nlohmann::json::parse(response.data); // says where
    } catch (const nlohmann::json::parse_error& error) {
        throw std::logic_error("the handler returned what is no JSON, at byte " + std::to_string(error.byte) + " of " +
                               std::to_string(response.data.size()));
    }
}

} // namespace supplierd::host
