#include "RequestedImages.h"

#include <supplierd/Errors.h>

#include <set>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view UNAVAILABLE_CODE = "timeout";
constexpr std::string_view UNAVAILABLE_TEXT = "the server cannot take images now; add this one again later";

void writeError(JsonWriter& json, std::size_t index, std::string_view url, std::string_view code,
                std::string_view text) {
    json.beginObject();
    json.field("index", index).field("url", url).field("code", code).field("error", text);
    json.endObject();
}

} // namespace

std::size_t RequestedImages::countOf(std::span<const std::string> urls) {
    return std::set<std::string_view>(urls.begin(), urls.end()).size();
}

void RequestedImages::fetch(std::int64_t supplierId) {
    if (empty())
        return;
    try {
        _fetched = _images->fetch(supplierId, _urls);
    } catch (const ApiError& error) {
        if (error.kind() != ErrorKind::Unavailable)
            throw;
        _isUnavailable = true;
    }
}

void RequestedImages::addTo(Transaction& transaction, std::int64_t productId) {
    if (count() > 0)
        _fetched->add(transaction, productId);
}

void RequestedImages::writeErrors(JsonWriter& json) const {
    json.beginArray();
    if (_fetched)
        for (const ImageError& error : _fetched->errors())
            writeError(json, error.index, error.url, error.code, error.error);
    std::set<std::string_view> seen;
    for (std::size_t i = 0; _isUnavailable && i < _urls.size(); ++i)
        if (seen.insert(_urls[i]).second)
            writeError(json, i, _urls[i], UNAVAILABLE_CODE, UNAVAILABLE_TEXT);
    json.endArray();
}

} // namespace supplierd::catalog
