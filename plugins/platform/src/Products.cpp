#include "Products.h"

#include <supplierd/Validation.h>

namespace supplierd::platform {

namespace {

constexpr std::size_t MAX_REASON = 1'000;

std::string approvalJson(std::string_view status, const std::optional<std::string>& reason) {
    std::string text;
    JsonWriter json(text);
    json.beginObject().key("approval").beginObject();
    json.field("status", status).field("reason", reason).endObject().endObject();
    return text;
}

ApiError noSuchProduct() {
    return ApiError::notFound("Product not found");
}

/// The path names the one product already: the message need not.
std::vector<ApprovalOutcome> decideOne(Catalogue& catalogue, Transaction& transaction, std::int64_t id,
                                       const std::optional<std::string>& reason) {
    try {
        return catalogue.decide(transaction, {id}, reason);
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
    return request.transact([&](Transaction& transaction) {
        for (const ApprovalOutcome& outcome : decideOne(*_services.catalogue, transaction, id, reason)) {
            if (!outcome.changed)
                continue;
            AuditEntry entry = auditEntry(request, "product", reason ? "reject" : "approve", id, outcome.supplierId);
            entry.before = approvalJson(outcome.statusBefore, outcome.reasonBefore);
            entry.after = approvalJson(reason ? "rejected" : "approved", reason);
            _services.audit->record(transaction, entry);
        }
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
