// What a request costs at least: this program only executes its prepared statements, on as many connections as the load
// generator has, and reads every column of every row. `supplierd-bench-floor SOCKET DATABASE THREADS SECONDS SQL-FILE
// [INTEGER | @IDS-FILE]...` prints the line `RESULT <per second> <executions> <errors> <p50 µs> <p99 µs>`.
// A file with several statements, each ending with ';' at the end of a line, is executed from the first to the last at
// a time. Each `?` is one of the integers. With a file of ids, `{id}` stands for one of them, another one at each time
// but the same in all statements; `{ids}` for BATCH of them in ascending order, and `{amounts}` for as many quantities.
// `{change}` is a number that is higher at each time: rows that are stamped with it move in the index by change, as
// those do that the server writes.
#include <mysql.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t BATCH = 500;
constexpr long long AMOUNTS = 100'000;

/// What a parameter of the statement stands for.
enum class Slot { Fixed, One, Id, Amount, Change };

struct Statement {
    std::string sql;
    std::vector<long long> parameters; ///< one per slot; the fixed ones have their values
    std::vector<Slot> slots;

    bool has(Slot slot) const { return std::find(slots.begin(), slots.end(), slot) != slots.end(); }
};

struct Workload {
    std::string socket;
    std::string database;
    std::vector<Statement> statements;
    std::vector<long long> ids; ///< ascending; empty: no statement names ids
    unsigned threads = 0;
    std::chrono::seconds duration{0};
};

long long nextChange() {
    static std::atomic<long long> last{
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count()};
    return ++last;
}

/// One statement prepared on a connection. Throws std::runtime_error with the database's message.
class KeptStatement {
public:
    KeptStatement(MYSQL* connection, const Statement& statement, const std::vector<long long>& ids)
        : _statement(mysql_stmt_init(connection), &mysql_stmt_close),
          _source(statement),
          _ids(ids),
          _values(statement.parameters) {
        prepare(statement.sql);
    }

    /// Returns the number of rows read or written.
    std::size_t execute(long long id) {
        if (_source.has(Slot::Id))
            drawBatch();
        for (std::size_t i = 0; i < _values.size(); ++i)
            if (_source.slots[i] == Slot::One)
                _values[i] = id;
            else if (_source.slots[i] == Slot::Change)
                _values[i] = nextChange();
        check(mysql_stmt_execute(_statement.get()));
        if (_results.empty())
            return mysql_stmt_affected_rows(_statement.get());
        std::size_t rows = 0;
        int outcome = 0;
        while ((outcome = mysql_stmt_fetch(_statement.get())) == 0)
            ++rows;
        if (outcome != MYSQL_NO_DATA)
            check(true);
        check(mysql_stmt_free_result(_statement.get()));
        return rows;
    }

private:
    struct Cell {
        std::array<char, 1100> text;
        long long integer;
        unsigned long length;
        my_bool isNull;
    };

    void check(bool failed) const {
        if (failed)
            throw std::runtime_error(mysql_stmt_error(_statement.get()));
    }

    /// One id of each of BATCH equal parts of all.
    void drawBatch() {
        const std::size_t part = _ids.size() / BATCH;
        std::vector<long long> batch;
        for (std::size_t i = 0; i < BATCH; ++i)
            batch.push_back(_ids[i * part + _random() % part]);
        std::size_t ids = 0;
        for (std::size_t i = 0; i < _values.size(); ++i)
            if (_source.slots[i] == Slot::Id)
                _values[i] = batch[ids++ % BATCH];
            else if (_source.slots[i] == Slot::Amount)
                _values[i] = static_cast<long long>(_random()) % AMOUNTS;
    }

    void prepare(const std::string& sql) {
        check(mysql_stmt_prepare(_statement.get(), sql.data(), sql.size()));
        if (mysql_stmt_param_count(_statement.get()) != _values.size())
            throw std::runtime_error("the statement wants " + std::to_string(mysql_stmt_param_count(_statement.get())) +
                                     " parameters");
        for (long long& value : _values) {
            MYSQL_BIND& bind = _parameters.emplace_back();
            bind.buffer_type = MYSQL_TYPE_LONGLONG;
            bind.buffer = &value;
        }
        check(mysql_stmt_bind_param(_statement.get(), _parameters.data()));
        bindColumns();
    }

    void bindColumns() {
        const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> columns(
            mysql_stmt_result_metadata(_statement.get()), &mysql_free_result);
        if (!columns)
            return;
        const unsigned count = mysql_num_fields(columns.get());
        _cells.resize(count);
        _results.resize(count);
        for (unsigned i = 0; i < count; ++i) {
            const MYSQL_FIELD* field = mysql_fetch_field_direct(columns.get(), i);
            const bool isInteger = IS_NUM(field->type) && field->type != MYSQL_TYPE_NEWDECIMAL;
            MYSQL_BIND& bind = _results[i];
            bind.buffer_type = isInteger ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_STRING;
            bind.buffer = isInteger ? static_cast<void*>(&_cells[i].integer) : _cells[i].text.data();
            bind.buffer_length = isInteger ? sizeof(_cells[i].integer) : _cells[i].text.size();
            bind.length = &_cells[i].length;
            bind.is_null = &_cells[i].isNull;
        }
        check(mysql_stmt_bind_result(_statement.get(), _results.data()));
    }

    std::unique_ptr<MYSQL_STMT, decltype(&mysql_stmt_close)> _statement;
    const Statement& _source;
    const std::vector<long long>& _ids;
    std::mt19937 _random{std::random_device{}()};
    std::vector<long long> _values;
    std::vector<MYSQL_BIND> _parameters;
    std::vector<MYSQL_BIND> _results;
    std::vector<Cell> _cells;
};

/// One connection with all statements prepared on it.
class Client {
public:
    explicit Client(const Workload& workload) : _connection(mysql_init(nullptr), &mysql_close), _ids(workload.ids) {
        mysql_options(_connection.get(), MYSQL_SET_CHARSET_NAME, "utf8mb4");
        if (mysql_real_connect(_connection.get(), nullptr, "root", "", workload.database.c_str(), 0,
                               workload.socket.c_str(), 0) == nullptr)
            throw std::runtime_error(mysql_error(_connection.get()));
        if (mysql_query(_connection.get(), "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED") != 0)
            throw std::runtime_error(mysql_error(_connection.get()));
        for (const Statement& statement : workload.statements)
            _statements.push_back(std::make_unique<KeptStatement>(_connection.get(), statement, _ids));
    }

    /// Executes all of them, and returns the number of rows read or written.
    std::size_t execute() {
        const long long id = _ids.empty() ? 0 : _ids[_random() % _ids.size()];
        std::size_t rows = 0;
        for (const auto& statement : _statements)
            rows += statement->execute(id);
        return rows;
    }

    void rollback() { mysql_query(_connection.get(), "ROLLBACK"); }

private:
    std::unique_ptr<MYSQL, decltype(&mysql_close)> _connection;
    const std::vector<long long>& _ids;
    std::mt19937 _random{std::random_device{}()};
    std::vector<std::unique_ptr<KeptStatement>> _statements;
};

struct Outcome {
    std::vector<std::int64_t> nanoseconds;
    std::size_t errors = 0;
};

/// Executes from `begin` until the duration is over; counts errors and empty results.
Outcome runOne(const Workload& workload, Client& client, Clock::time_point begin) {
    Outcome outcome;
    outcome.nanoseconds.reserve(1U << 18U);
    std::this_thread::sleep_until(begin);
    const auto end = begin + workload.duration;
    for (auto before = Clock::now(); before < end;) {
        try {
            if (client.execute() == 0)
                ++outcome.errors;
        } catch (const std::exception& failure) {
            client.rollback();
            if (outcome.errors++ == 0)
                std::fprintf(stderr, "supplierd-bench-floor: %s\n", failure.what());
        }
        const auto after = Clock::now();
        outcome.nanoseconds.push_back(std::chrono::nanoseconds(after - before).count());
        before = after;
    }
    return outcome;
}

void print(std::vector<Outcome>& outcomes, std::chrono::seconds duration) {
    std::vector<std::int64_t> all;
    std::size_t errors = 0;
    for (const Outcome& outcome : outcomes) {
        all.insert(all.end(), outcome.nanoseconds.begin(), outcome.nanoseconds.end());
        errors += outcome.errors;
    }
    std::sort(all.begin(), all.end());
    const auto percentile = [&](std::size_t percent) {
        return all.empty() ? 0 : all[all.size() * percent / 100] / 1000;
    };
    std::printf("RESULT %.1f %zu %zu %lld %lld\n",
                static_cast<double>(all.size()) / static_cast<double>(duration.count()), all.size(), errors,
                static_cast<long long>(percentile(50)), static_cast<long long>(percentile(99)));
}

long long integerOf(std::string_view text) {
    long long value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size())
        throw std::runtime_error("not an integer: " + std::string(text));
    return value;
}

/// Replaces every `word` in the statement by so many parameters.
void expand(Statement& statement, std::string_view word, Slot slot, std::size_t count) {
    std::string marks = "?";
    for (std::size_t i = 1; i < count; ++i)
        marks += ",?";
    std::string& sql = statement.sql;
    for (std::size_t at = sql.find(word); at != std::string::npos; at = sql.find(word)) {
        const auto before = std::count(sql.begin(), sql.begin() + static_cast<std::ptrdiff_t>(at), '?');
        statement.slots.insert(statement.slots.begin() + before, count, slot);
        sql.replace(at, word.size(), marks);
    }
}

std::vector<long long> readIds(const std::string& path) {
    std::ifstream file(path);
    std::vector<long long> ids{std::istream_iterator<long long>(file), std::istream_iterator<long long>()};
    if (ids.size() < BATCH)
        throw std::runtime_error("fewer ids than a batch has in " + path);
    std::sort(ids.begin(), ids.end());
    return ids;
}

/// The statements of a file: each ends with ';' at the end of a line, the last one need not.
std::vector<Statement> split(const std::string& text) {
    std::vector<Statement> statements;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(";\n", begin), text.size());
        Statement statement;
        statement.sql = text.substr(begin, end - begin);
        if (statement.sql.find_first_not_of(" \n") != std::string::npos)
            statements.push_back(std::move(statement));
        begin = end + 2;
    }
    return statements;
}

/// Puts the parameters that are given in the places that are not of ids or amounts, from the first statement on.
void placeParameters(std::vector<Statement>& statements, const std::vector<long long>& fixed) {
    std::size_t next = 0;
    for (Statement& statement : statements) {
        statement.slots.assign(static_cast<std::size_t>(std::count(statement.sql.begin(), statement.sql.end(), '?')),
                               Slot::Fixed);
        expand(statement, "{id}", Slot::One, 1);
        expand(statement, "{ids}", Slot::Id, BATCH);
        expand(statement, "{amounts}", Slot::Amount, BATCH);
        expand(statement, "{change}", Slot::Change, 1);
        for (const Slot slot : statement.slots) {
            const bool isGiven = slot == Slot::Fixed && next < fixed.size();
            statement.parameters.push_back(isGiven ? fixed[next] : 0);
            next += slot == Slot::Fixed ? 1U : 0U;
        }
    }
    if (next != fixed.size())
        throw std::runtime_error("the statements want " + std::to_string(next) + " parameters");
}

Workload read(const std::vector<std::string>& arguments) {
    if (arguments.size() < 5)
        throw std::runtime_error("usage: SOCKET DATABASE THREADS SECONDS SQL-FILE [INTEGER | @IDS-FILE]...");
    Workload workload;
    workload.socket = arguments[0];
    workload.database = arguments[1];
    workload.threads = static_cast<unsigned>(integerOf(arguments[2]));
    workload.duration = std::chrono::seconds(integerOf(arguments[3]));
    std::ifstream file(arguments[4]);
    workload.statements = split({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
    if (workload.statements.empty())
        throw std::runtime_error("nothing to read in " + arguments[4]);
    std::vector<long long> fixed;
    for (std::size_t i = 5; i < arguments.size(); ++i)
        if (arguments[i].starts_with('@'))
            workload.ids = readIds(arguments[i].substr(1));
        else
            fixed.push_back(integerOf(arguments[i]));
    placeParameters(workload.statements, fixed);
    return workload;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const Workload workload = read(std::vector<std::string>(argv + 1, argv + argc));
        if (mysql_library_init(0, nullptr, nullptr) != 0)
            throw std::runtime_error("the client library does not start");
        std::vector<std::unique_ptr<Client>> clients;
        while (clients.size() < workload.threads)
            clients.push_back(std::make_unique<Client>(workload));
        std::vector<Outcome> outcomes(workload.threads);
        std::vector<std::thread> threads;
        const auto begin = Clock::now() + std::chrono::milliseconds(50);
        for (std::size_t i = 0; i < clients.size(); ++i)
            threads.emplace_back([&, i] { outcomes[i] = runOne(workload, *clients[i], begin); });
        for (std::thread& thread : threads)
            thread.join();
        print(outcomes, workload.duration);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "supplierd-bench-floor: %s\n", failure.what());
        return 1;
    }
    return 0;
}
