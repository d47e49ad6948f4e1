#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "tests/support/Numbers.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <limits>
#include <optional>
#include <stdexcept>

namespace supplierd::tests {

using host::openSession;
using host::PooledSession;

/// How values of the database arrive, whatever their column's type.
class ResultColumnTest : public CppUnit::TestFixture {
protected:
    TestDatabase _database;
    PooledSession _session{openSession(_database.sessionSettings())};

protected:
    Rows& row(std::string_view sql, std::initializer_list<SqlParam> params = {}) {
        Rows& rows = _session.query(sql, params);
        CPPUNIT_ASSERT(rows.next());
        return rows;
    }
};

TEST(ResultColumnTest, wholeNumbersOfEverySizeKeepTheirValue) {
    _database.exec("CREATE TABLE n (a TINYINT, b TINYINT UNSIGNED, c SMALLINT, d MEDIUMINT, e INT, f INT UNSIGNED, "
                   "g BIGINT, h BIGINT, i BOOL, j YEAR)");
    constexpr auto SMALLEST = std::numeric_limits<std::int64_t>::min();
    constexpr auto LARGEST = std::numeric_limits<std::int64_t>::max();
    _session.execute("INSERT INTO n VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     {-128, 255, -32768, -8388608, -2147483647, 4294967295U, SMALLEST, LARGEST, true, 2026});
    Rows& n = row("SELECT * FROM n");
    const std::vector<std::int64_t> expected{-128,        255,      -32768,  -8388608, -2147483647,
                                             4294967295U, SMALLEST, LARGEST, 1,        2026};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CPPUNIT_ASSERT_EQUAL(expected[i], n.integer(i));
        CPPUNIT_ASSERT_EQUAL(std::to_string(expected[i]), std::string(n.text(i)));
    }
    CPPUNIT_ASSERT(n.boolean(8));
    CPPUNIT_ASSERT_THROW(n.integer(10), std::out_of_range);
}

TEST(ResultColumnTest, numberBeyond63BitsIsRefusedRatherThanWrapped) {
    Rows& n = row("SELECT 18446744073709551615");
    CPPUNIT_ASSERT_THROW(n.integer(0), std::domain_error);
    CPPUNIT_ASSERT_EQUAL(std::string("18446744073709551615"), std::string(n.text(0)));
    CPPUNIT_ASSERT_THROW(row("SELECT 'roses'").integer(0), std::domain_error);
    CPPUNIT_ASSERT_THROW(row("SELECT 12.5").integer(0), std::domain_error);
    CPPUNIT_ASSERT_THROW(row("SELECT 0.00001").decimal(0), std::domain_error);
}

TEST(ResultColumnTest, nullIsKnownAndReadsAsNothing) {
    _database.exec("CREATE TABLE n (a BIGINT, b VARCHAR(10), c DECIMAL(12,4), d DATETIME(6), e LONGTEXT)");
    _session.execute("INSERT INTO n VALUES (7, 'x', 1, '2026-11-20', 'y'), (?, ?, ?, ?, ?)",
                     {nullptr, std::optional<std::string>(), nullptr, std::optional<std::int64_t>(), nullptr});
    Rows& n = row("SELECT a, b, c, d, e, NULL FROM n ORDER BY a DESC");
    CPPUNIT_ASSERT(!n.isNull(0) && !n.isNull(1) && !n.isNull(4) && n.isNull(5));
    CPPUNIT_ASSERT(n.next());
    for (std::size_t i = 0; i < 6; ++i) {
        CPPUNIT_ASSERT(n.isNull(i));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, n.integer(i));
        CPPUNIT_ASSERT(n.text(i).empty() && n.time(i).empty() && !n.maybeText(i));
        CPPUNIT_ASSERT(n.decimal(i) == Decimal());
    }
}

TEST(ResultColumnTest, decimalsAreExact) {
    _database.exec("CREATE TABLE n (a DECIMAL(12,4))");
    for (const char* price : {"0.0001", "19.9", "0.085", "99999999.9999", "-1.5", "0"}) {
        _session.execute("DELETE FROM n");
        _session.execute("INSERT INTO n VALUES (?)", {*Decimal::parse(price)});
        CPPUNIT_ASSERT_EQUAL(std::string(price), row("SELECT a FROM n").decimal(0).toString());
    }
    CPPUNIT_ASSERT_EQUAL(std::string("12"), row("SELECT 12").decimal(0).toString());
}

TEST(ResultColumnTest, sumsOfWholeNumbersAreWholeNumbers) {
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9000000000},
                         row("SELECT SUM((seq + 1) * 1000000000) FROM " + numbersTo(3)).integer(0));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, row("SELECT COUNT(*) FROM " + numbersTo(3)).integer(0));
}

TEST(ResultColumnTest, emojiAndEmptyTextComeBackAsSent) {
    _database.exec("CREATE TABLE n (a VARCHAR(20) CHARACTER SET utf8mb4, b VARCHAR(20))");
    _session.execute("INSERT INTO n VALUES (?, ?)", {"Rosé 💐 花", ""});
    Rows& n = row("SELECT a, b, CHAR_LENGTH(a) FROM n");
    CPPUNIT_ASSERT_EQUAL(std::string("Rosé 💐 花"), std::string(n.text(0)));
    CPPUNIT_ASSERT(!n.isNull(1) && n.text(1).empty());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, n.integer(2));
}

TEST(ResultColumnTest, timesArePrintedAsIso8601) {
    _database.exec("CREATE TABLE n (a DATETIME(6), b DATETIME, c DATE, d TIMESTAMP(3))");
    _session.execute("INSERT INTO n VALUES (?, ?, ?, ?)",
                     {"2026-11-20 14:48:09.000123", "0999-01-02 03:04:05", "2026-02-28", "2026-11-20 14:48:00.5"});
    Rows& n = row("SELECT a, b, c, d, CONCAT(a, '') FROM n");
    CPPUNIT_ASSERT_EQUAL(std::string("2026-11-20T14:48:09Z"), n.time(0));
    CPPUNIT_ASSERT_EQUAL(std::string("2026-11-20 14:48:09.000123"), std::string(n.text(0)));
    CPPUNIT_ASSERT_EQUAL(std::string("0999-01-02T03:04:05Z"), n.time(1));
    CPPUNIT_ASSERT_EQUAL(std::string("2026-02-28T00:00:00Z"), n.time(2));
    CPPUNIT_ASSERT_EQUAL(std::string("2026-02-28"), std::string(n.text(2)));
    CPPUNIT_ASSERT_EQUAL(std::string("2026-11-20 14:48:00.500"), std::string(n.text(3)));
    CPPUNIT_ASSERT_EQUAL(std::string("2026-11-20T14:48:09Z"), n.time(4));
    CPPUNIT_ASSERT_THROW(row("SELECT 'yesterday'").time(0), std::domain_error);
}

TEST(ResultColumnTest, longTextsArriveWhole) {
    _database.exec("CREATE TABLE n (id INT, a TEXT, b LONGTEXT, c JSON, d MEDIUMBLOB)");
    const std::string large = std::string(3'000'000, 'x') + "end";
    const std::string json = "[\"" + std::string(70'000, 'j') + "\"]";
    const std::string bytes("\0\xff\0b", 4);
    _session.execute("INSERT INTO n VALUES (1, ?, ?, ?, ?)", {large.substr(large.size() - 60'000), large, json, bytes});
    Rows& n = row("SELECT a, b, c, d FROM n");
    CPPUNIT_ASSERT(large.substr(large.size() - 60'000) == n.text(0));
    CPPUNIT_ASSERT(large == n.text(1));
    CPPUNIT_ASSERT(json == n.text(2));
    CPPUNIT_ASSERT(bytes == n.text(3));
}

TEST(ResultColumnTest, functionsResultsArrive) {
    Rows& n =
        row("SELECT CONCAT(?, ''), UPPER(?), CAST(? AS CHAR(20)), 1.5e0, GROUP_CONCAT(seq), ? FROM " + numbersTo(3),
            {"straße", "rose", "tulip", 42});
    CPPUNIT_ASSERT_EQUAL(std::string("straße"), std::string(n.text(0)));
    CPPUNIT_ASSERT_EQUAL(std::string("ROSE"), std::string(n.text(1)));
    CPPUNIT_ASSERT_EQUAL(std::string("tulip"), std::string(n.text(2)));
    CPPUNIT_ASSERT_EQUAL(std::string("1.5"), std::string(n.text(3)));
    CPPUNIT_ASSERT_EQUAL(std::string("1,2,3"), std::string(n.text(4)));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{42}, n.integer(5));
}

TEST(ResultColumnTest, binaryParametersAreNotConverted) {
    _database.exec("CREATE TABLE n (a BINARY(32) PRIMARY KEY)");
    std::string bytes;
    for (int i = 0; i < 32; ++i)
        bytes += static_cast<char>(i * 8 + 3);
    _session.execute("INSERT INTO n VALUES (?)", {bytes});
    CPPUNIT_ASSERT(bytes == row("SELECT a FROM n WHERE a = ?", {bytes}).text(0));
}

TEST(ResultColumnTest, rowAfterALongOneIsReadCorrectly) {
    _database.exec("CREATE TABLE n (id INT, a LONGTEXT, b VARCHAR(10), c LONGTEXT)");
    const std::vector<std::size_t> lengths{3, 5'000, 0, 200'000, 7, 5'001};
    for (std::size_t i = 0; i < lengths.size(); ++i)
        _session.execute("INSERT INTO n VALUES (?, ?, 'mid', ?)",
                         {i, std::string(lengths[i], 'a'), std::string(lengths[i] * 2, 'c')});
    for (int round = 0; round < 3; ++round) {
        Rows& n = _session.query("SELECT id, a, b, c FROM n ORDER BY id");
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            CPPUNIT_ASSERT(n.next());
            CPPUNIT_ASSERT_EQUAL(static_cast<std::int64_t>(i), n.integer(0));
            CPPUNIT_ASSERT(std::string(lengths[i], 'a') == n.text(1));
            CPPUNIT_ASSERT_EQUAL(std::string("mid"), std::string(n.text(2)));
            CPPUNIT_ASSERT(std::string(lengths[i] * 2, 'c') == n.text(3));
        }
        CPPUNIT_ASSERT(!n.next());
    }
}

} // namespace supplierd::tests
