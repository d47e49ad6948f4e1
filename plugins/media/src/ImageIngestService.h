#pragma once

#include "ConcurrencyLimit.h"
#include "ImageIntake.h"

#include <supplierd/internal/ImageIngest.h>

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>

namespace supplierd::media {

/// The service ImageIngest. It takes images between open() and close() only. Thread: any.
class ImageIngestService final : public ImageIngest {
public:
    explicit ImageIngestService(const ImageIntake::Dependencies& dependencies);

    /// Throws as ImageIntake does.
    void open();
    /// Ends what runs, and waits for it.
    void close() noexcept;

    /// As fetch(), of a file that came with the request.
    std::unique_ptr<FetchedImages> takeFile(std::int64_t supplierId, const std::string& name, std::string bytes);

    std::vector<std::string> split(std::string_view imageUrl) const override;
    std::unique_ptr<FetchedImages> fetch(std::int64_t supplierId, std::span<const std::string> urls) override;
    std::vector<ProductImage> imagesOf(SqlSession& session, std::int64_t productId) override;
    std::vector<std::vector<ProductImage>> imagesOfAll(SqlSession& session,
                                                       std::span<const std::int64_t> productIds) override;
    std::string_view column() const override;
    std::vector<ProductImage> fromColumn(std::string_view text) const override;
    std::vector<std::string> removeAll(Transaction& transaction, std::int64_t productId) override;
    void removeFiles(std::span<const std::string> keys) noexcept override;

private:
    const ImageIntake::Dependencies _dependencies;
    ConcurrencyLimit _limit;
    /// Shared by what runs; taken alone to open and to close.
    std::shared_mutex _mutex;
    std::optional<ImageIntake> _intake;
};

} // namespace supplierd::media
