#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/internal/ImageIngest.h>
#include <supplierd/services/AuditLog.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// Images that people give as files, not as URLs: judged, cleaned, limited and stored as fetched ones are, by the same
/// functions. Offered by the plugin `media`: look it up in Plugin::ready(), not in start(). Thread: any. Since 1.0.
class SUPPLIERD_API ImageUploads {
public:
    static constexpr std::string_view ID = "supplierd.image-uploads/1";
    /// More than any configuration takes.
    static constexpr std::size_t MAX_BYTES = 5'242'880;

    /// Looks whether the product has room, then looks at the file and stores it. Takes seconds: call it outside any
    /// transaction. What is no acceptable image is the one of errors(), `name` in place of its URL. Throws ApiError:
    /// NotFound (the supplier has no such live product), Validation (`too_many`), Unavailable.
    virtual std::unique_ptr<FetchedImages> take(Database& database, std::int64_t supplierId, std::int64_t productId,
                                                const std::string& name, std::string bytes) = 0;
    /// Gives the product what was taken for it, with the supplier's Change and the audit entry; all images that it has
    /// then. Throws ApiError: NotFound; Validation (`too_many`), Unavailable as FetchedImages::add().
    virtual std::vector<ProductImage> add(Transaction& transaction, std::int64_t supplierId, std::int64_t productId,
                                          FetchedImages& images, const Actor& actor) = 0;

protected:
    ~ImageUploads() = default;
};

} // namespace supplierd
