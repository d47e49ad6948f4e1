#include "tests/support/ChangesOf.h"

#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "host/db/changes/ChangeLogStore.h"
#include "tests/support/TestDatabase.h"

#include <cppunit/TestAssert.h>

namespace supplierd::tests {

namespace {

constexpr std::size_t ALL = 100'000;

std::string textOf(const ChangeEntry& entry) {
    std::string text;
    for (const ChangedObjects& objects : entry.objects) {
        text += (text.empty() ? "" : "; ") + objects.kind + " ";
        std::string ids = objects.areAll ? "-" : "";
        for (const std::int64_t id : objects.ids)
            ids += (ids.empty() ? "" : ",") + std::to_string(id);
        text += ids;
    }
    return text;
}

ChangePage pageOf(TestDatabase& database, std::int64_t supplierId, std::int64_t after) {
    host::PooledSession session(host::openSession(database.sessionSettings()));
    return host::ChangeLogStore().after(session, supplierId, after, ALL);
}

} // namespace

std::vector<std::string> changesOf(TestDatabase& database, std::int64_t supplierId, std::int64_t after) {
    const ChangePage page = pageOf(database, supplierId, after);
    CPPUNIT_ASSERT_MESSAGE("the change log has a gap", page.isComplete);
    std::vector<std::string> texts;
    for (const ChangeEntry& entry : page.entries)
        texts.push_back(textOf(entry));
    return texts;
}

std::string originOfLastChange(TestDatabase& database, std::int64_t supplierId) {
    const ChangePage page = pageOf(database, supplierId, lastChangeOf(database, supplierId) - 1);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, page.entries.size());
    return page.entries.front().actor + " " + page.entries.front().requestId;
}

std::int64_t lastChangeOf(TestDatabase& database, std::int64_t supplierId) {
    return database.integer("SELECT change_seq FROM supplier_state WHERE supplier_id = " + std::to_string(supplierId));
}

} // namespace supplierd::tests
