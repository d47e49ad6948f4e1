#include "CsvFixture.h"

#include <cppunit/TestAssert.h>

#include <chrono>
#include <sstream>
#include <thread>

namespace supplierd::tests {

HttpResponse CsvClient::upload(const std::string& file, const std::string& query, const std::string& type) {
    return request("POST", "/products/import" + (query.empty() ? "" : "?" + query), {{"Content-Type", type}}, file);
}

json CsvClient::import(const std::string& file, const std::string& query) {
    const json accepted = dataOf(upload(file, query), 202).at("import");
    json data = waitForEnd(accepted.at("id"));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(data.dump(), std::string("done"), data["import"]["state"].get<std::string>());
    return data;
}

json CsvClient::waitForEnd(std::int64_t import) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    for (;;) {
        json data = dataOf(get("/imports/" + std::to_string(import)));
        const std::string state = data["import"]["state"];
        if (state == "done" || state == "failed" || state == "cancelled")
            return data;
        CPPUNIT_ASSERT_MESSAGE("the import does not end: " + data.dump(), std::chrono::steady_clock::now() < limit);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

std::string CsvClient::exported(const std::string& query) {
    const HttpResponse response = get("/products/export.csv" + (query.empty() ? "" : "?" + query));
    requireStatus(200, response);
    return response.body;
}

json CsvClient::bySku(const std::string& sku) {
    const json products = list("include=description&sku=" + sku)["products"];
    CPPUNIT_ASSERT_EQUAL_MESSAGE(sku, std::size_t{1}, products.size());
    return read(products[0]["id"]);
}

void requireCounts(const json& data, int created, int updated, int unchanged, int failed) {
    const json& import = data.at("import");
    const json found{{"created", import["created"]},
                     {"updated", import["updated"]},
                     {"unchanged", import["unchanged"]},
                     {"failed", import["failed"]}};
    const json wanted{{"created", created}, {"updated", updated}, {"unchanged", unchanged}, {"failed", failed}};
    CPPUNIT_ASSERT_EQUAL_MESSAGE(data.dump(), wanted.dump(), found.dump());
}

std::vector<std::string> linesOf(const std::string& csv) {
    CPPUNIT_ASSERT_MESSAGE("the file has no byte order mark", csv.starts_with(BOM));
    std::istringstream text(csv.substr(3));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
        CPPUNIT_ASSERT_MESSAGE("a line does not end with CR LF: " + line, line.ends_with('\r'));
        line.pop_back();
        lines.push_back(line);
    }
    return lines;
}

std::string productsFile(int count, std::int64_t category, int stock) {
    std::string file = "sku,name,category_id,base_price,unit,stock_qty\r\n";
    for (int i = 1; i <= count; ++i)
        file += "SKU-" + std::to_string(i) + ",Rose " + std::to_string(i) + "," + std::to_string(category) +
                ",0.85,stem," + std::to_string(stock) + "\r\n";
    return file;
}

} // namespace supplierd::tests
