#include "host/auth/RequestAuthenticators.h"

#include <stdexcept>
#include <utility>

namespace supplierd::host {

namespace {

bool fits(const Principal& principal, Audience audience) {
    switch (audience) {
    case Audience::Supplier:
        return principal.supplierId > 0 && !principal.isOperator;
    case Audience::Operator:
        return principal.isOperator && principal.supplierId == 0;
    case Audience::Public:
        break;
    }
    return principal.isKnown() && !(principal.isOperator && principal.supplierId != 0);
}

} // namespace

void RequestAuthenticators::add(std::string_view pluginId, Audience audience, RequestAuthenticator& authenticator) {
    _byAudience.at(static_cast<std::size_t>(audience)).push_back({std::string(pluginId), &authenticator});
}

void RequestAuthenticators::withdraw(std::string_view pluginId) {
    for (auto& entries : _byAudience)
        std::erase_if(entries, [&](const Entry& entry) { return entry.pluginId == pluginId; });
}

std::shared_ptr<const KeyRecord> RequestAuthenticators::authenticate(Audience audience, const RequestHead& head) const {
    for (const auto& entry : of(audience)) {
        auto principal = entry.authenticator->authenticate(head);
        if (!principal)
            continue;
        if (!fits(*principal, audience))
            throw std::logic_error("plugin '" + entry.pluginId +
                                   "' made a principal that does not fit the audience it authenticates");
        auto record = std::make_shared<KeyRecord>();
        record->isSandbox = _authenticator.checkStanding(*principal);
        record->principal = std::move(*principal);
        return record;
    }
    return nullptr;
}

} // namespace supplierd::host
