#include "SupplierApi.h"

#include <supplierd/JsonWriter.h>

#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/StreamCopier.h>
#include <Poco/Timespan.h>

#include <algorithm>
#include <stdexcept>

namespace supplierd::demo {
namespace {

constexpr int TIMEOUT_SECONDS = 30;
constexpr std::size_t SKUS_PER_REQUEST = 50; // the API takes 100; a request line stays short

void appendVariants(JsonWriter& json, const DemoProduct& product) {
    if (product.variants.empty())
        return;
    json.key("variants").beginArray();
    for (const auto& variant : product.variants) {
        json.beginObject();
        json.field("sku", variant.sku).field("name", variant.name).field("color", variant.color);
        json.field("stock_qty", variant.stock);
        if (variant.price)
            json.field("base_price", *variant.price);
        json.endObject();
    }
    json.endArray();
}

/// Written by hand rather than from a tree: prices are exact decimals.
std::string productBody(const DemoProduct& product, std::int64_t categoryId) {
    std::string body;
    JsonWriter json(body);
    json.beginObject();
    json.field("name", product.name).field("sku", product.sku).field("description", product.description);
    json.field("category_id", categoryId).field("type", product.type).field("unit", product.unit);
    json.field("base_price", product.price).field("vat_rate", product.vatRate);
    json.field("stock_qty", product.stock).field("min_order_qty", product.minOrder);
    json.field("country_of_origin", product.country);
    if (!product.color.empty())
        json.field("color", product.color);
    if (product.stemLength > 0)
        json.field("stem_length", product.stemLength);
    appendVariants(json, product);
    json.endObject();
    return body;
}

} // namespace

SupplierApi::SupplierApi(const std::string& url, std::string key)
    : _url(url), _key(std::move(key)), _session(_url.getHost(), _url.getPort()) {
    _session.setKeepAlive(true);
    _session.setTimeout(Poco::Timespan(TIMEOUT_SECONDS, 0));
}

nlohmann::json SupplierApi::call(const std::string& method, const std::string& path, const std::string& body) {
    Poco::Net::HTTPRequest request(method, _url.getPath() + path, Poco::Net::HTTPRequest::HTTP_1_1);
    request.set("Authorization", "Bearer " + _key);
    if (!body.empty())
        request.setContentType("application/json");
    if (method == "POST")
        request.setContentLength(static_cast<std::streamsize>(body.size()));
    _session.sendRequest(request) << body;

    Poco::Net::HTTPResponse response;
    std::string text;
    Poco::StreamCopier::copyToString(_session.receiveResponse(response), text);
    const auto answer = nlohmann::json::parse(text, nullptr, /* allow_exceptions */ false);
    if (!answer.is_object() || !answer.value("success", false))
        throw std::runtime_error(method + " " + path + ": " + std::to_string(response.getStatus()) + " " + text);
    return answer.at("data");
}

std::map<std::string, std::int64_t> SupplierApi::categoryIdsBySlug() {
    std::map<std::string, std::int64_t> ids;
    const auto data = call("GET", "/categories");
    for (const auto& category : data.at("categories"))
        ids[category.at("slug").get<std::string>()] = category.at("id").get<std::int64_t>();
    return ids;
}

std::map<std::string, ExistingProduct> SupplierApi::findProducts(const DemoSupplier& supplier) {
    std::map<std::string, ExistingProduct> found;
    for (std::size_t from = 0; from < supplier.products.size(); from += SKUS_PER_REQUEST) {
        std::string skus;
        for (std::size_t i = from; i < std::min(from + SKUS_PER_REQUEST, supplier.products.size()); ++i)
            skus += (skus.empty() ? "" : ",") + supplier.products[i].sku;
        const auto data = call("GET", "/products?per_page=100&sku=" + skus);
        for (const auto& product : data.at("products"))
            found[product.at("sku").get<std::string>()] = {
                product.at("id").get<std::int64_t>(), product.at("is_active").get<bool>(),
                product.at("is_approved").get<bool>(), !product.at("primary_image").is_null()};
    }
    return found;
}

std::int64_t SupplierApi::createProduct(const DemoProduct& product, std::int64_t categoryId) {
    const auto data = call("POST", "/products", productBody(product, categoryId));
    return data.at("product").at("id").get<std::int64_t>();
}

void SupplierApi::deactivateProduct(std::int64_t id) {
    call("POST", "/products/" + std::to_string(id), R"({"is_active": false})");
}

void SupplierApi::addImages(std::int64_t productId, const std::vector<std::string>& urls) {
    std::string list;
    for (const auto& url : urls)
        list += url + ";";
    const auto path = "/products/" + std::to_string(productId) + "/images";
    const auto data = call("POST", path, nlohmann::json{{"image_url", list}}.dump());
    if (data.at("failed").get<int>() > 0)
        throw std::runtime_error("POST " + path + ": " + data.at("errors").dump());
}

std::vector<std::int64_t> SupplierApi::images(std::int64_t productId) {
    std::vector<std::int64_t> ids;
    const auto data = call("GET", "/products/" + std::to_string(productId) + "/images");
    for (const auto& image : data.at("images"))
        ids.push_back(image.at("id").get<std::int64_t>());
    return ids;
}

void SupplierApi::removeImage(std::int64_t productId, std::int64_t imageId) {
    call("POST", "/products/" + std::to_string(productId) + "/images/" + std::to_string(imageId) + "/delete");
}

std::vector<ExistingOrder> SupplierApi::orders() {
    std::vector<ExistingOrder> found;
    for (int page = 1, pages = 1; page <= pages; ++page) {
        const auto data = call("GET", "/orders?per_page=100&page=" + std::to_string(page));
        for (const auto& order : data.at("orders"))
            found.push_back({order.at("id").get<std::int64_t>(), order.at("order_number").get<std::string>(),
                             order.at("status").get<std::string>()});
        pages = data.at("pagination").at("total_pages").get<int>();
    }
    return found;
}

void SupplierApi::moveOrder(const ExistingOrder& order, std::string_view status) {
    nlohmann::json body{{"status", status}};
    if (status == "shipped") {
        const std::string number = "3SDEMO" + std::to_string(100'000 + order.id);
        body["tracking"] = {{"carrier", "PostNL"}, {"number", number}, {"url", "https://tracking.example/" + number}};
    }
    if (status == "cancelled")
        body["comment"] = "The customer asked us to cancel.";
    call("POST", "/orders/" + std::to_string(order.id) + "/status", body.dump());
}

} // namespace supplierd::demo
