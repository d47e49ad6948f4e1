#include "CsvFixture.h"
#include "tests/support/Test.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace supplierd::tests {

namespace {

constexpr int ROWS = 4'000;

} // namespace

/// The server is killed while it imports.
class ResumeTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        ServerOptions options;
        options.plugins = {"categories", "catalog", "csv"};
        options.configuration = "[plugins.csv]\nbatch_rows = 20\n";
        _fixture = std::make_unique<ServerFixture>(options);
    }
    void tearDown() override { _fixture.reset(); }

protected:
    /// A server that starts anew has another port.
    CsvClient again(const CsvClient& supplier) {
        return CsvClient(*_fixture, supplier.id(), supplier.name(), supplier.key());
    }

    std::int64_t rowsDone(std::int64_t import) {
        return _fixture->database().integer("SELECT rows_done FROM csv_imports WHERE id = " + std::to_string(import));
    }

    std::int64_t products(const CsvClient& supplier) {
        return _fixture->database().integer("SELECT COUNT(*) FROM products WHERE supplier_id = " +
                                            std::to_string(supplier.id()));
    }

    void waitForRows(std::int64_t import, std::int64_t rows) {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
        while (rowsDone(import) < rows) {
            CPPUNIT_ASSERT_MESSAGE("the import does not go on", std::chrono::steady_clock::now() < limit);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }

    std::unique_ptr<ServerFixture> _fixture;
};

TEST(ResumeTest, killedServerGoesOnWhereItWasAndDoublesNothing) {
    CsvClient supplier({}, *_fixture);
    const std::string file = productsFile(ROWS, _fixture->category()) + ",no SKU,,,,\r\n";
    const std::int64_t import = dataOf(supplier.upload(file), 202)["import"]["id"];
    for (int round = 1; round <= 3; ++round) {
        waitForRows(import, round * ROWS / 5);
        _fixture->server().kill();
        // Nobody renews its lease: this is what waiting for its end comes to.
        _fixture->database().exec("UPDATE jobs SET lease_until = NOW(6) WHERE plugin = 'csv' AND name = 'import'");
        const std::int64_t done = rowsDone(import);
        CPPUNIT_ASSERT_MESSAGE("it was over before the server was killed", done < ROWS);
        CPPUNIT_ASSERT_EQUAL(done, products(supplier));
        _fixture->server().start();
    }
    requireCounts(again(supplier).waitForEnd(import), ROWS, 0, 0, 1);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{ROWS}, products(supplier));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{ROWS}, _fixture->database().integer(
                                                 "SELECT COUNT(*) FROM audit_log WHERE action = 'product.create'"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _fixture->database().integer("SELECT COUNT(*) FROM csv_import_errors"));
    _fixture->requireTrueNumbers();
}

TEST(ResumeTest, stoppedServerGoesOnAtItsNextStart) {
    CsvClient supplier({}, *_fixture);
    const std::int64_t import = dataOf(supplier.upload(productsFile(ROWS, _fixture->category())), 202)["import"]["id"];
    waitForRows(import, 1);
    CPPUNIT_ASSERT_EQUAL(0, _fixture->server().stop());
    CPPUNIT_ASSERT(rowsDone(import) < ROWS);
    _fixture->server().start();
    requireCounts(again(supplier).waitForEnd(import), ROWS, 0, 0, 0);
}

TEST(ResumeTest, longImportKeepsNoShortOneWaiting) {
    CsvClient slow({}, *_fixture);
    CsvClient quick({}, *_fixture);
    const std::int64_t import = dataOf(slow.upload(productsFile(ROWS, _fixture->category())), 202)["import"]["id"];
    waitForRows(import, 1);
    requireCounts(quick.import(productsFile(30, _fixture->category())), 30, 0, 0, 0);
    CPPUNIT_ASSERT_MESSAGE("the long one was over first", rowsDone(import) < ROWS);
    requireCounts(slow.waitForEnd(import), ROWS, 0, 0, 0);
}

} // namespace supplierd::tests
