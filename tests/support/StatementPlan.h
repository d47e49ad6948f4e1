#pragma once

#include <supplierd/Database.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace supplierd::tests {

/// The columns of EXPLAIN that matter, of one table of a statement.
struct PlanStep {
    std::string type;
    std::string key;
    std::string extra;
};

/// By the name that the table has in the statement.
std::map<std::string, PlanStep> explain(SqlSession& session, const std::string& sql, SqlParams params);
/// How many rows and index entries the database looks at for what `work` does with the session.
std::int64_t rowsRead(SqlSession& session, const std::function<void()>& work);
/// The same of a query, which must give at least so many rows.
std::int64_t rowsRead(SqlSession& session, const std::string& sql, SqlParams params, int least = 0);

/// The same of something that has sql() and params().
template <class Statement>
auto explain(SqlSession& session, const Statement& statement) {
    return explain(session, std::string(statement.sql()), statement.params());
}
template <class Statement>
requires requires(const Statement& statement) {
    statement.sql();
}
std::int64_t rowsRead(SqlSession& session, const Statement& statement, int least = 0) {
    return rowsRead(session, std::string(statement.sql()), statement.params(), least);
}

} // namespace supplierd::tests
