#pragma once

#include "host/auth/Authenticator.h"

#include <supplierd/RequestAuthenticator.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The plugins' ways to know who sends a request without a key, by audience. Filled while plugins start, read by every
/// thread afterwards.
class RequestAuthenticators {
public:
    /// Must outlive it.
    explicit RequestAuthenticators(Authenticator& authenticator) : _authenticator(authenticator) {}

    void add(std::string_view pluginId, Audience audience, RequestAuthenticator& authenticator);
    /// Forgets what the plugin added.
    void withdraw(std::string_view pluginId);

    bool serve(Audience audience) const { return !of(audience).empty(); }
    /// The first principal that a plugin knows; null when none does. Throws what a plugin throws; ApiError (Forbidden)
    /// when the supplier or its key may not be served; std::logic_error when the principal does not fit the audience.
    std::shared_ptr<const KeyRecord> authenticate(Audience audience, const RequestHead& head) const;

private:
    struct Entry {
        std::string pluginId;
        RequestAuthenticator* authenticator;
    };
    using Entries = std::vector<Entry>;

    const Entries& of(Audience audience) const { return _byAudience.at(static_cast<std::size_t>(audience)); }

    Authenticator& _authenticator;
    std::array<Entries, 3> _byAudience;
};

} // namespace supplierd::host
