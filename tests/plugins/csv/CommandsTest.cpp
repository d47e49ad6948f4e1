#include "CsvFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <string>
#include <vector>

namespace supplierd::tests {

/// `supplierctl product import` and `export`, which are rows of openapi.json, and the operators' routes behind them.
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
    const json import = json::parse(looked.output).at("import");
    CPPUNIT_ASSERT_EQUAL(300, import.at("created").get<int>());
    CPPUNIT_ASSERT_EQUAL(json("in.csv"), import.at("file_name"));
    CPPUNIT_ASSERT_EQUAL(json({{"id", supplier.id()}, {"name", supplier.name()}}), import.at("supplier"));
    CPPUNIT_ASSERT(supplier.ids().empty());

    const auto imported = run(supplier, {"import", _folder / "in.csv"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(imported.errors, 0, imported.exitCode);
    requireIn("done: 300 products created, 0 updated, 0 unchanged, 0 rows failed", imported.output);
    CPPUNIT_ASSERT_EQUAL(300, supplier.list()["pagination"]["total_items"].get<int>());

    const auto exported = run(supplier, {"export", _folder / "out.csv", "--query", "sort=id", "--semicolon"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(exported.errors, 0, exported.exitCode);
    CPPUNIT_ASSERT_EQUAL(supplier.exported("sort=id&separator=%3B"), readWholeFile(_folder / "out.csv"));
    const auto printed = run(supplier, {"export", "-", "--query", "sort=id"});
    CPPUNIT_ASSERT_EQUAL(supplier.exported("sort=id"), printed.output);
}

TEST(CommandsTest, failedRowsAreToldAndFailTheCommand) {
    CsvClient supplier;
    writeWholeFile(_folder / "in.csv", productsFile(1, supplier.on().category()) + "X,x,1,x,stem,1\r\n");
    const auto result = run(supplier, {"import", _folder / "in.csv"});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    requireIn("done: 1 products created, 0 updated, 0 unchanged, 1 rows failed", result.output);
    requireIn("base_price must be", result.output);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, supplier.ids().size());
}

TEST(CommandsTest, emptyCellsClearTheirFieldsWhereAsked) {
    CsvClient supplier;
    const std::int64_t product = idOf(supplier.create({{"sku", "RN-60"}, {"color", "red"}}));
    writeWholeFile(_folder / "in.csv", "sku,color\nRN-60,\n");
    CPPUNIT_ASSERT_EQUAL(0, run(supplier, {"import", _folder / "in.csv"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(json("red"), supplier.read(product).at("color"));
    CPPUNIT_ASSERT_EQUAL(0, run(supplier, {"import", "--clear-empty", _folder / "in.csv"}).exitCode);
    CPPUNIT_ASSERT(supplier.read(product).at("color").is_null());
}

TEST(CommandsTest, auditLogNamesWhoAskedForTheImport) {
    CsvClient supplier;
    writeWholeFile(_folder / "in.csv", productsFile(1, supplier.on().category()));
    CPPUNIT_ASSERT_EQUAL(0, run(supplier, {"import", _folder / "in.csv"}).exitCode);
    const json entry = OperatorClient().audit("product", supplier.ids().at(0)).at(0);
    CPPUNIT_ASSERT(entry.at("actor").get<std::string>().starts_with("local: "));
}

TEST(CommandsTest, filesThatAreNoneAreRefused) {
    CsvClient supplier;
    writeWholeFile(_folder / "in.csv", "name,price\nx,1\n");
    const auto result = run(supplier, {"import", _folder / "in.csv"});
    CPPUNIT_ASSERT_EQUAL(2, result.exitCode);
    requireIn("no column sku", result.errors);
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
        requireIn("Supplier not found", result.errors);
    }
    CPPUNIT_ASSERT_EQUAL(2, run(supplier, {"export", file, "--query", "status=nothing"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(productsFile(1, supplier.on().category()), readWholeFile(file));
    const auto folder = run(supplier, {"import", _folder / "."});
    CPPUNIT_ASSERT_EQUAL(1, folder.exitCode);
    requireIn("cannot read", folder.errors);
}

TEST(CommandsTest, largeFileForNobodyIsRefusedBeforeItIsSent) {
    CsvClient supplier;
    writeWholeFile(_folder / "in.csv", std::string(20 << 20, 'x'));
    const auto result = runFor(std::to_string(supplier.id() + 1'000'000), supplier, {"import", _folder / "in.csv"});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    requireIn("Supplier not found", result.errors);
}

TEST(CommandsTest, commandsStandAmongThoseOfProducts) {
    CsvClient supplier;
    const std::string program = ServerProcess::controlProgram();
    const std::string config = supplier.on().server().configFile();
    const auto help = runCommand({.arguments = {program, "--config", config, "product", "--help"}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(help.errors, 0, help.exitCode);
    for (const std::string command : {"import", "export", "approve"})
        CPPUNIT_ASSERT_MESSAGE(help.output, help.output.find("\n  " + command + " ") != std::string::npos);
}

} // namespace supplierd::tests
