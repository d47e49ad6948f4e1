#include "ImageUploadRoute.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Query.h>
#include <supplierd/Validation.h>
#include <supplierd/internal/ImageIngest.h>

#include <span>
#include <string>

namespace supplierd::media {

namespace {

/// What is wrong with the file is said of this.
constexpr std::string_view FILE_FIELD = "data";
constexpr std::size_t MAX_NAME = 255;

std::string allOf(BodyStream& body) {
    std::string bytes(static_cast<std::size_t>(body.size()), '\0');
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t got = body.read(std::span(bytes).subspan(at));
        if (got == 0)
            throw ApiError(ErrorKind::BadRequest, "The file is not whole");
        at += got;
    }
    return bytes;
}

/// In milliseconds. Whoever waits holds a thread of the server.
constexpr long TURN_LIMIT = 20'000;
constexpr int UPLOAD_RETRY_SECONDS = 5;

class UploadTurn {
public:
    explicit UploadTurn(Poco::Semaphore& turns) : _turns(turns) {
        if (!_turns.tryWait(TURN_LIMIT))
            throw ApiError::unavailable("Too many images are being taken").withRetryAfter(UPLOAD_RETRY_SECONDS);
    }
    ~UploadTurn() { _turns.set(); }
    UploadTurn(const UploadTurn&) = delete;
    UploadTurn& operator=(const UploadTurn&) = delete;

private:
    Poco::Semaphore& _turns;
};

} // namespace

std::shared_ptr<void> ImageUploadRoute::admit(Request& request) {
    return std::make_shared<ConcurrencyLimit::Pass>(_uploading, request.principal().supplierId);
}

Response ImageUploadRoute::respond(Request& request) {
    Details details;
    const auto name = QueryReader(request.query(), details).text("name", MAX_NAME);
    details.throwIfAny();
    const std::int64_t supplier = request.principal().supplierId;
    const std::int64_t product = request.pathInteger("id");
    const auto taken = [&] {
        const UploadTurn turn(_turns);
        return _uploads.take(request.database(), supplier, product, name.value_or("?"), allOf(request.rawBody()));
    }();
    if (taken->count() == 0) {
        const ImageError& problem = taken->errors().front();
        throw ApiError::validation({{std::string(FILE_FIELD), problem.code, problem.error}});
    }
    return request.transact([&](Transaction& transaction) {
        const auto images = _uploads.add(transaction, supplier, product, *taken, actorOf(request));
        Response response = request.reply(201);
        JsonWriter json(response.data);
        json.beginObject().key("images").beginArray();
        for (const ProductImage& image : images)
            writeJson(json, image);
        json.endArray().endObject();
        return response;
    });
}

} // namespace supplierd::media
