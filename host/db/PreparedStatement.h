#pragma once

#include "host/db/ResultColumn.h"
#include "host/db/SessionHealth.h"

#include <supplierd/Database.h>

#include <mysql/mysql.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// A statement prepared on one session, with the buffers of its parameters and of one row. Rows come straight from the
/// connection, so the next statement of the session can only start after close(). Thread: one at a time.
/// Errors: DatabaseError, noted in the session's health before it is thrown; std::logic_error for a wrong number of
/// parameters, and for rows that are not there any more; std::out_of_range for a column that is not there.
class PreparedStatement final : public Rows {
public:
    PreparedStatement(MYSQL* handle, SessionHealth& health, std::string_view sql);
    PreparedStatement(const PreparedStatement&) = delete;
    PreparedStatement& operator=(const PreparedStatement&) = delete;

    std::string_view sql() const { return _sql; }
    void execute(SqlParams params);
    bool hasResult() const { return !_columns.empty(); }
    /// It does more than read, as far as its first word tells.
    bool writes() const { return _writes; }
    /// It writes, or locks rows.
    bool hasEffects() const { return _hasEffects; }
    std::int64_t affectedRows() const;
    std::int64_t lastInsertId() const;
    /// Reads away the rows that are left. Throws the error that came instead of them.
    void close();

    bool next() override;
    bool isNull(std::size_t column) const override { return at(column).isNull(); }
    std::int64_t integer(std::size_t column) const override { return at(column).integer(); }
    std::string_view text(std::size_t column) const override { return at(column).text(); }
    Decimal decimal(std::size_t column) const override { return at(column).decimal(); }
    std::string time(std::size_t column) const override { return at(column).time(); }

private:
    struct Close {
        void operator()(MYSQL_STMT* statement) const { mysql_stmt_close(statement); }
        void operator()(MYSQL_RES* metadata) const { mysql_free_result(metadata); }
    };

    const ResultColumn& at(std::size_t column) const { return _columns.at(column); }
    void bind(SqlParams params);
    bool columnsFit() const;
    void makeColumns();
    void bindColumns();
    void fetchTruncated();
    [[noreturn]] void fail();

    MYSQL* _handle;
    SessionHealth& _health;
    std::string _sql;
    std::unique_ptr<MYSQL_STMT, Close> _statement;
    std::unique_ptr<MYSQL_RES, Close> _metadata; ///< follows what the latest execution brought
    std::vector<MYSQL_BIND> _parameters;
    std::vector<std::int64_t> _integers;
    std::vector<ResultColumn> _columns;
    std::vector<MYSQL_BIND> _binds;
    bool _bound = false;
    bool _open = false;
    const bool _writes;
    const bool _hasEffects;
};

} // namespace supplierd::host
