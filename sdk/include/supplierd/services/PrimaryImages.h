#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// What the catalogue says of a product's primary image.
struct SUPPLIERD_API PrimaryImage {
    std::int64_t productId = 0;
    std::int64_t supplierId = 0;
    bool isDeleted = false;
    /// Of its original, relative to the server's root; nothing: it has none.
    std::optional<std::string> path = std::nullopt;
    Reserved reserved = {};
};

/// A service of the plugin `catalog` for the one that keeps the images: the catalogue repeats the path of each
/// product's primary image, so that its lists need nobody else. Thread: any. Throws DatabaseError. Since 1.0.
class SUPPLIERD_API PrimaryImages {
public:
    static constexpr std::string_view ID = "supplierd.primary-images/1";

    /// Whether the supplier has such a live product.
    virtual bool isLive(SqlSession& session, std::int64_t supplierId, std::int64_t productId) = 0;
    /// Which of the products are deleted, or were never there.
    virtual std::set<std::int64_t> deletedOf(SqlSession& session, std::span<const std::int64_t> productIds) = 0;

    /// Takes the lock of the catalogue (Transaction::change()), and stamps a live product with a change of its images,
    /// which it notes. False when the supplier has no such product.
    virtual bool stamp(Transaction& transaction, std::int64_t supplierId, std::int64_t productId) = 0;
    /// Of a deleted product too. The catalogue is locked; who calls stamps the product.
    virtual void set(Transaction& transaction, std::int64_t productId, const std::optional<std::string>& path) = 0;

    /// The products of all suppliers, deleted ones too, behind that id and in the order of their ids.
    virtual std::vector<PrimaryImage> after(SqlSession& session, std::int64_t productId, std::size_t limit) = 0;

protected:
    ~PrimaryImages() = default;
};

} // namespace supplierd
