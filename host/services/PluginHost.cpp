#include "host/services/PluginHost.h"

#include <string>
#include <vector>

namespace supplierd::host {

namespace {

template <class Service>
void offer(ServiceRegistry& services, Service& service) {
    const std::vector<std::string> promised{std::string(Service::ID)};
    services.offer("supplierd", promised, Service::ID, &service);
}

} // namespace

HostServices::HostServices(ServiceRegistry& services, AuditLog& audit, std::size_t cacheMemory,
                           const std::shared_ptr<prometheus::Registry>& registry)
    : _accounts(_keys, audit), _cacheMemory(cacheMemory, registry) {
    offer<Accounts>(services, _accounts);
    offer<ApiKeyVerifier>(services, _keys);
    offer<AuditLog>(services, audit);
    offer<CacheMemory>(services, _cacheMemory);
    offer<ChangeLog>(services, _changes);
    offer<Crypto>(services, _crypto);
    offer<HttpClient>(services, _http);
}

} // namespace supplierd::host
