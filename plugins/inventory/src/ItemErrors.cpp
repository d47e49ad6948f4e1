#include "ItemErrors.h"

#include <algorithm>

namespace supplierd::inventory {

std::string stockChanged(std::int64_t now) {
    return "Stock changed, now " + std::to_string(now);
}

void ItemErrors::write(JsonWriter& json) const {
    const auto updated = std::count(_errors.begin(), _errors.end(), std::string());
    json.beginObject();
    json.field("updated", updated);
    json.field("failed", static_cast<std::ptrdiff_t>(_errors.size()) - updated);
    json.key("errors").beginArray();
    for (std::size_t index = 0; index < _errors.size(); ++index) {
        if (_errors[index].empty())
            continue;
        json.beginObject();
        json.field("index", index).field("sku", _skus[index]).field("error", _errors[index]);
        json.endObject();
    }
    json.endArray().endObject();
}

} // namespace supplierd::inventory
