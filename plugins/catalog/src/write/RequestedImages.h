#pragma once

#include <supplierd/JsonWriter.h>
#include <supplierd/internal/ImageIngest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// The images that a request's image_url asks for, on their way from the URLs to the product. What cannot be had is
/// among the errors and never keeps the product from being written. Made per request. Lifetime: the URLs outlive it.
class RequestedImages {
public:
    /// `images` may be null when there are no URLs.
    RequestedImages(ImageIngest* images, const std::vector<std::string>& urls) : _images(images), _urls(urls) {}

    /// URLs that differ: a repeated one is fetched once.
    static std::size_t countOf(std::span<const std::string> urls);

    /// Nothing was asked for.
    bool empty() const { return _urls.empty(); }

    /// Call it outside any transaction: it takes as long as the slowest URL.
    void fetch(std::int64_t supplierId);
    /// How many fetch() brought.
    std::size_t count() const { return _fetched ? _fetched->count() : 0; }
    /// Gives them to the product, in each run of the transaction that writes it. Throws as FetchedImages::add() does.
    void addTo(Transaction& transaction, std::int64_t productId);

    /// The value of image_errors.
    void writeErrors(JsonWriter& json) const;

private:
    ImageIngest* _images;
    const std::vector<std::string>& _urls;
    std::unique_ptr<FetchedImages> _fetched;
    /// None could even be tried.
    bool _isUnavailable = false;
};

} // namespace supplierd::catalog
