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
    return {require<ApiKeys>(host), require<AuditLog>(host)};
}

} // namespace supplierd::platform
