// What a request costs at least: this program only executes one prepared statement, on as many connections as the load
// generator has, and reads every column of every row. `supplierd-bench-floor SOCKET DATABASE THREADS SECONDS SQL-FILE
// [INTEGER]...` prints the line `RESULT <per second> <executions> <errors> <p50 µs> <p99 µs>`.
#include <mysql.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Workload {
    std::string socket;
    std::string database;
    std::string sql;
    std::vector<long long> parameters;
    unsigned threads = 0;
    std::chrono::seconds duration{0};
};

/// One connection with the statement prepared on it. Throws std::runtime_error with the database's message.
class PreparedReader {
public:
    explicit PreparedReader(const Workload& workload)
        : _connection(mysql_init(nullptr), &mysql_close),
          _statement(nullptr, &mysql_stmt_close),
          _values(workload.parameters) {
        mysql_options(_connection.get(), MYSQL_SET_CHARSET_NAME, "utf8mb4");
        if (mysql_real_connect(_connection.get(), nullptr, "root", "", workload.database.c_str(), 0,
                               workload.socket.c_str(), 0) == nullptr)
            throw std::runtime_error(mysql_error(_connection.get()));
        if (mysql_query(_connection.get(), "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED") != 0)
            throw std::runtime_error(mysql_error(_connection.get()));
        prepare(workload.sql);
    }

    /// Returns the number of rows read.
    std::size_t execute() {
        check(mysql_stmt_execute(_statement.get()));
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

    void prepare(const std::string& sql) {
        _statement.reset(mysql_stmt_init(_connection.get()));
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

    std::unique_ptr<MYSQL, decltype(&mysql_close)> _connection;
    std::unique_ptr<MYSQL_STMT, decltype(&mysql_stmt_close)> _statement;
    std::vector<long long> _values;
    std::vector<MYSQL_BIND> _parameters;
    std::vector<MYSQL_BIND> _results;
    std::vector<Cell> _cells;
};

struct Outcome {
    std::vector<std::int64_t> nanoseconds;
    std::size_t errors = 0;
};

/// Executes from `begin` until the duration is over; counts errors and empty results.
Outcome runOne(const Workload& workload, PreparedReader& reader, Clock::time_point begin) {
    Outcome outcome;
    outcome.nanoseconds.reserve(1U << 18U);
    std::this_thread::sleep_until(begin);
    const auto end = begin + workload.duration;
    for (auto before = Clock::now(); before < end;) {
        try {
            if (reader.execute() == 0)
                ++outcome.errors;
        } catch (const std::exception& failure) {
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

Workload read(const std::vector<std::string>& arguments) {
    if (arguments.size() < 5)
        throw std::runtime_error("usage: SOCKET DATABASE THREADS SECONDS SQL-FILE [INTEGER]...");
    Workload workload;
    workload.socket = arguments[0];
    workload.database = arguments[1];
    workload.threads = static_cast<unsigned>(integerOf(arguments[2]));
    workload.duration = std::chrono::seconds(integerOf(arguments[3]));
    std::ifstream file(arguments[4]);
    workload.sql.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (workload.sql.empty())
        throw std::runtime_error("nothing to read in " + arguments[4]);
    for (std::size_t i = 5; i < arguments.size(); ++i)
        workload.parameters.push_back(integerOf(arguments[i]));
    return workload;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const Workload workload = read(std::vector<std::string>(argv + 1, argv + argc));
        if (mysql_library_init(0, nullptr, nullptr) != 0)
            throw std::runtime_error("the client library does not start");
        std::vector<std::unique_ptr<PreparedReader>> readers;
        while (readers.size() < workload.threads)
            readers.push_back(std::make_unique<PreparedReader>(workload));
        std::vector<Outcome> outcomes(workload.threads);
        std::vector<std::thread> threads;
        const auto begin = Clock::now() + std::chrono::milliseconds(50);
        for (std::size_t i = 0; i < readers.size(); ++i)
            threads.emplace_back([&, i] { outcomes[i] = runOne(workload, *readers[i], begin); });
        for (std::thread& thread : threads)
            thread.join();
        print(outcomes, workload.duration);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "supplierd-bench-floor: %s\n", failure.what());
        return 1;
    }
    return 0;
}
