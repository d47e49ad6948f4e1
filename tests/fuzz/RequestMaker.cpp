#include "tests/fuzz/RequestMaker.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace supplierd::tests {

namespace {

constexpr std::size_t KEPT_PRODUCTS = 50;

constexpr auto QUERIES = std::to_array<std::string_view>({
    "page=1&per_page=20",
    "page=2&per_page=100&status=active",
    "status=pending&sort=-base_price",
    "search=rosa%20avalanche&sort=name",
    "sku=A-1,B-2&type=flower",
    "category_id=1&updated_since=2026-01-01T00:00:00Z",
    "changed_after=0&include_deleted=true",
    "cursor=eyJpZCI6MX0&per_page=5",
});

constexpr auto CONTENT_TYPES = std::to_array<std::string_view>({
    "application/json; charset=utf-8",
    "application/json;charset=\"",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "/",
});

constexpr std::string_view UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~&=+,:";

/// What may not stand in a request line as it is goes in as %XX; now and then the escape is broken.
std::string encoded(const std::string& text, Generator& generator) {
    constexpr std::string_view HEX = "0123456789abcdef";
    std::string out;
    for (const char c : text) {
        if (UNRESERVED.find(c) != std::string_view::npos) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += HEX[byte >> 4U];
        if (!once(generator, 300))
            out += HEX[byte & 15U];
    }
    return out;
}

} // namespace

FuzzRequest RequestMaker::next() {
    FuzzRequest request = once(_generator, 7) ? read() : write();
    addHeaders(request);
    return request;
}

FuzzRequest RequestMaker::read() {
    if (once(_generator, 4))
        return {"GET", productPath(), {}, std::nullopt};
    std::string query(QUERIES[pick(_generator, QUERIES.size())]);
    if (!once(_generator, 8))
        query = _mutator.mutate(std::move(query), _generator);
    query.resize(std::min<std::size_t>(query.size(), 2'000));
    return {"GET", "/products?" + encoded(query, _generator), {}, std::nullopt};
}

FuzzRequest RequestMaker::write() {
    FuzzRequest request{"POST", "/products", {}, std::nullopt};
    const std::size_t kind = pick(_generator, 100);
    if (kind < 3)
        request.path = productPath() + "/delete";
    else if (kind < 45)
        request.path = productPath();
    else if (kind < 47)
        request.path = "/" + encoded(_mutator.next(_generator).substr(0, 40), _generator);
    request.body = once(_generator, 12) ? _mutator.seed(_generator) : _mutator.next(_generator);
    // Past the limit of a body, which is 1 MiB.
    if (once(_generator, 400))
        request.body->append(1'100'000, ' ');
    const std::size_t framing = pick(_generator, 100);
    if (framing < 2)
        request.framing = Framing::Chunked;
    else if (framing < 5)
        request.framing = Framing::CutOff;
    else if (framing < 6)
        request.framing = Framing::Surplus;
    return request;
}

std::string RequestMaker::productPath() {
    if (once(_generator, 30))
        return "/products/" + encoded(_mutator.next(_generator).substr(0, 30), _generator);
    if (_products.empty() || once(_generator, 30))
        return "/products/" + std::to_string(static_cast<std::int64_t>(_generator()));
    return "/products/" + std::to_string(_products[pick(_generator, _products.size())]);
}

void RequestMaker::addHeaders(FuzzRequest& request) {
    if (request.body) {
        const bool usual = !once(_generator, 40);
        request.headers.emplace_back("Content-Type", usual ? "application/json"
                                                           : CONTENT_TYPES[pick(_generator, CONTENT_TYPES.size())]);
        // Few keys, so that they meet again with the same and with another body.
        if (once(_generator, 12))
            request.headers.emplace_back("Idempotency-Key", "fuzz-" + std::to_string(pick(_generator, 200)));
    }
    if (once(_generator, 25))
        request.headers.emplace_back("If-Match", "\"" + std::to_string(1 + pick(_generator, 4)) + "\"");
    if (once(_generator, 25))
        request.headers.emplace_back("If-None-Match", "\"" + std::to_string(1 + pick(_generator, 4)) + "\"");
}

void RequestMaker::learnProduct(std::int64_t id) {
    if (_products.size() < KEPT_PRODUCTS)
        _products.push_back(id);
    else
        _products[pick(_generator, _products.size())] = id;
}

std::vector<std::string> validBodies(std::int64_t categoryId) {
    const std::string category = std::to_string(categoryId);
    return {
        R"({"name": "Rosa Avalanche", "category_id": )" + category + R"(, "base_price": 0.85, "unit": "stem"})",
        R"({"name": "Tulipa Strong Gold 💐", "category_id": )" + category +
            R"(, "base_price": 12, "unit": "bunch", "sku": "TU-1", "type": "flower", "stock_qty": 400, "min_order_qty": 5,
  "color": "yellow", "stem_length": 40, "country_of_origin": "NL", "vat_rate": 9, "description": "Of the season."})",
        R"({"name":"Kraft paper","category_id":)" + category +
            R"(,"base_price":0.0850,"unit":"roll","type":"supply","variants":[{"sku":"KP-1","name":"small","stock_qty":1},
{"sku":"KP-2","name":"large","base_price":1.5,"stock_qty":0,"color":null,"stem_length":null}]})",
        R"({"stock_qty": 0, "is_active": false})",
        R"({"base_price": 99999999.9999, "description": null, "color": "r\u00f6d \ud83c\udf39"})",
        R"({"name": "Vase", "image_url": "https://example.com/a.jpg;https://example.com/b.png"})",
        R"({"variants": [{"id": 1, "delete": true}, {"name": "new one", "sku": "V-9"}], "vat_rate": 0})",
        "{}",
    };
}

} // namespace supplierd::tests
