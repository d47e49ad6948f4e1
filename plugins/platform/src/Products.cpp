#include "Products.h"

#include <supplierd/Validation.h>

namespace supplierd::platform {

namespace {

constexpr std::size_t MAX_REASON = 1'000;

ApiError noSuchProduct() {
    return ApiError::notFound("Product not found");
}

/// The path names the one product already: the message need not.
void decideOne(Catalogue& catalogue, Transaction& transaction, std::int64_t id,
               const std::optional<std::string>& reason, const AuditActor& actor) {
    try {
        catalogue.decide(transaction, {id}, reason, actor);
    } catch (const ApiError& error) {
        if (error.kind() != ErrorKind::NotFound)
            throw;
        throw noSuchProduct();
    }
}

} // namespace

Response Products::read(Request& request) const {
    return request.database().snapshot([&](SqlSession& session) { return answer(request, session); });
}

Response Products::reject(Request& request) const {
    Details details;
    const Field<std::string> reason = ObjectReader(request.body(), details).text("reason", {MAX_REASON, true});
    if (!details.empty())
        read(request); // a product that is not there is 404, whatever the body says
    details.throwIfAny();
    return decide(request, reason.value);
}

Response Products::decide(Request& request, const std::optional<std::string>& reason) const {
    const std::int64_t id = request.pathInteger("id");
    const AuditActor actor{actorOf(request.principal()), std::string(request.requestId())};
    return request.transact([&](Transaction& transaction) {
        decideOne(*_services.catalogue, transaction, id, reason, actor);
        return answer(request, transaction);
    });
}

Response Products::answer(Request& request, SqlSession& session) const {
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject().key("product");
    if (!_services.catalogue->writeProduct(session, request.pathInteger("id"), json))
        throw noSuchProduct();
    json.endObject();
    return response;
}

} // namespace supplierd::platform
