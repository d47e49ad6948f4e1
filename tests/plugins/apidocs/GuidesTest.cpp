#include "GuideExamples.h"
#include "GuideFixture.h"
#include "tests/plugins/orders/OrdersFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Places.h"
#include "tests/support/SupplierClient.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr const char* FIRST_GUIDE = "first-request";  ///< whose products the others go on with
constexpr const char* PYTHON_GUIDE = "other-systems"; ///< whose programs are long, and in this language alone
constexpr const char* WRONG_KEY = "sk_wrong";

std::string trimmed(std::string text) {
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

/// A folder with the client library of a language, which the first caller has installed. Throws Skip where a program
/// is missing that this needs.
std::filesystem::path folderOfClient(const ExampleLanguage& language) {
    static const TemporaryDirectory clients("clients");
    const std::filesystem::path folder = clients / language.client;
    if (std::filesystem::exists(folder))
        return folder;
    const std::string modules = std::string(SUPPLIERD_NPM_FOLDER) + "/node_modules";
    const auto result =
        runCommand({.arguments = {sourcePath("tests/clients/install"), fixture().server().rootUrl(), language.client,
                                  folder.string(), (clients / "built").string(), modules}},
                   std::chrono::minutes(5));
    if (result.exitCode == 77)
        throw Skip(result.output);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
    return folder;
}

/// A reader of the guides who works with one language: a supplier of its own, and a folder with the client library and
/// the files that were saved.
class Reader {
public:
    explicit Reader(const ExampleLanguage& language) : _language(language) {
        if (language.client.empty())
            return;
        for (const auto& entry : std::filesystem::directory_iterator(folderOfClient(language)))
            std::filesystem::create_symlink(entry.path(), _folder.path() / entry.path().filename());
    }

    /// Does what a guide says, and fails where it does not print what the guide says.
    void follow(const std::string& guide) {
        for (const GuideBlock& block : readGuide(guideFile(guide))) {
            if (block.language == "output")
                requirePrinted(block);
            else if (block.language == _language.name && block.name != "setup")
                take(block);
        }
        CPPUNIT_ASSERT_MESSAGE(guide + ": the guide does not say what its last example prints", !_printed);
    }

    /// What programs for a whole list do when nobody listens, or the key is wrong: they end, with an error.
    void requireListsEndWithAnError(const std::string& guide) {
        for (const GuideBlock& block : readGuide(guideFile(guide))) {
            const bool readsAList =
                block.code.find("next_cursor") != std::string::npos || block.code.find("iterate") != std::string::npos;
            if (block.language != _language.name || !block.name.empty() || !readsAList)
                continue;
            const auto file = _folder / ("list" + _language.extension);
            writeWholeFile(file, block.code);
            for (const auto& broken : brokenEnvironments())
                CPPUNIT_ASSERT_MESSAGE(block.place, run(file, broken).exitCode != 0);
        }
    }

    /// A program that keeps a place: after an error it goes on from there.
    void requirePlaceIsKept(const std::string& program) {
        const auto file = _folder / (program + _language.extension);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(file.string(), 0, run(file, environment()).exitCode);
        const std::string place = readWholeFile(_folder / "last-change");
        CPPUNIT_ASSERT_MESSAGE(place, std::stoll(place) > 0);
        for (const auto& broken : brokenEnvironments()) {
            CPPUNIT_ASSERT_MESSAGE(file.string(), run(file, broken).exitCode != 0);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(file.string(), place, readWholeFile(_folder / "last-change"));
        }
        CPPUNIT_ASSERT_EQUAL_MESSAGE(file.string(), 0, run(file, environment()).exitCode);
    }

    /// One whose place is too old begins again.
    void requireItBeginsAgain(const std::string& program) {
        const auto file = _folder / (program + _language.extension);
        const std::string supplier = std::to_string(_supplier.id());
        writeWholeFile(_folder / "last-change", "1");
        fixture().database().exec("DELETE FROM changes WHERE supplier_id = " + supplier);
        // The index learns that when it reads a change.
        _supplier.update(_supplier.ids("sku=RN-60").front(), {{"stock_qty", 61}});
        const auto again = run(file, environment());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(file.string() + again.errors, 0, again.exitCode);
        CPPUNIT_ASSERT_MESSAGE(again.output, again.output.starts_with("begin again"));
        CPPUNIT_ASSERT_MESSAGE(again.output, again.output.find("RN-60: ") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::to_string(_supplier.changeSeq()), trimmed(readWholeFile(_folder / "last-change")));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(file.string(), std::string(), run(file, environment()).output);
    }

    /// What the marketplace does between the first guide and that of orders.
    void receiveOrder() {
        std::map<std::string, std::int64_t> ids;
        const auto list = _supplier.list();
        for (const auto& product : list.at("products")) {
            ids[product.at("sku").get<std::string>()] = idOf(product);
            fixture().server().approveProduct(idOf(product));
        }
        place(
            {{{"product_id", ids.at("RN-60")}, {"quantity", 100}}, {{"product_id", ids.at("AV-50")}, {"quantity", 40}}},
            {{"customer", {{"shipping_address", {{"line1", "Legmeerdijk 313"}, {"city", "Aalsmeer"}}}}}});
    }

    /// The marketplace gave it a sandbox, and no other key.
    void becomeSandbox() {
        const SupplierClient live;
        fixture().database().exec("UPDATE suppliers SET sandbox_of = " + std::to_string(live.id()) +
                                  " WHERE id = " + std::to_string(_supplier.id()));
    }

private:
    void take(const GuideBlock& block) {
        if (!block.name.empty()) {
            writeWholeFile(_folder / block.name, block.code);
            return;
        }
        CPPUNIT_ASSERT_MESSAGE(block.place + ": the guide does not say what the example before prints", !_printed);
        const auto file = _folder / ("example" + _language.extension);
        writeWholeFile(file, block.code);
        const auto result = runExample(file, environment());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(block.place + "\n" + result.errors + result.output, 0, result.exitCode);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(block.place, std::string(), result.errors);
        _printed = trimmed(result.output);
        _place = block.place;
        if (_language.name == "sh" && isRequest(block))
            requireErrorsEndIt(block, file);
    }

    static bool isRequest(const GuideBlock& block) {
        return block.code.find("$KEY") != std::string::npos || block.code.find("sync.sh") != std::string::npos;
    }

    /// A script whose key is wrong, or that nobody answers, says so by its exit code, and keeps the place that was
    /// saved.
    void requireErrorsEndIt(const GuideBlock& block, const std::filesystem::path& file) const {
        const auto place = _folder / "last-change";
        const auto saved = [&] { return std::filesystem::exists(place) ? readWholeFile(place) : std::string(); };
        const std::string before = saved();
        // Where an error is what the guide shows, that of the key is shown as well.
        const bool showsAnError = block.code.find("curl -sS -H") != std::string::npos;
        for (const auto& broken : brokenEnvironments()) {
            if (showsAnError && broken.at("KEY") == WRONG_KEY)
                continue;
            const auto result = runExample(file, broken);
            CPPUNIT_ASSERT_MESSAGE(block.place + ", with " + broken.at("URL") + "\n" + result.output,
                                   result.exitCode != 0);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(block.place, before, saved());
        }
    }

    CommandResult runExample(const std::filesystem::path& file, std::map<std::string, std::string> environment) const {
        std::vector<std::string> arguments = _language.program;
        arguments.push_back(file);
        return runCommand({.arguments = std::move(arguments),
                           .environment = std::move(environment),
                           .workingDirectory = _folder.path()});
    }

    void requirePrinted(const GuideBlock& output) {
        CPPUNIT_ASSERT_MESSAGE(output.place + ": no example of " + _language.name + " stands before it", _printed);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(_place, trimmed(output.code), *_printed);
        _printed.reset();
    }

    /// As readers run it: with none of the options that the other examples are run with.
    CommandResult run(const std::filesystem::path& file, std::map<std::string, std::string> environment) const {
        return runCommand({.arguments = {_language.program.front(), file.string()},
                           .environment = std::move(environment),
                           .workingDirectory = _folder.path()});
    }

    std::vector<std::map<std::string, std::string>> brokenEnvironments() const {
        std::vector<std::map<std::string, std::string>> broken(2, environment());
        broken[0]["KEY"] = WRONG_KEY;
        broken[1]["URL"] = "http://127.0.0.1:1/api/v1/supplier"; // nobody listens there
        return broken;
    }

    std::map<std::string, std::string> environment() const {
        return {{"URL", fixture().server().url()}, {"KEY", _supplier.key()}, {"IMAGE_URL", guidePicture()}};
    }

    const ExampleLanguage& _language;
    TemporaryDirectory _folder{"guide"};
    SupplierClient _supplier{{.columns = {{"hourly_limit", "NULL"}}}};
    std::optional<std::string> _printed;
    std::string _place;
};

} // namespace

/// The guides for integrators: every example is run as a reader would, and prints what the guide says.
class GuidesTest : public CppUnit::TestFixture {
protected:
    static void requireExamplesWork(const std::string& name) {
        for (const ExampleLanguage& language : exampleLanguages()) {
            if (language.name != name)
                continue;
            if (!isInstalled(language))
                throw Skip(language.program.front() + " is not installed");
            for (const std::string& guide : guidesWithExamples()) {
                if (guide == PYTHON_GUIDE && name != "python")
                    continue;
                Reader reader(language);
                reader.follow(FIRST_GUIDE);
                if (guide == "orders")
                    reader.receiveOrder();
                if (guide == "sandbox")
                    reader.becomeSandbox();
                if (guide != FIRST_GUIDE)
                    reader.follow(guide);
            }
        }
    }
};

TEST(GuidesTest, everyExampleIsThereInEveryLanguage) {
    const auto guides = guidesWithExamples();
    CPPUNIT_ASSERT_EQUAL(std::size_t{15}, guides.size());
    for (const std::string& guide : guides) {
        const auto expected = guide == PYTHON_GUIDE ? std::multiset<std::string>{"python"}
                                                    : std::multiset<std::string>{"js", "php", "python", "sh"};
        std::multiset<std::string> before;
        for (const GuideBlock& block : readGuide(guideFile(guide))) {
            if (block.language == "output") {
                CPPUNIT_ASSERT_MESSAGE(block.place, before == expected);
                before.clear();
            } else if (block.name.empty() && block.language != "json") {
                before.insert(block.language);
            }
        }
        CPPUNIT_ASSERT_MESSAGE(guide, before.empty());
    }
}

TEST(GuidesTest, examplesWithCurlPrintWhatTheGuidesSay) {
    requireExamplesWork("sh");
}

TEST(GuidesTest, examplesInJavaScriptPrintWhatTheGuidesSay) {
    requireExamplesWork("js");
}

TEST(GuidesTest, examplesInPhpPrintWhatTheGuidesSay) {
    requireExamplesWork("php");
}

TEST(GuidesTest, examplesInPythonPrintWhatTheGuidesSay) {
    requireExamplesWork("python");
}

TEST(GuidesTest, aProgramThatFailsEndsAndKeepsItsPlace) {
    for (const ExampleLanguage& language : exampleLanguages()) {
        if (!isInstalled(language))
            continue;
        Reader reader(language);
        reader.follow(FIRST_GUIDE);
        reader.follow("lists-and-sync");
        reader.requireListsEndWithAnError("lists-and-sync");
        reader.requirePlaceIsKept("sync");
        reader.requireItBeginsAgain("sync");
    }
}

} // namespace supplierd::tests
