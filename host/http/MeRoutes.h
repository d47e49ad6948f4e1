#pragma once

#include <supplierd/Plugin.h>
#include <supplierd/services/ApiKeyVerifier.h>

#include <string>
#include <vector>

namespace supplierd::host {

/// `GET /me` of both APIs: whose key it is that came, and what it may. Thread: any.
class MeRoutes {
public:
    /// `keys` outlives the routes.
    explicit MeRoutes(ApiKeyVerifier& keys) : _keys(keys) {}

    std::vector<Route> routes() const;

private:
    ApiKeyVerifier& _keys;
};

} // namespace supplierd::host
