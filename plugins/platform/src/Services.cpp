#include "Services.h"

#include <stdexcept>

namespace supplierd::platform {

namespace {

template <class Service>
Service* require(Host& host) {
    Service* service = host.service<Service>();
    if (service == nullptr)
        throw std::runtime_error("nobody offers the service " + std::string(Service::ID));
    return service;
}

} // namespace

Services Services::of(Host& host) {
    return {require<ApiKeys>(host), require<AuditLog>(host), require<Catalogue>(host), require<CategoryTree>(host),
            require<OrderBook>(host)};
}

AuditEntry auditEntry(const Request& request, std::string_view object, std::string_view verb, std::int64_t objectId,
                      std::optional<std::int64_t> supplierId) {
    AuditEntry entry;
    entry.actor = actorOf(request.principal());
    entry.action = std::string(object) + "." + std::string(verb);
    entry.object = object;
    entry.objectId = objectId;
    entry.supplierId = supplierId;
    entry.requestId = request.requestId();
    return entry;
}

} // namespace supplierd::platform
