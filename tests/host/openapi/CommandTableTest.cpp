#include "host/openapi/CommandTable.h"

#include "tests/support/Test.h"

#include <nlohmann/json.hpp>

namespace supplierd::tests {

using host::OpenApiJson;

/// What a client of the operators' API learns of a command.
class CommandTableTest : public CppUnit::TestFixture {
protected:
    /// The document of one operation.
    static OpenApiJson documentOf(const std::string& path, const std::string& method, const std::string& operation) {
        auto document = OpenApiJson::parse(R"({"components": {"schemas": {
            "Unit": {"type": "string", "enum": ["stem", "bunch"]},
            "Product": {"required": ["name"], "properties": {
                "name": {"type": "string", "description": "Its name"},
                "unit": {"$ref": "#/components/schemas/Unit"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "stock_qty": {"type": ["integer", "null"], "minimum": 0},
                "address": {"type": "object"},
                "id": {"type": "integer", "readOnly": true}}}}}})");
        document["paths"][path][method] = OpenApiJson::parse(operation);
        return document;
    }

    OpenApiJson row(const OpenApiJson& document) {
        const auto table = host::commandTable(document, _problems);
        return table.empty() ? OpenApiJson() : table.front();
    }

    static std::vector<std::string> shownAs(const OpenApiJson& row) {
        std::vector<std::string> names;
        for (const auto& input : row["inputs"])
            names.push_back(input.contains("argument") ? input["argument"] : input["option"]);
        return names;
    }

    const std::string _create = R"({"summary": "Create a product", "x-command": %, "requestBody": {"content":
        {"application/json": {"schema": {"$ref": "#/components/schemas/Product"}}}}})";
    std::vector<std::string> _problems;

    OpenApiJson created(const std::string& command) {
        std::string operation = _create;
        operation.replace(operation.find('%'), 1, command);
        return row(documentOf("/products", "post", operation));
    }
};

TEST(CommandTableTest, fieldsOfTheBodyAreOptionsAndThoseNamedArePositions) {
    const auto row = created(R"({"name": "product add", "arguments": ["name", "tags..."]})");
    CPPUNIT_ASSERT((std::vector<std::string>{"NAME", "TAGS", "--unit", "--stock-qty"}) == shownAs(row));
    CPPUNIT_ASSERT_EQUAL(std::string("Create a product"), row["help"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("POST"), row["method"].get<std::string>());
    CPPUNIT_ASSERT(row["inputs"][0]["required"].get<bool>());
    CPPUNIT_ASSERT(row["inputs"][1]["repeated"].get<bool>());
    CPPUNIT_ASSERT_EQUAL(std::string(R"(["stem","bunch"])"), row["inputs"][2]["enum"].dump());
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"name":"stock_qty","in":"body","type":"integer","help":"","minimum":0,)"
                                     R"("option":"--stock-qty"})"),
                         row["inputs"][3].dump());
}

TEST(CommandTableTest, pathParametersAreArgumentsByThemselves) {
    const auto row =
        this->row(documentOf("/products/{id}", "get", R"({"x-command": {"name": "product show"}, "parameters":
        [{"name": "view", "in": "query", "schema": {"type": "boolean"}},
         {"name": "id", "in": "path", "schema": {"type": "integer"}}]})"));
    CPPUNIT_ASSERT((std::vector<std::string>{"ID", "--view"}) == shownAs(row));
    CPPUNIT_ASSERT_EQUAL(std::string("/products/{id}"), row["path"].get<std::string>());
}

TEST(CommandTableTest, optionsAreRenamedHiddenAndReadFromFiles) {
    const auto row = created(R"({"name": "product add", "options": {"unit": "--per", "tags": false,
        "name": {"name": "--name-file", "file": true}, "stock_qty": {"default": 5}}})");
    CPPUNIT_ASSERT((std::vector<std::string>{"--name-file", "--per", "--stock-qty"}) == shownAs(row));
    CPPUNIT_ASSERT(row["inputs"][0]["file"].get<bool>());
    CPPUNIT_ASSERT_EQUAL(5, row["inputs"][2]["default"].get<int>());
}

TEST(CommandTableTest, flagsSetWhatTheySay) {
    const auto row = created(R"({"name": "product add", "flags": {"--bunched": {"help": "In bunches",
        "set": {"unit": "bunch"}}}})");
    CPPUNIT_ASSERT_EQUAL(std::string(R"([{"option":"--bunched","help":"In bunches","set":[{"name":"unit","in":"body",)"
                                     R"("value":"bunch"}]}])"),
                         row["flags"].dump());
}

TEST(CommandTableTest, whatRequestsAJobIsFollowedWithoutSayingHow) {
    const auto row = created(R"({"name": "product count", "follow": "job"})");
    CPPUNIT_ASSERT_EQUAL(std::string("/jobs/{job.plugin}/{job.name}"), row["follow"]["path"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("job.output"), row["follow"]["result"].get<std::string>());
}

TEST(CommandTableTest, listsWithPagesSaySo) {
    const auto row = this->row(documentOf("/products", "get", R"({"x-command": {"name": "product list"}, "parameters":
        [{"name": "cursor", "in": "query", "schema": {"type": "string"}}]})"));
    CPPUNIT_ASSERT(row["paged"].get<bool>());
}

TEST(CommandTableTest, rowsThatCannotBeCommandsAreReportedAndLeftOut) {
    for (const auto& [command, problem] : std::initializer_list<std::pair<std::string, std::string>>{
             {"{}", "post /products: x-command needs a name"},
             {R"({"name": "product add", "colour": "red"})", "post /products: x-command has no member 'colour'"},
             {R"({"name": "product add", "arguments": ["sku"]})",
              "post /products: x-command names 'sku', which the operation does not take"},
             {R"({"name": "plugin add"})",
              "post /products: 'plugin' is a command of supplierctl itself; choose another first word"},
             {R"({"name": "product add", "flags": {"--x": {}}})",
              "post /products: x-command: the flag '--x' sets nothing"}}) {
        _problems.clear();
        CPPUNIT_ASSERT(created(command).is_null());
        CPPUNIT_ASSERT_EQUAL(problem, _problems.empty() ? std::string() : _problems.front());
    }
}

TEST(CommandTableTest, ofTwoCommandsWithOneNameTheFirstStays) {
    auto document = documentOf("/a", "get", R"({"x-command": {"name": "thing list"}})");
    document["paths"]["/b"]["get"] = document["paths"]["/a"]["get"];
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, host::commandTable(document, _problems).size());
    CPPUNIT_ASSERT_EQUAL(std::string("get /b: the command 'thing list' belongs to get /a already"), _problems.front());
}

} // namespace supplierd::tests
