#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/services/Products.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// What the catalog says of a product's primary image.
struct SUPPLIERD_API PrimaryImage {
    std::int64_t productId = 0;
    std::int64_t supplierId = 0;
    bool isDeleted = false;
    /// Of its original, relative to the server's root; nothing: it has none.
    std::optional<std::string> path = std::nullopt;
    Reserved reserved = {};
};

/// A service of the plugin `catalog` for the plugin that keeps the images. The catalog repeats the path of each
/// product's primary image, so that its lists need nobody else. Thread: any. Throws DatabaseError.
class SUPPLIERD_API ProductImages {
public:
    static constexpr std::string_view ID = "supplierd.product-images/1";

    /// The service for everybody.
    virtual Products& products() = 0;
    /// Takes the lock of the catalog (Transaction::change()), and stamps a live product with a change of its images,
    /// which it notes. False when the supplier has no such product.
    virtual bool noteImages(Transaction& transaction, std::int64_t supplierId, std::int64_t productId) = 0;
    /// Of a deleted product too. The catalog is locked; who calls stamps a live product, by noteImages() or by what
    /// else it writes of it.
    virtual void setPrimaryImage(Transaction& transaction, std::int64_t productId,
                                 const std::optional<std::string>& path) = 0;
    /// Of the products of all suppliers, deleted ones too, with ids above `after`, in the order of their ids.
    virtual std::vector<PrimaryImage> primaryImages(SqlSession& session, std::int64_t after, std::size_t limit) = 0;

protected:
    ~ProductImages() = default;
};

} // namespace supplierd
