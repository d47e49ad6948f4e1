#include "CsvFixture.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

class RoundTripTest : public CppUnit::TestFixture {
protected:
    static constexpr int VARIANTS = 2; ///< of makeOddProducts()

    /// What an import can have made of it.
    static json shown(CsvClient& supplier, const std::string& sku) {
        json product = supplier.bySku(escaped(sku));
        json variants = json::array();
        for (json variant : product["variants"]) {
            variant.erase("id");
            if (!variant["sku"].is_null()) // only an id names it, which is of another product
                variants.push_back(variant);
        }
        product["variants"] = variants;
        for (const char* name : {"id", "created_at", "updated_at", "version", "approval", "images"})
            product.erase(name);
        return product;
    }

    static std::string escaped(const std::string& sku) {
        std::string text;
        for (const char c : sku)
            text += c == '=' ? "%3D" : c == ';' ? "%3B" : c == '(' ? "%28" : c == ')' ? "%29" : std::string(1, c);
        return text;
    }

    static void makeOddProducts(CsvClient& supplier) {
        supplier.create({{"sku", "=SUM(A1)"},
                         {"name", "'=double \"quoted\", with; all\tof it"},
                         {"description", "two\r\nlines\nand\rmore"},
                         {"base_price", 0.085},
                         {"vat_rate", 9.5}});
        supplier.create({{"sku", "R;2"},
                         {"name", "-5 degrees"},
                         {"base_price", 1234.567},
                         {"stock_qty", 1'000},
                         {"color", "+rood"},
                         {"stem_length", 60},
                         {"country_of_origin", "NL"},
                         {"variants",
                          {{{"sku", "=R;2"}, {"name", "-long"}, {"stem_length", 80}, {"base_price", 0.125}},
                           {{"name", "without SKU"}, {"color", "@pink"}, {"stock_qty", 1'000}, {"is_active", false}}}},
                         {"type", "supply"}});
        supplier.create({{"sku", "emoji"},
                         {"name", "Bos 💐 \xC2\xA0 é"},
                         {"base_price", 12},
                         {"unit", "kilogram"},
                         {"min_order_qty", 10}});
        const json inactive = supplier.create({{"sku", "off"}, {"name", "TRUE"}});
        supplier.update(inactive["id"], {{"is_active", false}});
        supplier.create({{"name", "without SKU"}});
    }
};

TEST(RoundTripTest, whatIsExportedChangesNothingWhenItIsImported) {
    CsvClient supplier;
    makeOddProducts(supplier);
    const std::int64_t seq = supplier.changeSeq();
    const int count = static_cast<int>(supplier.ids().size()) + VARIANTS;
    for (const char* style : {"", "separator=%3B&decimal=comma", "separator=tab&decimal=comma", "separator=%7C"})
        for (const char* empty : {"empty=keep", "empty=clear"})
            requireCounts(supplier.import(supplier.exported(style), empty), 0, 0, count, 0);
    CPPUNIT_ASSERT_EQUAL(seq, supplier.changeSeq());
}

TEST(RoundTripTest, exportMakesTheSameProductsElsewhere) {
    CsvClient from;
    CsvClient to;
    makeOddProducts(from);
    to.import(from.exported("sort=id"));
    const std::string exported = to.exported("sort=id");
    to.import(exported);
    for (const char* sku : {"=SUM(A1)", "R;2", "emoji"}) {
        CPPUNIT_ASSERT_EQUAL(shown(from, sku).dump(), shown(to, sku).dump());
    }
}

} // namespace supplierd::tests
