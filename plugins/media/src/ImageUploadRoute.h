#pragma once

#include "ConcurrencyLimit.h"
#include "ImageUploadsService.h"

#include <supplierd/Request.h>

#include <Poco/Semaphore.h>

#include <memory>

namespace supplierd::media {

/// POST /products/{id}/images/upload: the body is the file, `?name=` what it is called. Thread: any.
class ImageUploadRoute {
public:
    /// Somewhat more than any image may have, so that the API's words say what is too large.
    static constexpr std::int64_t MAX_BODY = ImageUploads::MAX_BYTES + 65'536;

    explicit ImageUploadRoute(ImageUploadsService& uploads) : _uploads(uploads) {}

    /// Of Route::admit: nobody sends a file that has to wait too long. Throws ApiError: Unavailable.
    std::shared_ptr<void> admit(Request& request);
    /// Throws ApiError: NotFound, Validation, Unavailable.
    Response respond(Request& request);

private:
    /// Images that are in memory at once; the others wait in their files, each with a thread of the server once it is
    /// whole: so there are no more than so many of them.
    static constexpr int AT_ONCE = 4;
    static constexpr unsigned MOST = 16;
    static constexpr unsigned MOST_PER_SUPPLIER = 8;

    ImageUploadsService& _uploads;
    ConcurrencyLimit _uploading{MOST, MOST_PER_SUPPLIER};
    Poco::Semaphore _turns{AT_ONCE, AT_ONCE};
};

} // namespace supplierd::media
