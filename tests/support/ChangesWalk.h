#pragma once

#include "tests/support/Json.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

/// A client that follows a list's `changed_after`. Thread: one.
class ChangesWalk {
public:
    /// `items`: the list's name in `data`, which `list` gives for a query.
    ChangesWalk(std::string items, std::function<Json(const std::string& query)> list)
        : _items(std::move(items)), _list(std::move(list)) {}

    /// Everything from the start on, by cursors; what numbers alone lead to must be the same.
    std::vector<std::int64_t> sync(const std::string& filter, int perPage) const;
    /// What comes after a page.
    std::vector<std::int64_t> follow(const std::string& filter, int perPage, Json data, bool byCursor) const;

private:
    const std::string _items;
    const std::function<Json(const std::string& query)> _list;
};

} // namespace supplierd::tests
