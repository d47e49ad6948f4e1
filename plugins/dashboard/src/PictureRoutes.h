#pragma once

#include <supplierd/Request.h>
#include <supplierd/services/ImageUploads.h>

#include <Poco/Semaphore.h>

namespace supplierd::dashboard {

/// Pictures from the computer of whoever is signed in: the API takes them by URL alone. Thread: any.
class PictureRoutes {
public:
    /// What stands before the product's id; a SessionAuthenticator knows who calls here.
    static constexpr std::string_view PREFIX = "/dashboard/api/products/";
    static constexpr std::string_view SCOPE =
        "products:write"; /// Somewhat more than any picture may have, so that the API's words say what is too large.
    static constexpr std::int64_t MAX_BODY = ImageUploads::MAX_BYTES + 65'536;

    /// Null: the plugin `media` is not enabled.
    explicit PictureRoutes(ImageUploads* uploads) : _uploads(uploads) {}

    /// The body is the file, `?name=` what it is called.
    Response add(Request& request);

private:
    /// Pictures that are in memory at once; the others wait in their files.
    static constexpr int AT_ONCE = 4;

    ImageUploads* _uploads;
    Poco::Semaphore _turns{AT_ONCE, AT_ONCE};
};

} // namespace supplierd::dashboard
