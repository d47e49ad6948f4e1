#include "CsvFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <string>
#include <vector>

namespace supplierd::tests {

/// `supplierctl product import` and `export` beside a running server.
class CommandsTest : public CppUnit::TestFixture {
protected:
    static CommandResult run(const CsvClient& supplier, const std::vector<std::string>& arguments) {
        return runFor(std::to_string(supplier.id()), supplier, arguments);
    }

    static CommandResult runFor(const std::string& id, const CsvClient& supplier,
                                const std::vector<std::string>& arguments) {
        std::vector<std::string> all{ServerProcess::controlProgram(),
                                     "--config",
                                     supplier.on().server().configFile(),
                                     "product",
                                     arguments.front(),
                                     "--supplier",
                                     id};
        all.insert(all.end(), arguments.begin() + 1, arguments.end());
        return runCommand({.arguments = all});
    }

    TemporaryDirectory _folder{"csv"};
};

TEST(CommandsTest, fileIsImportedAndExported) {
    CsvClient supplier;
    writeWholeFile(_folder / "in.csv", productsFile(300, supplier.on().category()));
    const auto looked = run(supplier, {"import", "--dry-run", _folder / "in.csv", "--json"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(looked.errors, 0, looked.exitCode);
    CPPUNIT_ASSERT_EQUAL(300, json::parse(looked.output)["imports"][0]["created"].get<int>());
    CPPUNIT_ASSERT(supplier.ids().empty());

    const auto imported = run(supplier, {"import", _folder / "in.csv"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(imported.errors, 0, imported.exitCode);
    CPPUNIT_ASSERT_EQUAL(300, supplier.list()["pagination"]["total_items"].get<int>());

    const auto exported = run(supplier, {"export", _folder / "out.csv", "--query", "sort=id", "--semicolon"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(exported.errors, 0, exported.exitCode);
    CPPUNIT_ASSERT_EQUAL(supplier.exported("sort=id&separator=%3B"), readWholeFile(_folder / "out.csv"));
    CPPUNIT_ASSERT_MESSAGE(exported.output, exported.output.find("300 products") != std::string::npos);
}

TEST(CommandsTest, failedRowsAreToldAndFailTheCommand) {
    CsvClient supplier;
    writeWholeFile(_folder / "in.csv", productsFile(1, supplier.on().category()) + "X,x,1,x,stem,1\r\n");
    const auto result = run(supplier, {"import", _folder / "in.csv"});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    CPPUNIT_ASSERT_MESSAGE(result.errors, result.errors.find("row 3: base_price must be") != std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(result.errors, result.errors.find("1 rows could not be imported") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, supplier.ids().size());
}

TEST(CommandsTest, filesThatAreNoneAreRefused) {
    CsvClient supplier;
    writeWholeFile(_folder / "in.csv", "name,price\nx,1\n");
    const auto result = run(supplier, {"import", _folder / "in.csv"});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    CPPUNIT_ASSERT_MESSAGE(result.errors, result.errors.find("no column sku") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(1, run(supplier, {"import", _folder / "none.csv"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(0, dataOf(supplier.get("/imports"))["pagination"]["total_items"].get<int>());
}

TEST(CommandsTest, whatCannotBeDoneLeavesFilesAndSuppliersAlone) {
    CsvClient supplier;
    const std::string file = _folder / "in.csv";
    writeWholeFile(file, productsFile(1, supplier.on().category()));
    const std::string nobody = std::to_string(supplier.id() + 1'000'000);
    for (const std::string& command : {std::string("import"), std::string("export")}) {
        const auto result = runFor(nobody, supplier, {command, file});
        CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
        CPPUNIT_ASSERT_MESSAGE(result.errors,
                               result.errors.find("there is no supplier " + nobody) != std::string::npos);
    }
    CPPUNIT_ASSERT_EQUAL(2, run(supplier, {"export", file, "--query", "status=nothing"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(productsFile(1, supplier.on().category()), readWholeFile(file));
    const auto folder = run(supplier, {"import", _folder / "."});
    CPPUNIT_ASSERT_EQUAL(1, folder.exitCode);
    CPPUNIT_ASSERT_MESSAGE(folder.errors, folder.errors.find("cannot read") != std::string::npos);
}

TEST(CommandsTest, commandsStandAmongThoseOfProducts) {
    CsvClient supplier;
    const std::string program = ServerProcess::controlProgram();
    const std::string config = supplier.on().server().configFile();
    const auto help = runCommand({.arguments = {program, "--config", config, "product", "--help"}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(help.errors, 0, help.exitCode);
    for (const std::string command : {"import", "export", "approve"})
        CPPUNIT_ASSERT_MESSAGE(help.output, help.output.find("\n  " + command + " ") != std::string::npos);
    const auto own = runCommand({.arguments = {program, "--config", config, "csv", "import", "--help"}});
    CPPUNIT_ASSERT_EQUAL(2, own.exitCode);
}

} // namespace supplierd::tests
