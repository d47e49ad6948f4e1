#include "PictureRoutes.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>
#include <supplierd/services/Catalogue.h>

#include <Poco/Base64Decoder.h>
#include <Poco/Exception.h>
#include <Poco/MemoryStream.h>
#include <Poco/StreamCopier.h>

namespace supplierd::dashboard {

namespace {

constexpr std::string_view FIELD = "data";

std::string decoded(std::string_view base64, Details& details) {
    std::string bytes;
    try {
        Poco::MemoryInputStream in(base64.data(), static_cast<std::streamsize>(base64.size()));
        Poco::Base64Decoder decoder(in);
        Poco::StreamCopier::copyToString(decoder, bytes);
    } catch (const Poco::DataFormatException&) {
        bytes.clear();
    }
    if (bytes.empty())
        details.add(std::string(FIELD), "type", "data must be the file as base64");
    return bytes;
}

} // namespace

Response PictureRoutes::add(Request& request) {
    if (!_uploads)
        throw ApiError::unavailable("This server keeps no pictures");
    Details details;
    const auto name = ObjectReader(request.body(), details).text("name", {.maxCodePoints = 255, .required = true});
    const JsonValue data = request.body().get(FIELD);
    std::string bytes = decoded(data.isText() ? data.text() : std::string_view(), details);
    details.throwIfAny();
    const std::int64_t supplier = request.principal().supplierId;
    const std::int64_t product = request.pathInteger("id");
    const auto taken = _uploads->take(request.database(), supplier, product, *name.value, std::move(bytes));
    if (taken->count() == 0) {
        const ImageError& problem = taken->errors().front();
        throw ApiError::validation({{std::string(FIELD), problem.code, problem.error}});
    }
    return request.transact([&](Transaction& transaction) {
        const auto images = _uploads->add(transaction, supplier, product, *taken, actorOf(request));
        Response response = request.reply(201);
        JsonWriter json(response.data);
        json.beginObject().key("images").beginArray();
        for (const ProductImage& image : images)
            writeJson(json, image);
        json.endArray().endObject();
        return response;
    });
}

} // namespace supplierd::dashboard
