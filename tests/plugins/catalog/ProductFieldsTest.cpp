#include "ProductFields.h"

#include "tests/support/ChildProcess.h"
#include "tests/support/Json.h"
#include "tests/support/Places.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <set>
#include <string>

namespace supplierd::tests {

using namespace catalog;

/// What says of a field the same as PRODUCT_FIELDS, but cannot be made from it.
class ProductFieldsTest : public CppUnit::TestFixture {
protected:
    void requireText(const std::string& path, const std::string& text, const RecordField& field) {
        if (readWholeFile(sourcePath(path)).find(text) == std::string::npos)
            _findings += path + " has no " + text + " of the field " + std::string(field.name) + "\n";
    }

    void requireMember(const json& schema, const std::string& where, const std::string& name) {
        const json& required = schema["required"];
        if (!schema["properties"].contains(name) || std::find(required.begin(), required.end(), name) == required.end())
            report(where, name, "is missing, or is not required");
    }

    void requireRule(const json& schemas, const std::string& where, const RecordField& field) {
        const std::string name(field.name);
        const json property = schemas[where]["properties"].value(name, json());
        if (property.is_null())
            return report(where, name, "is missing");
        const bool mayBeNull = field.presence == Presence::Optional;
        if ((property["type"].is_array() && property["type"].at(1) == "null") != mayBeNull)
            report(where, name, mayBeNull ? "cannot be null" : "can be null");
        std::visit([&](const auto& rule) { compare(where, name, property, rule); }, field.rule);
    }

    void requireNoFindings() const { CPPUNIT_ASSERT_EQUAL(std::string(), _findings); }

private:
    void report(const std::string& where, const std::string& name, const std::string& what) {
        _findings.append(where).append(" of openapi.json: ").append(name).append(" ").append(what).append("\n");
    }

    void compare(const std::string& where, const std::string& name, const json& property, const TextRule& rule) {
        if (property.value("maxLength", std::size_t{0}) != rule.maxCodePoints)
            report(where, name, "has another maxLength");
    }
    void compare(const std::string& where, const std::string& name, const json& property, const IntegerRule& rule) {
        constexpr std::int64_t SAFE = 9'007'199'254'740'991; // what JavaScript counts to
        if (property.value("minimum", std::int64_t{-1}) != rule.min ||
            property.value("maximum", std::int64_t{-1}) != std::min(rule.max, SAFE))
            report(where, name, "has another range");
    }
    void compare(const std::string& where, const std::string& name, const json& property, const DecimalRule& rule) {
        const auto limit = [&](const char* key) { return Decimal::parse(property.value(key, json(-1)).dump()); };
        if (limit("minimum") != rule.min || limit("maximum") != rule.max)
            report(where, name, "has another range");
    }
    void compare(const std::string& where, const std::string& name, const json& property, const TermRule& rule) {
        std::set<std::string> words;
        for (const json& word : property.value("enum", json::array()))
            if (word.is_string())
                words.insert(word);
        if (words != std::set<std::string>(rule.terms.begin(), rule.terms.end()))
            report(where, name, "has other words");
    }
    void compare(const std::string& where, const std::string& name, const json& property, const TruthRule& /*rule*/) {
        if (property["type"] != "boolean")
            report(where, name, "is no boolean");
    }

    std::string _findings;
};

TEST(ProductFieldsTest, theReferenceHasEveryFieldWithItsRule) {
    const json schemas =
        json::parse(readWholeFile(sourcePath("plugins/catalog/openapi.json")))["components"]["schemas"];
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i) {
        const RecordField& field = PRODUCT_FIELDS[i];
        const bool isListed = std::find(LISTED_FIELDS.begin(), LISTED_FIELDS.end(), i) != LISTED_FIELDS.end();
        requireRule(schemas, "ProductCreate", field);
        requireRule(schemas, "ProductUpdate", field);
        if (isListed)
            requireMember(schemas["Product"], "Product", std::string(field.name));
        else if (i != field::CATEGORY_ID) // shown as `category`
            requireMember(schemas["ProductDetail"]["allOf"][1], "ProductDetail", std::string(field.name));
    }
    requireNoFindings();
}

TEST(ProductFieldsTest, theReferenceHasEveryFieldOfVariantsWithItsRule) {
    const json schemas =
        json::parse(readWholeFile(sourcePath("plugins/catalog/openapi.json")))["components"]["schemas"];
    for (const RecordField& field : VARIANT_FIELDS) {
        requireRule(schemas, "VariantCreate", field);
        requireMember(schemas["Variant"], "Variant", std::string(field.name));
        requireText("plugins/csv/src/Columns.cpp", "{\"variant_" + std::string(field.name) + "\"", field);
    }
    requireNoFindings();
}

TEST(ProductFieldsTest, filesOfProductsAndTheFormOfTheDashboardHaveEveryField) {
    for (const RecordField& field : PRODUCT_FIELDS) {
        const std::string name = "\"" + std::string(field.name) + "\"";
        requireText("plugins/csv/src/Columns.cpp", "{" + name, field);
        requireText("plugins/dashboard/web/supplier/product-fields.js", name, field);
    }
    requireNoFindings();
}

} // namespace supplierd::tests
