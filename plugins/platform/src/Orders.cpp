#include "Orders.h"

namespace supplierd::platform {

namespace {

OrderActor actorBehind(const Request& request) {
    return {actorOf(request.principal()), std::string(request.requestId())};
}

} // namespace

Response Orders::feed(Request& request) const {
    return request.transact([&](Transaction& transaction) {
        return _services.orders->feed(transaction, request.body(), actorBehind(request));
    });
}

Response Orders::complete(Request& request) const {
    return request.transact([&](Transaction& transaction) {
        return _services.orders->complete(transaction, request.pathInteger("id"), actorBehind(request));
    });
}

} // namespace supplierd::platform
