#include "host/db/PreparedStatement.h"

#include "host/db/ErrorClass.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <new>

namespace supplierd::host {

namespace {

/// Behind blanks, comments and parentheses; upper case.
std::string firstWord(std::string_view sql) {
    while (!sql.empty()) {
        const char c = sql.front();
        const bool isDashes = sql.starts_with("--");
        if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '(') {
            sql.remove_prefix(1);
        } else if (c == '#' || isDashes) {
            sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
        } else if (sql.starts_with("/*")) {
            const auto end = sql.find("*/");
            sql.remove_prefix(end == std::string_view::npos ? sql.size() : end + 2);
        } else {
            break;
        }
    }
    std::string word;
    for (std::size_t i = 0; i < sql.size() && std::isalpha(static_cast<unsigned char>(sql[i])) != 0; ++i)
        word += static_cast<char>(std::toupper(static_cast<unsigned char>(sql[i])));
    return word;
}

bool isWriting(std::string_view sql) {
    constexpr std::array<std::string_view, 10> READING = {"SELECT",  "WITH",  "SHOW",   "DESCRIBE", "DESC",
                                                          "EXPLAIN", "TABLE", "VALUES", "SET",      "DO"};
    return std::find(READING.begin(), READING.end(), firstWord(sql)) == READING.end();
}

bool isLocking(std::string_view sql) {
    constexpr std::array<std::string_view, 3> CLAUSES = {"FOR UPDATE", "FOR SHARE", "LOCK IN SHARE MODE"};
    const auto isSame = [](char one, char other) { return std::toupper(static_cast<unsigned char>(one)) == other; };
    return std::any_of(CLAUSES.begin(), CLAUSES.end(), [&](std::string_view clause) {
        return std::search(sql.begin(), sql.end(), clause.begin(), clause.end(), isSame) != sql.end();
    });
}

} // namespace

PreparedStatement::PreparedStatement(MYSQL* handle, SessionHealth& health, std::string_view sql)
    : _handle(handle),
      _health(health),
      _sql(sql),
      _statement(mysql_stmt_init(handle)),
      _writes(isWriting(sql)),
      _hasEffects(_writes || isLocking(sql)) {
    if (!_statement)
        throw std::bad_alloc();
    if (mysql_stmt_prepare(_statement.get(), _sql.data(), _sql.size()) != 0)
        fail();
    _parameters.resize(mysql_stmt_param_count(_statement.get()));
    _integers.resize(_parameters.size());
    _metadata.reset(mysql_stmt_result_metadata(_statement.get()));
    makeColumns();
}

void PreparedStatement::execute(SqlParams params) {
    bind(params);
    if (mysql_stmt_execute(_statement.get()) != 0)
        fail();
    if (!hasResult())
        return;
    _open = true;
    // The same text can have other columns after ALTER TABLE, and for `SELECT ?`.
    if (!columnsFit())
        makeColumns();
    if (!_bound)
        bindColumns();
}

void PreparedStatement::bind(SqlParams params) {
    if (params.size() != _parameters.size())
        throw std::logic_error("the statement has " + std::to_string(_parameters.size()) + " parameters, " +
                               std::to_string(params.size()) + " were given: " + _sql);
    // Integers lie where they lay the last time: then nothing is bound anew, and their types are not sent again.
    bool isBound = true;
    for (std::size_t i = 0; i < params.size(); ++i) {
        MYSQL_BIND& bind = _parameters[i];
        if (params[i].kind() == SqlParam::Kind::Integer) {
            _integers[i] = params[i].integer();
            if (bind.buffer == &_integers[i])
                continue;
        }
        isBound = false;
        bind = MYSQL_BIND{};
        switch (params[i].kind()) {
        case SqlParam::Kind::Null:
            bind.buffer_type = MYSQL_TYPE_NULL;
            break;
        case SqlParam::Kind::Integer:
            bind.buffer_type = MYSQL_TYPE_LONGLONG;
            bind.buffer = &_integers[i];
            break;
        case SqlParam::Kind::Text: {
            const std::string_view text = params[i].text();
            bind.buffer_type = MYSQL_TYPE_STRING;
            // The library only reads it, and takes a null pointer for NULL.
            bind.buffer = const_cast<char*>(text.data() ? text.data() : "");
            bind.buffer_length = static_cast<unsigned long>(text.size());
            break;
        }
        }
    }
    if (isBound || mysql_stmt_bind_param(_statement.get(), _parameters.data()) == 0)
        return;
    std::fill(_parameters.begin(), _parameters.end(), MYSQL_BIND{});
    fail();
}

bool PreparedStatement::columnsFit() const {
    for (std::size_t i = 0; i < _columns.size(); ++i)
        if (!_columns[i].fits(_metadata->fields[i]))
            return false;
    return true;
}

void PreparedStatement::makeColumns() {
    _columns.clear();
    _bound = false;
    if (!_metadata)
        return;
    _columns.reserve(_metadata->field_count);
    for (unsigned i = 0; i < _metadata->field_count; ++i)
        _columns.emplace_back(_metadata->fields[i]);
    _binds.resize(_columns.size());
}

void PreparedStatement::bindColumns() {
    for (std::size_t i = 0; i < _columns.size(); ++i)
        _columns[i].bindTo(_binds[i]);
    if (mysql_stmt_bind_result(_statement.get(), _binds.data()) != 0)
        fail();
    _bound = true;
}

bool PreparedStatement::next() {
    if (!_open) {
        if (hasResult())
            throw std::logic_error("these rows are gone: their end was reached, or another statement took the session "
                                   "meanwhile; read them all before the next one: " +
                                   _sql);
        return false;
    }
    if (!_bound)
        bindColumns();
    const int result = mysql_stmt_fetch(_statement.get());
    if (result == MYSQL_NO_DATA) {
        close();
        return false;
    }
    if (result != 0 && result != MYSQL_DATA_TRUNCATED) {
        _open = false;
        fail();
    }
    fetchTruncated();
    return true;
}

void PreparedStatement::fetchTruncated() {
    for (std::size_t i = 0; i < _columns.size(); ++i) {
        if (!_columns[i].isTruncated())
            continue;
        _columns[i].grow();
        _columns[i].bindTo(_binds[i]);
        if (mysql_stmt_fetch_column(_statement.get(), &_binds[i], static_cast<unsigned>(i), 0) != 0)
            fail();
        // Binding now would lose the library's place in the row.
        _bound = false;
    }
}

void PreparedStatement::close() {
    if (!_open)
        return;
    _open = false;
    // Clears the errors, then reads what is left; an error among that is known to the connection only.
    mysql_stmt_free_result(_statement.get());
    if (mysql_errno(_handle) != 0)
        fail();
    for (ResultColumn& column : _columns)
        if (column.shrink())
            _bound = false;
}

std::int64_t PreparedStatement::affectedRows() const {
    return static_cast<std::int64_t>(mysql_stmt_affected_rows(_statement.get()));
}

std::int64_t PreparedStatement::lastInsertId() const {
    return static_cast<std::int64_t>(mysql_stmt_insert_id(_statement.get()));
}

void PreparedStatement::fail() {
    const DatabaseError error = statementError(_statement.get(), _handle, _sql);
    _health.note(error);
    throw DatabaseError(error);
}

} // namespace supplierd::host
