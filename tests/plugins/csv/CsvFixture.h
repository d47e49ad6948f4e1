#pragma once

#include "tests/support/Json.h"
#include "tests/support/Responses.h"
#include "tests/support/SupplierClient.h"

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A supplier and what it does with files.
class CsvClient : public SupplierClient {
public:
    using SupplierClient::SupplierClient;

    HttpResponse upload(const std::string& file, const std::string& query = {}, const std::string& type = "text/csv");
    /// Uploads and waits for the end: `data` of GET /imports/{id}. Fails unless it is done.
    Json import(const std::string& file, const std::string& query = {});
    /// `data` of the import once it has ended.
    Json waitForEnd(std::int64_t import);
    /// The body of an export.
    std::string exported(const std::string& query = {});
    /// The product with that SKU, as the API shows it.
    Json bySku(const std::string& sku);
};

/// Fails unless the import's rows came to these.
void requireCounts(const Json& data, int created, int updated, int unchanged, int failed);

/// The lines of a CSV file that has no line breaks within its cells, without its byte order mark.
std::vector<std::string> linesOf(const std::string& csv);

inline constexpr const char* BOM = "\xEF\xBB\xBF";

/// A file of products SKU-1 to SKU-n: sku,name,category_id,base_price,unit,stock_qty.
std::string productsFile(int count, std::int64_t category, int stock = 5);

} // namespace supplierd::tests
