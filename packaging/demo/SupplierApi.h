#pragma once

#include "DemoProduct.h"

#include <Poco/Net/HTTPClientSession.h>
#include <Poco/URI.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::demo {

/// What the server has of a demo product.
struct ExistingProduct {
    std::int64_t id = 0;
    bool active = true;
    bool approved = false;
    bool hasImages = false;
};

/// A supplier's part of an order, as the server has it.
struct ExistingOrder {
    std::int64_t id = 0;
    std::string number;
    std::string status;
};

/// The supplier's side of the API, with one supplier's key. Throws std::runtime_error with the server's words.
class SupplierApi {
public:
    SupplierApi(const std::string& url, std::string key);

    std::map<std::string, std::int64_t> categoryIdsBySlug();
    /// By SKU; what the server does not have is absent.
    std::map<std::string, ExistingProduct> findProducts(const DemoSupplier& supplier);
    /// Returns the new product's id.
    std::int64_t createProduct(const DemoProduct& product, std::int64_t categoryId);
    void deactivateProduct(std::int64_t id);
    /// Ids, in order.
    std::vector<std::int64_t> images(std::int64_t productId);
    void removeImage(std::int64_t productId, std::int64_t imageId);
    /// Throws when one cannot be had; the others are there then.
    void addImages(std::int64_t productId, const std::vector<std::string>& urls);
    std::vector<ExistingOrder> orders();
    void moveOrder(const ExistingOrder& order, std::string_view status);

private:
    nlohmann::json call(const std::string& method, const std::string& path, const std::string& body = {});

    Poco::URI _url;
    std::string _key;
    Poco::Net::HTTPClientSession _session;
};

} // namespace supplierd::demo
