#include "tests/support/ChangesWalk.h"

#include "tests/support/Responses.h"

#include <cppunit/TestAssert.h>

namespace supplierd::tests {

using Ids = std::vector<std::int64_t>;

Ids ChangesWalk::sync(const std::string& filter, int perPage) const {
    const json first = _list(filter + "&changed_after=0&per_page=" + std::to_string(perPage));
    Ids ids = idsOf(first[_items]);
    Ids byNumbers = ids;
    const Ids rest = follow(filter, perPage, first, true);
    ids.insert(ids.end(), rest.begin(), rest.end());
    const Ids restByNumbers = follow(filter, perPage, first, false);
    byNumbers.insert(byNumbers.end(), restByNumbers.begin(), restByNumbers.end());
    CPPUNIT_ASSERT(ids == byNumbers);
    return ids;
}

Ids ChangesWalk::follow(const std::string& filter, int perPage, json data, bool byCursor) const {
    Ids ids;
    const std::string query = filter + "&per_page=" + std::to_string(perPage);
    for (;;) {
        const json& page = data["pagination"];
        CPPUNIT_ASSERT(data[_items].size() <= static_cast<std::size_t>(perPage));
        CPPUNIT_ASSERT_EQUAL(page["has_more"].get<bool>(), page["next_cursor"].is_string());
        if (!page["has_more"])
            break;
        data = _list(query + (byCursor ? "&cursor=" + page["next_cursor"].get<std::string>()
                                       : "&changed_after=" + page["last_change_seq"].dump()));
        const Ids some = idsOf(data[_items]);
        ids.insert(ids.end(), some.begin(), some.end());
    }
    CPPUNIT_ASSERT(_list(filter + "&changed_after=" + data["pagination"]["last_change_seq"].dump())[_items].empty());
    return ids;
}

} // namespace supplierd::tests
