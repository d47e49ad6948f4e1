#pragma once

#include <supplierd/Request.h>
#include <supplierd/services/ImageUploads.h>

namespace supplierd::dashboard {

/// Pictures from the computer of whoever is signed in: the API takes them by URL alone. Thread: any.
class PictureRoutes {
public:
    /// What stands before the product's id; a SessionAuthenticator knows who calls here.
    static constexpr std::string_view PREFIX = "/dashboard/api/products/";
    static constexpr std::string_view SCOPE = "products:write";
    /// The file as base64, with its name.
    static constexpr std::int64_t MAX_BODY = ImageUploads::MAX_BYTES / 3 * 4 + 65'536;

    /// Null: the plugin `media` is not enabled.
    explicit PictureRoutes(ImageUploads* uploads) : _uploads(uploads) {}

    /// `{ name, data }`. In the body whole, so that a slow sender holds no thread, and an Idempotency-Key counts as it
    /// does in the API.
    Response add(Request& request);

private:
    ImageUploads* _uploads;
};

} // namespace supplierd::dashboard
