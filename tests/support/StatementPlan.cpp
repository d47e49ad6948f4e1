#include "tests/support/StatementPlan.h"

#include "tests/support/MariaDbAlone.h"

#include <cppunit/TestAssert.h>

namespace supplierd::tests {

namespace {

std::int64_t handlerReads(SqlSession& session) {
    skipOnMySql("the count of rows that a session has read", session);
    Rows& rows = session.query("SELECT CAST(SUM(VARIABLE_VALUE) AS SIGNED) FROM information_schema.SESSION_STATUS "
                               "WHERE VARIABLE_NAME LIKE 'HANDLER_READ%'");
    rows.next();
    const std::int64_t reads = rows.integer(0);
    rows.next();
    return reads;
}

} // namespace

std::map<std::string, PlanStep> explain(SqlSession& session, const std::string& sql, SqlParams params) {
    skipOnMySql("this form of a plan", session);
    std::map<std::string, PlanStep> plan;
    Rows& rows = session.query("EXPLAIN " + sql, params);
    while (rows.next()) {
        const std::string table(rows.text(2));
        if (!table.empty() && table.front() != '<')
            plan[table] = {std::string(rows.text(3)), std::string(rows.text(5)), std::string(rows.text(9))};
    }
    return plan;
}

std::int64_t rowsRead(SqlSession& session, const std::function<void()>& work) {
    const std::int64_t start = handlerReads(session);
    work();
    const std::int64_t middle = handlerReads(session);
    const std::int64_t end = handlerReads(session); // what asking itself costs
    return (middle - start) - (end - middle);
}

std::int64_t rowsRead(SqlSession& session, const std::string& sql, SqlParams params, int least) {
    return rowsRead(session, [&] {
        Rows& rows = session.query(sql, params);
        int count = 0;
        while (rows.next())
            ++count;
        CPPUNIT_ASSERT(count >= least);
    });
}

} // namespace supplierd::tests
